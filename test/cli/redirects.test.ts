/** Redirects from the command line: validation, warnings, and suggestions in plans. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Variants } from '../../src/server/variants.ts';
import { seed } from '../support/harness.ts';
import { folder, octavo } from './octavo.ts';
import { served } from './served.ts';

const head = 'octavo: 1\norganization: { id: org_acme }\n';

async function serve(variants: Partial<Variants> = {}) {
  const { env } = await served({ seed, variants, form: '2026' });
  return env;
}

interface Made {
  readonly path?: string;
  readonly redirects?: string;
  readonly more?: string;
}

/** A site with two sections; `path` is the path of the first one. */
function hub({ path = 'guides', redirects = '', more = '' }: Made = {}): string {
  return `${head}${more}sites:
  help:
    title: Help
    was: []
    visibility: unlisted
    sections:
      first: { title: First, path: ${path}, was: [], spaces: { en: { space: { id: sp_guide }, path: en } } }
      second: { title: Second, path: api, was: [], spaces: { en: { space: { id: sp_reference }, path: en } } }
${redirects}`;
}

const apply = (cwd: string, env: Record<string, string>) => octavo(['apply', '--auto-approve'], { cwd, env });

test.each([
  ['guides: { to: first }', 'begin with /'],
  ['/: { to: first }', 'not the root alone'],
  ['"/*": { to: first }', 'not the root alone'],
  ['/a*b: { to: first }', 'one * at the very end'],
  ['/a?b=1: { to: first }', 'no query'],
  ['"https://acme.dev/a": { to: first }', 'no host'],
  ['/a b: { to: first }', 'write only the path'],
  ['/a: { to: frist }', 'did you mean first?'],
  ['/a: { to: en }', 'sites/help/sections/first/spaces/en'],
  ['/a: { to: /guides }', 'key of a section or site-space, or a URL'],
  ['/a: { to: "ftp://acme.dev/" }', 'key of a section or site-space, or a URL'],
  ['/a: { to: "https://" }', 'key of a section or site-space, or a URL'],
  ['/a: { page: 3 }', 'page'],
])('%s is rejected at its position', async (line, help) => {
  const cwd = folder({ 'acme.yaml': hub({ redirects: `    redirects:\n      ${line}\n` }) });
  const { code, stderr } = await octavo(['validate'], { cwd });
  expect(code).toBe(1);
  expect(stderr).toContain('acme.yaml:12:');
  expect(stderr.replace(/\s+/g, ' ')).toContain(help);
});

test.each([
  ['/a: { permanent: true }', 'it has no target'],
  ['/a: { to: first, page: p1 }', 'only a site-space has pages'],
  ['/a: { to: "https://acme.dev/", page: p1 }', 'only a site-space has pages'],
  ['/a: { to: { id: sect_nowhere } }', 'there is no section or site-space sect_nowhere'],
])('%s is rejected without exactly one target', async (line, text) => {
  const env = await serve();
  const cwd = folder({ 'acme.yaml': hub() });
  expect((await apply(cwd, env)).code).toBe(0);
  writeFileSync(join(cwd, 'acme.yaml'), hub({ redirects: `    redirects:\n      ${line}\n` }));
  const { code, stdout, stderr } = await octavo(['plan'], { cwd, env });
  expect(code).not.toBe(0);
  expect(`${stdout}${stderr}`.replace(/\s+/g, ' ')).toContain(text);
});

test('a plan suggests redirects that keep the former path working', async () => {
  const env = await serve();
  const cwd = folder({ 'acme.yaml': hub() });
  expect((await apply(cwd, env)).code).toBe(0);
  writeFileSync(join(cwd, 'acme.yaml'), hub({ path: 'docs' }));
  const { stdout } = await octavo(['plan'], { cwd, env });
  const [, lines = ''] = /add to redirects of sites\/help:\n([\s\S]*?)\n\n/.exec(stdout) ?? [];
  expect(lines).toBe('      /guides: { to: first }\n      /guides/*: { to: first, wildcard: true }');
  const redirects = `    redirects:\n${lines}\n`;
  writeFileSync(join(cwd, 'acme.yaml'), hub({ path: 'docs', redirects }));
  const planned = await octavo(['plan'], { cwd, env });
  expect(planned.stdout).not.toContain('stop working');
  expect((await octavo(['validate'], { cwd, env })).stderr).not.toContain('warning');
  expect((await apply(cwd, env)).code).toBe(0);
  const sites = JSON.parse(
    (await octavo(['api', 'sites.list', 'organizationId=org_acme'], { cwd, env })).stdout,
  );
  const id = sites.items.find(({ title }: { title: string }) => title === 'Help').id;
  for (const [source, target] of [
    ['/guides', '/docs'],
    ['/guides/en', '/docs/en'],
    ['/guides/en/start', '/docs/en/start'],
  ]) {
    const ask = ['api', 'redirects.resolve', 'organizationId=org_acme', `siteId=${id}`, `source=${source}`];
    const answer = JSON.parse((await octavo(ask, { cwd, env })).stdout);
    expect(new URL(answer.target).pathname.endsWith(`${id}${target}`), source).toBe(true);
  }
});

