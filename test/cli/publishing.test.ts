/** Publishing from the command line: only if declared, and never reported as done if the service requires a payment. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Form } from '../../src/contract/form.ts';
import type { Variants } from '../../src/server/variants.ts';
import { seed } from '../support/harness.ts';
import { folder, octavo } from './octavo.ts';
import { served } from './served.ts';

async function serve(variants: Partial<Variants> = {}, form: Form = '2026') {
  const { env } = await served({ seed, form, variants });
  return env;
}

const help = (published: string) => `octavo: 1
organization: { id: org_acme }
sites:
  help:
    title: Help
    visibility: public
    was: []
${published}    spaces: { guide: { space: { id: sp_guide } } }
`;
const live = '    published: true\n';

const isLive = async (cwd: string, env: Record<string, string>) => {
  const { stdout } = await octavo(['api', 'sites.list', 'organizationId=org_acme'], { cwd, env });
  return JSON.parse(stdout).items[0].published;
};

test('fails the step if the service asks for a payment, without publishing the site', async () => {
  const env = await serve({ publishing: 'checkout' });
  const cwd = folder({ 'acme.yaml': help(live) });
  const { code, stdout, stderr } = await octavo(['apply', '--auto-approve'], { cwd, env });
  const text = `${stdout}${stderr}`.replace(/\s+/g, ' ');
  expect(code).not.toBe(0);
  expect(text).toContain('not published: the service asks for a payment first');
  expect(text).not.toMatch(/✓ sites\/help updated/);
  expect(await isLive(cwd, env)).toBe(false);
  const again = await octavo(['plan'], { cwd, env });
  expect(again.stdout).toContain('the whole site goes live');
});

test('publishes and unpublishes sites only if declared', async () => {
  const env = await serve();
  const cwd = folder({ 'acme.yaml': help('') });
  const apply = async (text: string) => {
    writeFileSync(join(cwd, 'acme.yaml'), text);
    const { code, stderr } = await octavo(['apply', '--auto-approve'], { cwd, env });
    expect(code, stderr).toBe(0);
    return isLive(cwd, env);
  };
  expect(await apply(help(''))).toBe(false);
  expect(await apply(help(live))).toBe(true);
  expect(await apply(help(''))).toBe(true);
  expect(await apply(help('').replace('was: []', 'type: premium\n    lifecycle: { protect: false }'))).toBe(
    false,
  );
  expect(await apply(help(live))).toBe(true);
  expect(await apply(help('    published: false\n'))).toBe(false);
});

test('exports published only if the service has this field', async () => {
  for (const form of ['document', '2026'] as const) {
    const env = await serve({}, form);
    const cwd = folder({ 'acme.yaml': help('') });
    expect((await octavo(['apply', '--auto-approve'], { cwd, env })).code).toBe(0);
    const out = folder({});
    await octavo(['export', '--organization', 'acme', '--out', out], { cwd: out, env });
    const files = readdirSync(out, { recursive: true, encoding: 'utf8' }).filter((name) =>
      name.endsWith('.yaml'),
    );
    const text = files.map((name) => readFileSync(join(out, name), 'utf8')).join('');
    expect(text).toContain('title: Help');
    expect(text.includes('published: false')).toBe(form === '2026');
    const wrong = folder({ 'acme.yaml': help(live) });
    const planned = await octavo(['plan'], { cwd: wrong, env });
    expect(planned.stderr.includes('this service has no field published for sites')).toBe(
      form === 'document',
    );
  }
});
