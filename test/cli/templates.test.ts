/** Manifests with templates: accepting drift and pinning do not edit templates, and rendering expands them. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { folder, octavo } from './octavo.ts';
import { applied, local, retitle, send } from './plans.ts';

const text = `octavo: 1
templates:
  crew:
    inputs:
      title: { type: string }
    team:
      title: \${input:title}          # of the crew
  named:
    inputs: { title: { type: string } }
    team: { title: "Crew \${input:title}" }
  shelf:
    inputs: { title: { type: string } }
    collection:
      title: \${input:title}
      collections: { inner: { title: Inner }, other: { title: Other } }
organization: org_acme
teams:
  one: { use: crew, with: { title: One } }   # the first
  more: { use: crew, each: "\${yaml:crews.txt}" }
  three: { use: named, with: { title: Three } }
  four: { use: named, with: { title: Four }, title: Fourth }
  rest: { use: named, each: [{ key: five, title: Five }] }
collections:
  books: { use: shelf, with: { title: Books } }
`;
const list = '# all crews\n- { key: two, title: Two }\n- { key: six, title: Six }   # the sixth\n';

/** Applies the manifests, and pins the ids of all objects. */
async function setUp(): Promise<string> {
  const cwd = await applied(text, { 'crews.txt': list });
  expect(await octavo(['drift', '--pin'], { cwd, env: local })).toMatchObject({ code: 0 });
  return cwd;
}

const textIn = (cwd: string, name: string) => readFileSync(join(cwd, name), 'utf8');
const templatesIn = (all: string) => all.split('organization: org_acme')[0];

/** The changed lines of a file, without ids. */
function lines(cwd: string, name: string, before: string): readonly string[] {
  const now = textIn(cwd, name).split('\n');
  return now
    .filter((line) => !before.split('\n').includes(line))
    .map((line) => line.replace(/id: \S+, /, ''));
}

test('writes accepted titles into inputs, records or overrides, and never into the template', async () => {
  const cwd = await setUp();
  const [before, records] = [textIn(cwd, 'acme.yaml'), textIn(cwd, 'crews.txt')];
  const names = { One: 'Uno', Two: 'Duo', 'Crew Three': 'Tres', Fourth: 'Quattro', 'Crew Five': 'Cinque' };
  for (const [from, to] of Object.entries(names)) await retitle(cwd, from, to);
  const dry = await octavo(['drift', '--accept', '--dry-run'], { cwd, env: local });
  expect(dry.stdout).toContain('Would accept 5 differences in 2 files.');
  const ran = await octavo(['drift', '--accept'], { cwd, env: local });
  expect(ran).toMatchObject({ code: 0, stderr: '' });
  expect(lines(cwd, 'acme.yaml', before)).toEqual([
    '  one: { use: crew, with: { title: Uno } }   # the first',
    '  three: { use: named, with: { title: Three }, title: Tres }',
    '  four: { use: named, with: { title: Four }, title: Quattro }',
    '  rest: { use: named, each: [{ key: five, title: Five, override: { title: Cinque } }] }',
  ]);
  expect(lines(cwd, 'crews.txt', records)).toEqual(['- { key: two, title: Duo }']);
  expect((await octavo(['plan'], { cwd, env: local })).stdout).toContain('No changes.');
});

test('deletes an object of a template with an override, and a record with its line', async () => {
  const cwd = await setUp();
  const [before, records] = [textIn(cwd, 'acme.yaml'), textIn(cwd, 'crews.txt')];
  const base = ['--base', folder({ 'acme.yaml': before, 'crews.txt': records })];
  const { objects } = JSON.parse(
    (await octavo(['list', '--format', 'json'], { cwd, env: local })).stdout,
  ) as { objects: readonly { address: string; id: string }[] };
  const idOf = (address: string) => objects.find((one) => one.address === address)?.id ?? '';
  const inner = idOf('collections/books/collections/other');
  await send(cwd, 'collections.delete', `collectionId=${inner}`);
  await send(cwd, 'teams.delete', 'organizationId=org_acme', `teamId=${idOf('teams/six')}`);
  const ran = await octavo(['drift', ...base, '--accept'], { cwd, env: local });
  expect(ran).toMatchObject({ code: 0, stderr: '' });
  expect(templatesIn(textIn(cwd, 'acme.yaml'))).toBe(templatesIn(text));
  expect(textIn(cwd, 'acme.yaml')).toMatch(/other: null \} \}/);
  expect(textIn(cwd, 'crews.txt')).toMatch(/^# all crews\n- \{ id: \S+, key: two, title: Two \}\n$/);
  expect((await octavo(['plan', ...base], { cwd, env: local })).stdout).toContain('No changes.');
});

test('names the lines of the record and the template in a plan', async () => {
  const cwd = await setUp();
  writeFileSync(join(cwd, 'acme.yaml'), textIn(cwd, 'acme.yaml').replace('Crew ${input', 'The ${input'));
  const { stdout } = await octavo(['plan', '--format', 'json'], { cwd, env: local });
  const { organizations } = JSON.parse(stdout) as {
    organizations: readonly { steps: readonly { address: string; at: object }[] }[];
  };
  const steps = organizations.flatMap((one) => one.steps);
  expect(steps.find(({ address }) => address === 'teams/five')?.at).toMatchObject({
    file: 'acme.yaml',
    line: 10,
    usedAt: { file: 'acme.yaml', line: 22 },
  });
});

test('pins ids next to "use", in records and in overrides', async () => {
  const cwd = await setUp();
  const own = textIn(cwd, 'acme.yaml');
  expect(templatesIn(own)).toBe(templatesIn(text));
  expect(own).toMatch(/one: \{ id: \S+, use: crew, with: \{ title: One \} \} {3}# the first/);
  expect(own).toMatch(/five, title: Five \}/);
  expect(own).toMatch(/collections: \{ inner: \{ id: \S+ \}, other: \{ id: \S+ \} \}/);
  expect(textIn(cwd, 'crews.txt')).toMatch(/^# all crews\n- \{ id: \S+, key: two, title: Two \}$/m);
  expect((await octavo(['plan'], { cwd, env: local })).stdout).toContain('No changes.');
});

test('renders manifests with an empty plan, and rejects invalid ones', async () => {
  const cwd = await setUp();
  const rendered = await octavo(['render'], { cwd });
  expect(rendered).toMatchObject({ code: 0, stderr: '' });
  expect(rendered.stdout).not.toContain('use:');
  writeFileSync(join(cwd, 'acme.yaml'), rendered.stdout);
  expect((await octavo(['plan'], { cwd, env: local })).stdout).toContain('No changes.');
  writeFileSync(join(cwd, 'acme.yaml'), 'octavo: 1\norganization: org_acme\nteams: { a: { titel: A } }\n');
  expect(await octavo(['render'], { cwd })).toMatchObject({ code: 1, stdout: '' });
});