test('drift of live and draft redirects is accepted and exported', async () => {
  const env = await serve();
  const redirects =
    '    redirects:\n      /old: { to: first }\n      /away: { to: "https://acme.dev/" }\n    draftRedirects: {}\n';
  const cwd = folder({ 'acme.yaml': hub({ redirects }) });
  expect((await apply(cwd, env)).code).toBe(0);
  const send = async (operation: string, ...args: readonly string[]) =>
    JSON.parse((await octavo(['api', operation, 'organizationId=org_acme', ...args], { cwd, env })).stdout);
  const { items: sites } = await send('sites.list');
  const site = `siteId=${sites.find(({ title }: { title: string }) => title === 'Help').id}`;
  const { items: live } = await send('redirects.list', site);
  const old = live.find(({ source }: { source: string }) => source === '/old').id;
  const outside = (url: string) => [
    '--field',
    'destination.kind=external',
    '--field',
    `destination.url=${url}`,
  ];
  await send('redirects.update', site, `siteRedirectId=${old}`, ...outside('https://evil.example/'));
  await send(
    'redirects.create',
    site,
    '--field',
    'source=/soon',
    '--field',
    'draft=true',
    ...outside('https://acme.dev/soon'),
  );
  const shown = await octavo(['drift'], { cwd, env });
  expect(shown.stdout).toContain('https://evil.example/');
  const accepted = await octavo(['drift', '--accept'], { cwd, env });
  expect(accepted.code, accepted.stderr).toBe(0);
  const again = await octavo(['plan'], { cwd, env });
  expect(again.stdout).toContain('No changes');
  const out = folder({});
  const exported = await octavo(['export', '--organization', 'org_acme', '--out', out], { cwd: out, env });
  expect(exported.code, exported.stderr).toBe(0);
  const files = readdirSync(out, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.yaml'),
  );
  const text = files.map((name) => readFileSync(join(out, name), 'utf8')).join('');
  for (const source of ['/away:', '/old:', '/soon:', 'draftRedirects:']) expect(text).toContain(source);
});

test('validate warns about redirects of used paths, and loops', async () => {
  const redirects = `    proxy: acme.dev/docs
    redirects:
      /guides: { to: second }
      /a: { to: "https://acme.dev/docs/b" }
      /b: { to: "https://acme.dev/docs/c" }
      /c/*: { to: "https://acme.dev/docs/d" }
      /c: { to: "https://acme.dev/docs/a" }
      /x: { to: "https://other.dev/x" }
      /y: { to: "https://other.dev/z" }
      /z: { to: "https://other.dev/y" }
`;
  const cwd = folder({ 'acme.yaml': hub({ redirects }) });
  const text = (await octavo(['validate'], { cwd })).stderr.replace(/\s+/g, ' ');
  expect(text).toContain(
    'warning[redirected-path]: sites/help/sections/first has the address that is redirected',
  );
  expect(text).toContain('redirect loop: /a → /b → /c → /a');
  expect(text).toContain('redirect loop: /y → /z → /y, if other.dev is the host of the site');
  expect(text.match(/redirect loop/g)).toHaveLength(2);
});

test.each(['dangles', 'goes'] as const)(
  'redirects are changed before their target is deleted (%s)',
  async (way) => {
    const env = await serve({ 'redirect-target': way });
    const redirects = (key: string) =>
      `    redirects:\n      /a: { to: ${key} }\n      /b/*: { to: ${key} }\n`;
    const cwd = folder({ 'acme.yaml': hub({ redirects: redirects('second') }) });
    expect((await apply(cwd, env)).code).toBe(0);
    const shorter = hub({
      redirects: redirects('first'),
      more: 'settings: { prune: unlisted, limits: { deletes: null, deletePercent: null } }\n',
    })
      .split('\n')
      .filter((line) => !line.includes('second:'))
      .join('\n');
    writeFileSync(join(cwd, 'acme.yaml'), shorter);
    const applied = await apply(cwd, env);
    expect(applied.code, applied.stderr).toBe(0);
    expect((await octavo(['plan'], { cwd, env })).stdout).toContain('No changes');
  },
);

test('neither drafts nor undo plans suggest redirects', async () => {
  const env = await serve();
  const draft = (path: string) => hub({ path }).replace('title: First,', 'title: First, draft: true,');
  const cwd = folder({ 'acme.yaml': draft('guides') });
  expect((await apply(cwd, env)).code).toBe(0);
  writeFileSync(join(cwd, 'acme.yaml'), draft('docs'));
  expect((await octavo(['plan'], { cwd, env })).stdout).not.toContain('stop working');
  writeFileSync(join(cwd, 'acme.yaml'), draft('guides').replace('draft: true', 'draft: false'));
  expect((await apply(cwd, env)).code).toBe(0);
  writeFileSync(join(cwd, 'acme.yaml'), hub({ path: 'docs' }));
  expect((await apply(cwd, env)).stdout).toContain('add to redirects');
  const undone = await octavo(['undo', '--auto-approve'], { cwd, env });
  expect(undone.code, undone.stderr).toBe(0);
  expect(undone.stdout).toContain('links to the former path stop working');
  expect(undone.stdout).not.toContain('add to redirects');
});
