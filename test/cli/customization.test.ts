/** Customization of sites: values that a manifest does not set are kept, even if someone changes them between plan and apply. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Form } from '../../src/contract/form.ts';
import type { Seed } from '../../src/server/index.ts';
import type { Variants } from '../../src/server/variants.ts';
import { seed } from '../support/harness.ts';
import { folder, octavo } from './octavo.ts';
import { served } from './served.ts';

type Json = Readonly<Record<string, unknown>>;

const seeded: Seed = {
  ...seed,
  organizations: seed.organizations.map((one) => ({
    ...one,
    sites: [
      {
        id: 'site_hub',
        title: 'Developer Hub',
        customization: {
          styling: { theme: 'muted', corners: 'circular', added: { by: ['others'] } },
          favicon: { icon: { light: 'https://acme.dev/icon.png' } },
          unknown: { part: null, list: [1, { a: 2 }] },
        },
      },
      { id: 'site_blog', title: 'Blog' },
    ],
  })),
};

async function serve(variants: Partial<Variants> = {}, form: Form = '2026') {
  const { env, send } = await served({ seed: seeded, form, variants });
  const path = 'orgs/org_acme/sites/site_hub/customization';
  const shown = (): Promise<Json> => send('GET', path);
  const click = async (change: (whole: Record<string, Json>) => Json) =>
    send('PUT', path, change({ ...((await shown()) as Record<string, Json>) }));
  return { env, shown, click };
}

const hub = (customization: string) => `octavo: 1
organization: { id: org_acme }
sites:
  hub:
    id: site_hub
    customization: ${customization}
`;

const apply = (cwd: string, env: Record<string, string>, ...more: readonly string[]) =>
  octavo(['apply', '--auto-approve', ...more], { cwd, env });

test('keeps values that the manifest does not set, known or unknown', async () => {
  const { env, shown } = await serve();
  const before = await shown();
  const cwd = folder({ 'acme.yaml': hub('{ styling: { theme: bold }, footer: { copyright: © Acme } }') });
  expect(await apply(cwd, env)).toMatchObject({ code: 0 });
  const { updatedAt: _then, ...was } = before;
  const { updatedAt: _now, ...is } = await shown();
  expect(is).toEqual({
    ...was,
    styling: { ...(was.styling as Json), theme: 'bold' },
    footer: { ...(was.footer as Json), copyright: '© Acme' },
  });
  expect((await octavo(['plan'], { cwd, env })).stdout).toContain('No changes');
});

test('rejects a stale plan if someone changed a known value, and keeps changes of unknown ones', async () => {
  const { env, shown, click } = await serve();
  const cwd = folder({ 'acme.yaml': hub('{ styling: { theme: bold } }') });
  const save = () => octavo(['plan', '--out', 'plan.json'], { cwd, env });
  const applySaved = () => octavo(['apply', 'plan.json', '--auto-approve'], { cwd, env });
  expect(await save()).toMatchObject({ code: 0 });
  await click((whole) => ({ ...whole, feedback: { enabled: true } }));
  const stale = await applySaved();
  expect(stale.code).not.toBe(0);
  expect(stale.stderr).toContain('feedback.enabled was false and is true now');
  expect(await shown()).toMatchObject({ styling: { theme: 'muted' } });

  expect(await save()).toMatchObject({ code: 0 });
  await click((whole) => ({ ...whole, unknown: { part: 'clicked' } }));
  expect(await applySaved()).toMatchObject({ code: 0 });
  expect(await shown()).toMatchObject({ styling: { theme: 'bold' }, unknown: { part: 'clicked' } });
});

test('fails the step if the service ignores or rejects a value, and plans it again', async () => {
  for (const way of ['ignored', 'rejected'] as const) {
    const { env, shown } = await serve({ 'customization-values': way });
    const cwd = folder({ 'acme.yaml': hub('{ styling: { theme: brutal }, feedback: { enabled: true } }') });
    const { code, stdout, stderr } = await apply(cwd, env);
    const text = `${stdout}${stderr}`.replace(/\s+/g, ' ');
    expect(code).not.toBe(0);
    expect(text).toContain(
      way === 'ignored'
        ? 'the service did not store styling.theme: sent "brutal", has "muted"'
        : 'body.styling.theme: not available',
    );
    expect(await shown()).toMatchObject({ feedback: { enabled: way === 'ignored' } });
    expect((await octavo(['plan'], { cwd, env })).stdout).toContain('muted → brutal');
  }
});

test('replaces an icon by an emoji, and undoes it; rejects both together', async () => {
  const { env, shown } = await serve();
  const before = await shown();
  const cwd = folder({
    'acme.yaml': hub(
      '{ favicon: { emoji: 👋 }, announcement: { enabled: true, message: Hi }, styling: { corners: straight } }',
    ),
  });
  expect(await apply(cwd, env)).toMatchObject({ code: 0 });
  expect((await shown()).favicon).toEqual({ emoji: '👋' });
  expect(await octavo(['undo', '--auto-approve'], { cwd, env })).toMatchObject({ code: 0 });
  expect({ ...(await shown()), updatedAt: '' }).toEqual({ ...before, updatedAt: '' });
  writeFileSync(join(cwd, 'acme.yaml'), hub('{ favicon: { emoji: 👋, icon: { dark: "https://x.test/" } } }'));
  expect((await octavo(['plan'], { cwd, env })).stderr).toContain('a favicon is an emoji or an icon');
});

test('removes keys of an exact mapping that the manifest lacks', async () => {
  const { env, shown, click } = await serve();
  const to = { kind: 'url', url: 'https://acme.dev/' };
  await click((whole) => ({
    ...whole,
    header: { ...whole.header, primaryLink: { title: 'Old', to: { ...to, more: 1 }, condition: 'x' } },
    styling: { ...whole.styling, font: { family: 'Acme', files: { bold: 'b', thin: 't' } } },
  }));
  const cwd = folder({
    'acme.yaml': hub(
      '{ header: { primaryLink: { title: New, to: { kind: url, url: "https://acme.dev/" } } }, styling: { font: { family: Acme, files: { bold: b } } } }',
    ),
  });
  expect(await apply(cwd, env)).toMatchObject({ code: 0 });
  const { header, styling } = (await shown()) as Record<string, Json>;
  expect(header?.primaryLink).toEqual({ title: 'New', to });
  expect(styling?.font).toEqual({ family: 'Acme', files: { bold: 'b' } });
  expect((await octavo(['plan'], { cwd, env })).stdout).toContain('No changes');
  expect(await octavo(['undo', '--auto-approve'], { cwd, env })).toMatchObject({ code: 0 });
  expect(((await shown()) as Record<string, Json>).header?.primaryLink).toMatchObject({ condition: 'x' });
});

test('exports only changed customizations, and accepts drift value by value', async () => {
  const { env, click } = await serve();
  const cwd = folder({});
  const { stdout } = await octavo(['export', '--organization', 'acme'], { cwd, env });
  expect(stdout.match(/customization:/g)).toHaveLength(1);
  expect(stdout).toContain('theme: muted');
  expect(stdout).not.toContain('unknown');
  writeFileSync(join(cwd, 'acme.yaml'), stdout);
  expect((await octavo(['plan'], { cwd, env })).stdout).toContain('No changes');

  const own = folder({
    'acme.yaml': hub('\n      styling:\n        theme: muted # calm\n        search: subtle'),
  });
  expect(await apply(own, env)).toMatchObject({ code: 0 });
  await click((whole) => ({ ...whole, styling: { ...whole.styling, theme: 'gradient' } }));
  const drift = await octavo(['drift'], { cwd: own, env });
  expect(drift.stdout).toContain('styling.theme gradient → muted');
  expect(await octavo(['drift', '--accept'], { cwd: own, env })).toMatchObject({ code: 0 });
  expect(readFileSync(join(own, 'acme.yaml'), 'utf8')).toContain(
    '      styling:\n        theme: gradient # calm\n        search: subtle',
  );
});

test('restores the customization of a deleted site by undo, and counts only changed ones as deleted', async () => {
  const { env, shown } = await serve();
  const cwd = folder({
    'acme.yaml':
      'octavo: 1\norganization: { id: org_acme }\nsettings: { prune: unlisted, protect: ["!**"] }\nsites: {}\n',
  });
  const before = await shown();
  const planned = await octavo(['plan'], { cwd, env });
  expect(planned.stdout.match(/also deletes customization/g)).toHaveLength(1);
  expect(await apply(cwd, env)).toMatchObject({ code: 0 });
  const undone = await octavo(['undo', '--auto-approve'], { cwd, env });
  expect(undone, undone.stderr).toMatchObject({ code: 0 });
  const { stdout } = await octavo(['export', '--organization', 'acme'], { cwd, env });
  expect(stdout).toContain('corners: circular');
  expect(stdout).toContain('theme: muted');
  expect(before).toMatchObject({ styling: { theme: 'muted' } });
});

test('rejects customization if the service has none, and does not read it without need', async () => {
  const { env } = await serve({}, 'document');
  const cwd = folder({ 'acme.yaml': hub('{ styling: { theme: bold } }') });
  const { code, stderr } = await octavo(['plan'], { cwd, env });
  expect(code).toBe(1);
  expect(stderr).toContain('this service has no customizations');
  expect(stderr).toContain('acme.yaml:6:');
  const newer = await serve();
  writeFileSync(join(cwd, 'acme.yaml'), hub('{}').replace('    customization: {}\n', ''));
  const quiet = await octavo(['plan', '--verbose'], { cwd, env: newer.env });
  expect(quiet.stderr).not.toContain('customization');
});

test('shows the changed values and the read-modify-write call in the plan', async () => {
  const { env } = await serve();
  const cwd = folder({ 'acme.yaml': hub('{ styling: { theme: bold } }') });
  const { stdout } = await octavo(['plan', '--format', 'json'], { cwd, env });
  const [step] = JSON.parse(stdout).organizations[0].steps;
  expect(step.fields).toMatchObject([{ field: 'styling.theme', before: 'muted', after: 'bold' }]);
  expect(step.calls).toEqual([
    {
      operation: 'sites.putCustomization',
      params: { organizationId: 'org_acme', siteId: 'site_hub' },
      body: { styling: { theme: 'bold' } },
      mergedInto: 'sites.getCustomization',
    },
  ]);
  for (const format of ['markdown', 'html']) {
    const shown = await octavo(['plan', '--format', format], { cwd, env });
    expect(shown.stdout).toContain('styling.theme');
  }
});
