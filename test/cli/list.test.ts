/** `octavo list`: lists declared objects, offline and with their live state. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { folder, manifest, octavo, root } from './octavo.ts';
import { applied, idOf, local, retitle, send, withTeams } from './plans.ts';

interface ListDocument {
  readonly objects: readonly { readonly address: string; readonly state: string; readonly id?: string }[];
  readonly counts: Readonly<Record<string, number>>;
}

const listed = async (args: readonly string[], cwd: string, env = {}): Promise<ListDocument> => {
  const ran = await octavo(['list', '--format', 'json', ...args], { cwd, env });
  expect(ran).toMatchObject({ code: 0 });
  return JSON.parse(ran.stdout) as ListDocument;
};
const states = ({ objects }: ListDocument) => objects.map(({ address, state }) => `${state} ${address}`);

test('lists declared objects with their position offline, filtered by collection and glob', async () => {
  const acme = join(root, 'examples/acme');
  const { objects, counts } = await listed(['--offline'], acme);
  expect(objects).toHaveLength(38);
  expect(counts).toEqual({ declared: 38 });
  expect(objects).toContainEqual({
    address: 'sites/developer-hub/sections/guides',
    noun: 'section',
    state: 'declared',
    place: 'sites.yaml:17',
    title: 'Guides',
  });
  const sections = await octavo(['list', 'sections', '--offline', '--format', 'names'], {
    cwd: acme,
  });
  expect(sections.stdout.split('\n').filter((line) => line !== '')).toHaveLength(5);
  const { stdout } = await octavo(['list', '--offline', 'sites/status/**', 'teams/writers'], { cwd: acme });
  expect(stdout).toBe(
    [
      'teams/writers             team        Technical writers  organization.yaml:31',
      'sites/status              site        Acme Status        sites.yaml:49',
      'sites/status/spaces/main  site-space  status             sites.yaml:53',
      '',
      '3 objects.',
      '',
    ].join('\n'),
  );
});

test('reports present, differing and missing objects as a plan does, and unmanaged ones if requested', async () => {
  const cwd = await applied(manifest);
  expect(states(await listed([], cwd, local))).toEqual([
    'present organization',
    'present teams/platform',
    'present teams/writers',
  ]);
  await retitle(cwd, 'Writers', 'Authors');
  await send(cwd, 'teams.create', 'organizationId=org_acme', '-F', 'title=Loose');
  const id = await idOf(cwd, 'Platform');
  const writers = await idOf(cwd, 'Authors');
  writeFileSync(
    join(cwd, 'acme.yaml'),
    withTeams({
      platform: '{ title: Platform }',
      writers: `{ id: ${writers}, title: Writers }`,
      next: '{ title: Next }',
    }),
  );
  const now = await listed([], cwd, local);
  expect(states(now)).toEqual([
    'present organization',
    'present teams/platform',
    'differs teams/writers',
    'missing teams/next',
  ]);
  expect(now.objects[1]?.id).toBe(id);
  expect(now.counts).toEqual({ present: 2, differs: 1, missing: 1 });
  const all = await listed(['--show', 'unmanaged', 'teams'], cwd, local);
  expect(states(all).at(-1)).toMatch(/^unmanaged teams\//);
  expect(states(await listed(['teams/n*'], cwd, local))).toEqual(['missing teams/next']);
  const { stdout } = await octavo(['list'], { cwd, env: local });
  expect(stdout).toMatch(/^present {2}organization {4}organization {2}Acme/);
  expect(stdout).toMatch(/\n4 objects: 2 present, 1 differs, 1 missing\.\n$/);
});

test('prefixes addresses with the label of the organization if there are several', async () => {
  const cwd = folder({
    'a.yaml': 'octavo: 1\norganization: { id: org_a }\nteams: { x: { title: Team X } }\n',
    'b.yaml': 'octavo: 1\norganization: { id: org_b }\nteams: { x: { title: Team X } }\n',
  });
  const { stdout } = await octavo(['list', '--offline', '--format', 'names', 'teams'], { cwd });
  expect(stdout).toBe('org_a/teams/x\norg_b/teams/x\n');
});

test.each([
  [['teams/writer', '--offline'], 'teams/writer matches no address', 'did you mean teams/writers?'],
  [['teams/writer'], 'teams/writer matches no address', 'did you mean teams/writers?'],
  [['sectoins', '--offline'], 'sectoins matches no address', 'addresses are paths of keys'],
  [['--show', 'unmanaged', '--offline'], '--show unmanaged needs the service', 'leave out --offline'],
])('rejects %j', async (args, message, help) => {
  const cwd = folder({ 'acme.yaml': manifest });
  const { code, stdout, stderr } = await octavo(['list', ...args], {
    cwd,
    env: { OCTAVO_BASE_URL: 'local' },
  });
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toContain(message);
  expect(stderr).toContain(help);
});

test('reports live objects of each kind as present, including kinds without ids', async () => {
  const cwd = folder({});
  const env = { OCTAVO_BASE_URL: 'local:acme.db' };
  const exported = await octavo(
    ['export', '--organization', 'org_acme', '--out', 'docs', '--seed', 'sample'],
    {
      cwd,
      env,
    },
  );
  expect(exported.code).toBe(0);
  const { objects, counts } = await listed(['-f', 'docs'], cwd, env);
  expect(new Set(objects.map(({ address }) => address.split('/')[0])).size).toBeGreaterThan(8);
  expect(counts).toEqual({ present: objects.length });
});

test('matches all objects of a collection by its name, at any depth', async () => {
  const acme = join(root, 'examples/acme');
  const all = await listed(['--offline'], acme);
  for (const [name, kind] of [
    ['teams', 'team'],
    ['sections', 'section'],
    ['shareLinks', 'share link'],
  ] as const) {
    const { objects } = await listed(['--offline', name], acme);
    expect(objects.length).toBeGreaterThan(0);
    expect(objects).toEqual(
      expect.arrayContaining(all.objects.filter((one) => (one as { noun?: string }).noun === kind)),
    );
  }
  expect((await octavo(['list', '--offline', 'robots'], { cwd: acme })).stderr).toContain(
    'robots matches no address',
  );
});
