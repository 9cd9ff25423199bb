/** `octavo access`: the current access level of each person, and its source. */
import { cpSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { octavo, root } from './octavo.ts';

let made: Promise<string> | undefined;

/** A workspace in which the whole example is applied, optionally with another manifest. */
async function applied(manifest?: string): Promise<string> {
  const cwd = mkdtempSync(join(tmpdir(), 'octavo-access-'));
  cpSync(join(root, 'examples/access'), cwd, { recursive: true });
  if (manifest !== undefined) writeFileSync(join(cwd, 'octavo.yaml'), manifest);
  const args = ['apply', '--auto-approve', '--base-url', 'local:access.db', '--seed', 'seed.json'];
  expect(await octavo(args, { cwd })).toMatchObject({ code: 0 });
  return cwd;
}

const workspace = (): Promise<string> => {
  made ??= applied();
  return made;
};

const access = async (...args: string[]) =>
  octavo(['access', '--base-url', 'local:access.db', ...args], { cwd: await workspace() });

const onboarding = 'collections/handbook/spaces/onboarding';

test('lists each person with their level and its source', async () => {
  const { stdout, code } = await access();
  expect(code).toBe(0);
  expect(stdout).toContain(
    `ben@acme.dev          edit     ${onboarding}  read   level of everyone on collections/handbook\n`,
  );
  expect(stdout).toContain(`${onboarding}  edit   granted to teams/writers on collections/handbook\n`);
  expect(stdout).toMatch(/\n4 people, 2 objects\.\n$/);
});

test('reports the source of a level as unknown if a site may also give it', async () => {
  const example = readFileSync(join(root, 'examples/access/octavo.yaml'), 'utf8');
  const shown = (level: string) =>
    example.replace(
      /(Developer Hub)\n.*/,
      `$1\n    defaultLevel: ${level}\n    spaces: { start: { space: onboarding } }`,
    );
  for (const [level, from] of [
    ['read', 'not shown by the service'],
    ['inherit', 'level of everyone on collections/handbook'],
  ] as const) {
    const args = ['access', '--base-url', 'local:access.db', '--of', 'ben@acme.dev', '--format', 'json'];
    const { stdout } = await octavo(args, { cwd: await applied(shown(level)) });
    expect(JSON.parse(stdout).rows).toMatchObject([{ on: onboarding, level: 'read', from }]);
  }
});

test('separates levels granted on the object from inherited ones in JSON', async () => {
  const { stdout } = await access('--format', 'json', '--of', 'cleo@acme.dev');
  expect(JSON.parse(stdout)).toEqual({
    format: 1,
    rows: [
      {
        organization: 'org_acme',
        person: 'cleo@acme.dev',
        role: 'comment',
        on: onboarding,
        level: 'edit',
        source: 'inherited',
        from: 'granted to teams/writers on collections/handbook',
        declared: ['collections/handbook.access.teams.writers', 'teams/writers.members.cleo@acme.dev'],
      },
    ],
  });
});

test('says what octavo history tells about one level of one person', async () => {
  const since = async (person: string) => {
    const { stdout } = await access('--of', person, '--to', onboarding);
    return [...stdout.matchAll(/octavo history (.*)/g)].map(([, address = '']) => address);
  };
  expect(await since('cleo@acme.dev')).toEqual([
    'collections/handbook.access.teams.writers',
    'teams/writers.members.cleo@acme.dev',
  ]);
  expect(await since('ben@acme.dev')).toEqual(['collections/handbook.defaultLevel']);
  // No manifest declares the role.
  expect(await since('ada@acme.dev')).toEqual([]);
  for (const address of [...(await since('cleo@acme.dev')), ...(await since('ben@acme.dev'))]) {
    const { code, stderr } = await octavo(['history', address], { cwd: await workspace() });
    expect([address, code, stderr]).toEqual([address, 0, '']);
  }
  expect((await access('--of', 'ada@acme.dev')).stdout).not.toContain('octavo history');
});

test('shows the last day of access that ends', async () => {
  const example = readFileSync(join(root, 'examples/access/octavo.yaml'), 'utf8');
  const grant = (until: string) => `writers: { level: edit, until: ${until} }`;
  const member = 'cleo@acme.dev: { role: owner, until: 2099-06-30 }';
  const cwd = await applied(
    example.replace('writers: edit', grant('2099-12-31')).replace('cleo@acme.dev: owner', member),
  );
  const args = ['access', '--base-url', 'local:access.db', '--of', 'cleo@acme.dev'];
  expect((await octavo(args, { cwd })).stdout).toContain(
    'granted to teams/writers on collections/handbook, until 2099-06-30\n',
  );
  const { rows } = JSON.parse((await octavo([...args, '--format', 'json'], { cwd })).stdout);
  expect(rows).toMatchObject([{ on: onboarding, until: '2099-06-30' }]);
});

test('lists the people of an object or a collection, by address, title or id', async () => {
  const people = async (to: string) => {
    const { stdout } = await access('--to', to, '--format', 'csv');
    return stdout
      .trimEnd()
      .split('\r\n')
      .slice(1)
      .map((row) => row.split(',')[1]);
  };
  const everyone = ['ada@acme.dev', 'ben@acme.dev', 'cleo@acme.dev', 'owner@octavo.example'];
  expect(await people(onboarding)).toEqual(everyone);
  expect(await people('Salaries')).toEqual(['ada@acme.dev', 'owner@octavo.example']);
  expect(new Set(await people('collections/handbook'))).toEqual(new Set(everyone));
});

test('names the organization in each row of a CSV, so that files can be concatenated', async () => {
  const { stdout } = await access('--format', 'csv');
  const [columns = '', ...rows] = stdout.trimEnd().split('\r\n');
  expect(columns.split(',')[0]).toBe('organization');
  expect(rows.length).toBeGreaterThan(3);
  expect(rows.filter((row) => !row.startsWith('org_acme,'))).toEqual([]);
  // Text output omits the organization if there is only one.
  expect((await access()).stdout).not.toContain('org_acme');
});

test('writes an HTML page without scripts', async () => {
  expect(await access('--format', 'html=access.html')).toMatchObject({ code: 0 });
  const page = readFileSync(join(await workspace(), 'access.html'), 'utf8');
  expect(page).toContain('<td>granted to teams/writers on collections/handbook</td>');
  expect(page).not.toContain('<script');
});

test.each([
  [
    ['--of', 'bea@acme.dev'],
    'error[no-such-person]: bea@acme.dev is not a member of the organization\n  help: did you mean ben@acme.dev?',
  ],
  [
    ['--to', 'spaces/none'],
    'error[no-such-address]: spaces/none matches no object that anyone has access to',
  ],
])('rejects %j', async (args, message) => {
  const { stdout, stderr, code } = await access(...args);
  expect([stdout, code]).toEqual(['', 1]);
  expect(stderr).toContain(message);
});

test('escapes CSV cells that a spreadsheet would evaluate', async () => {
  const { accessCsv } = await import('../../src/report/results/access-review.ts');
  const row = {
    organization: '-acme',
    person: '=cmd()',
    role: 'guest',
    on: 'space "a,b"',
    level: 'read',
    source: 'unknown',
    from: '',
    declared: [],
  } as const;
  const organizations = [row.organization];
  expect(accessCsv({ organizations, rows: [row] }).split('\r\n')[1]).toBe(
    `'-acme,'=cmd(),guest,"space ""a,b""",read,unknown,,`,
  );
});
