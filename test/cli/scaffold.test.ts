/** `octavo scaffold`: skeletons of every kind are valid, whole or with all that is commented out, and go where they belong. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { kinds, registry } from '../../src/kinds/index.ts';
import { folder, octavo } from './octavo.ts';

const wordOf = (noun: string) => noun.toLowerCase().replaceAll(' ', '-');
const workspace = `octavo: 1
organization: { id: org_acme, title: Acme }
teams: { platform: { title: Platform } }
spaces: { guide: { id: sp_1, title: Guide } }
sites:
  hub: { title: Hub, sections: { start: { title: Start, spaces: { a: { space: guide } } } } }
  status: { title: Status, spaces: { a: { space: guide } } }
`;

async function validated(text: string, others: Readonly<Record<string, string>> = {}) {
  const cwd = folder({ ...others, 'new.yaml': text });
  const { stdout } = await octavo(['validate', '--format', 'json', '--lint', 'off'], { cwd });
  const { diagnostics } = JSON.parse(stdout) as {
    diagnostics: readonly { code: string; severity: string; message: string }[];
  };
  return diagnostics.filter(({ severity }) => severity === 'error');
}

/** The text with every field that is commented out. */
function uncommented(text: string): string {
  const names = kinds
    .flatMap(({ fields }) => Object.keys(fields).flatMap((name) => name.split('.')))
    .join('|');
  const isNested = (line: string) => /^\s*# {3,}/.test(line) || /^\s*# -/.test(line);
  return text
    .split('\n')
    .map((line) =>
      new RegExp(`^\\s*# (?:${names}):`).test(line) && !/see octavo|: list of {/.test(line)
        ? line.replace('# ', '')
        : isNested(line)
          ? line.replace('# ', '')
          : line,
    )
    .join('\n');
}

describe.each(kinds.map(({ noun }) => noun))('%s', (noun) => {
  test('is valid, alone and beside manifests', async () => {
    const { code, stdout } = await octavo(['scaffold', wordOf(noun)], { cwd: folder({}) });
    expect(code).toBe(0);
    expect(await validated(stdout), stdout).toEqual([]);
    const laidOut = await octavo(['fmt', '--check', '-'], { cwd: folder({}), input: stdout });
    expect(laidOut, laidOut.stderr).toMatchObject({ code: 0 });
    const cwd = folder({ 'acme.yaml': workspace });
    const under = registry.kinds
      .find((kind) => kind.noun === noun)
      ?.manifest.places.some(({ parent }) => parent === 'site')
      ? ['--under', 'sites/status']
      : [];
    const beside = await octavo(['scaffold', wordOf(noun), ...under], { cwd });
    if (noun.startsWith('section') || noun === 'link') {
      expect(beside).toMatchObject({ code: 1, stdout: '' });
      expect(beside.stderr).toContain(
        'sites/status has spaces, and spaces and sections of one site exclude each other',
      );
      return;
    }
    expect(beside).toMatchObject({ code: 0, stderr: '' });
    const found = (await validated(beside.stdout, { 'acme.yaml': workspace })).filter(
      ({ code: one }) => one !== 'declared-twice',
    );
    expect(found, beside.stdout).toEqual([]);
  });

  test('stays valid with everything that is commented out', async () => {
    const { stdout } = await octavo(['scaffold', wordOf(noun)], { cwd: folder({}) });
    const full = uncommented(stdout);
    const kind = registry.kinds.find((one) => one.noun === noun);
    for (const name of Object.keys(kind?.fields ?? {})) {
      const isKey = kind?.manifest.key?.is === 'field' && kind.manifest.key.field === name;
      if (!isKey && kind?.manifest.whole !== name)
        expect(full).toMatch(new RegExp(`^ *${name.replace(/^.*\./, '')}:`, 'm'));
    }
    const found = (await validated(full)).filter(
      // References and included files are elsewhere.
      ({ code }) => !['unknown-reference', 'missing-file', 'cannot-change'].includes(code),
    );
    expect(found, full).toEqual([]);
  });
});

test('goes under the only parent, the one that is named, and into a file as a document of its own', async () => {
  const cwd = folder({ 'acme.yaml': `${workspace}# the end` });
  const { code, stdout, stderr } = await octavo(
    ['scaffold', 'section', 'api', '--under', 'sites/hub', '--into', 'acme.yaml'],
    { cwd },
  );
  expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
  expect(stderr).toContain('Added to acme.yaml');
  const text = readFileSync(join(cwd, 'acme.yaml'), 'utf8');
  expect(text.startsWith(`${workspace}# the end\n---\n# A section of a site.`)).toBe(true);
  expect(text).toContain(
    '\norganization: org_acme\n\nsites:\n  hub:\n    sections:\n      api:\n        title: Api  # Title',
  );
  expect(text).toContain('space: guide');
  const { stdout: names } = await octavo(['list', '--offline', '--format', 'names', 'sites/hub/**'], { cwd });
  expect(names).toContain('sites/hub/sections/api/spaces/my-site-space\n');
  const again = await octavo(['scaffold', 'section', 'api', '--under', 'sites/hub'], { cwd });
  expect(again.stderr).toMatch(/sites\/hub\/sections\/api is declared in acme\.yaml:\d+/);
});

test('a new file, an organization that is matched, and several', async () => {
  const cwd = folder({ 'a.yaml': 'octavo: 1\norganization: { match: { hostname: acme } }\n' });
  await octavo(['scaffold', 'team', 'writers', '--into', 'teams.yaml'], { cwd });
  expect(readFileSync(join(cwd, 'teams.yaml'), 'utf8')).toContain(
    '\norganization:\n  match:\n    hostname: acme\n\nteams:\n  writers:\n',
  );
  writeFileSync(join(cwd, 'b.yaml'), 'octavo: 1\norganization: org_b\n');
  const several = await octavo(['scaffold', 'team', 'x'], { cwd });
  expect(several.stderr).toContain('the manifests declare 2 organizations');
  const one = await octavo(['scaffold', 'team', 'x', '--organization', 'org_b'], { cwd });
  expect(one.stdout).toContain('organization: org_b\n');
});

test.each([
  [['scaffold', 'sectoin'], 'did you mean section?'],
  [['scaffold', 'section'], '--under sites/hub'],
  [['scaffold', 'section', '--under', 'sites/hob'], 'did you mean sites/hub?'],
  [['scaffold', 'section', '--under', 'teams/platform'], 'pass the address of a site or section group'],
  [['scaffold', 'team', 'a/b'], 'for example octavo scaffold team my-team'],
  [['scaffold', 'member', 'ada'], 'for example octavo scaffold member ada@acme.dev'],
  [['scaffold', 'team', 'a', 'b'], 'pass one key'],
  [['scaffold', 'team', 'platform'], 'teams/platform is declared in acme.yaml:3'],
  [['scaffold', 'team', 'x', '--into', 'x.json'], 'name a .yaml file'],
  [['scaffold', 'organization', 'x'], 'leave them out'],
  [['scaffold', 'team', 'x', '--organization', 'org_x'], 'use one of org_acme'],
])('%j', async (args, text) => {
  const { code, stdout, stderr } = await octavo(args, { cwd: folder({ 'acme.yaml': workspace }) });
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toContain(text);
});

test('all kinds', async () => {
  const { stdout } = await octavo(['scaffold', '--list']);
  for (const { noun } of kinds) expect(stdout).toContain(wordOf(noun));
  expect((await octavo(['scaffold'])).stdout).toBe(stdout);
});
