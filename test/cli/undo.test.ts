/** `octavo undo` from the command line: the choice of the run, output, saved undos, and advice about git. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { folder, manifest, octavo, type Ran, type RunOptions } from './octavo.ts';
import { applied, local, madeOnce, planIn, schemaErrors, send, titles, withTeams } from './plans.ts';

const renamed = withTeams(
  { platform: '{ title: Infrastructure, was: Platform }', editors: '{ title: Editors, was: [] }' },
  'settings: { prune: unlisted, limits: { deletes: 5, deletePercent: null } }\n',
);

const undo = (cwd: string, args: readonly string[] = [], options: RunOptions = {}): Promise<Ran> =>
  octavo(['undo', ...args], { cwd, env: local, ...options });

/** A terminal without a spinner. */
const atTerminal = { isTerminal: true, env: { ...local, CI: '1' } };

/** The runs of a folder, oldest first. */
function runs(cwd: string): readonly string[] {
  return readdirSync(join(cwd, '.octavo/journal'))
    .map((name) => name.replace('.ndjson', ''))
    .sort();
}

test('escapes control characters in a journal of another machine', async () => {
  const cwd = await twice();
  const file = join(cwd, '.octavo/journal', `${runs(cwd)[1]}.ndjson`);
  const [first = '', ...rest] = readFileSync(file, 'utf8').split('\n');
  const header = { ...(JSON.parse(first) as object), host: 'a\u001b[31mb\u202e', command: 'apply\u001b[2J' };
  writeFileSync(file, [JSON.stringify(header), ...rest].join('\n'));
  const { stderr } = await undo(cwd, ['--out', 'undo.json']);
  expect(stderr).toContain('Undoing run');
  expect(['\u001b', '\u202e'].filter((sign) => stderr.includes(sign))).toEqual([]);
});

/** A folder in which one run created two teams, and a second one renamed the first, deleted the second and created a third. */
function twice(): Promise<string> {
  return madeOnce('twice', async () => {
    const cwd = await applied();
    writeFileSync(join(cwd, 'acme.yaml'), renamed);
    expect(await octavo(['apply', '--auto-approve'], { cwd, env: local })).toMatchObject({ code: 0 });
    expect(await titles(cwd)).toEqual(['Editors', 'Infrastructure']);
    return cwd;
  });
}

test('reverts the last run, then the run before it, and a run again whose undo was undone', async () => {
  const cwd = await twice();
  const [, run = ''] = runs(cwd);
  const ran = await undo(cwd, ['--auto-approve']);
  expect(ran).toMatchObject({ code: 0 });
  expect(ran.stdout).toContain(`Undo of run ${run}`);
  expect(ran.stdout).toMatch(/Applied: 1 created, 1 updated, 0 moved, 0 replaced, 1 deleted\./);
  expect(ran.stderr).toMatch(new RegExp(`^Undoing run ${run} \\(octavo apply on \\S+, 20`));
  expect(ran.stderr).toContain('team is created again: what the team gave its members access to is lost');
  expect(ran.stderr).toContain(`The manifests still declare what run ${run} applied: change them back`);
  expect(await titles(cwd)).toEqual(['Platform', 'Writers']);
  const [first = '', , undone = ''] = runs(cwd);
  const back = await undo(cwd, [undone, '--auto-approve']);
  expect(back).toMatchObject({ code: 0, stderr: expect.stringContaining(`Undoing run ${undone} `) });
  const again = await undo(cwd, ['--auto-approve']);
  expect(again).toMatchObject({ code: 0, stderr: expect.stringContaining(`Undoing run ${run} `) });
  const before = await undo(cwd, ['--auto-approve']);
  expect(before).toMatchObject({ code: 0, stderr: expect.stringContaining(`Undoing run ${first} `) });
  expect(await undo(cwd)).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/nothing to undo: [\s\S]*that\s+is\s+not\s+undone/),
  });
});

test('reverts an undo or an older run by its id', async () => {
  const cwd = await twice();
  await undo(cwd, ['--auto-approve']);
  const [first = '', second = '', third = ''] = runs(cwd);
  const redo = await undo(cwd, [third, '--auto-approve']);
  expect(redo).toMatchObject({ code: 0 });
  expect(redo.stderr).toContain(`the undo of ${second})`);
  expect(redo.stderr).toContain(`If the commit of run ${second} was reverted in git, restore it`);
  expect(await titles(cwd)).toEqual(['Editors', 'Infrastructure']);
  // Objects that a later run changed are conflicts; the others are reverted.
  const older = await undo(cwd, [first], { ...atTerminal, input: 'no\n' });
  expect(older.code).toBe(1);
  expect(older.stdout).toContain('teams/platform');
  expect(await titles(cwd)).toEqual(['Editors', 'Infrastructure']);
});

test('saves an undo, which show and apply accept like any other plan', async () => {
  const cwd = await twice();
  const saved = await undo(cwd, ['--out', 'undo.json', '--detailed-exitcode']);
  expect(saved.code).toBe(2);
  expect(saved.stderr).toContain('Saved as undo.json; apply it with: octavo apply undo.json');
  expect(schemaErrors(planIn(cwd, 'undo.json'))).toEqual([]);
  expect((await octavo(['show', 'undo.json'], { cwd })).stdout).toBe(saved.stdout);
  expect(await titles(cwd)).toEqual(['Editors', 'Infrastructure']);
  const recorded = await octavo(['apply', 'undo.json', '--record'], { cwd, env: local });
  expect(recorded.stderr).toContain('error[plan-file]: an undo (of run r-');
  const done = await octavo(['apply', 'undo.json'], { cwd, env: local });
  expect(done).toMatchObject({ code: 0 });
  expect(done.stderr).not.toContain('No manifests are checked out');
  expect(await titles(cwd)).toEqual(['Platform', 'Writers']);
  // The journal of the undo names the reverted run.
  const last = readFileSync(join(cwd, '.octavo/journal', `${runs(cwd).at(-1)}.ndjson`), 'utf8');
  expect(JSON.parse(last.split('\n')[0] ?? '')).toMatchObject({ undoes: runs(cwd)[1] });
  expect((await undo(cwd, [runs(cwd)[1] ?? '', '--auto-approve'])).stdout).toContain('No changes to apply.');
});

test('rejects a saved undo as stale if an object has changed', async () => {
  const cwd = await twice();
  await undo(cwd, ['--out', 'undo.json']);
  const { items } = (await send(cwd, 'teams.list', 'organizationId=org_acme')) as {
    items: { id: string; title: string }[];
  };
  const team = items.find(({ title }) => title === 'Infrastructure');
  await send(cwd, 'teams.update', 'organizationId=org_acme', `teamId=${team?.id}`, '-F', 'title=Theirs');
  const ran = await octavo(['apply', 'undo.json'], { cwd, env: local });
  expect(ran.code).toBe(1);
  expect(ran.stderr).toContain('error[plan-stale]');
  expect(await titles(cwd)).toEqual(['Editors', 'Theirs']);
});

test('requires approval, and accepts only "yes" at the prompt', async () => {
  const cwd = await twice();
  expect((await undo(cwd)).stderr).toContain('error[not-approved]');
  expect((await undo(cwd, [], { ...atTerminal, input: 'no\n' })).stderr).toContain('Not applied.');
  expect(await titles(cwd)).toEqual(['Editors', 'Infrastructure']);
  expect((await undo(cwd, [], { ...atTerminal, input: 'yes\n' })).code).toBe(0);
  expect(await titles(cwd)).toEqual(['Platform', 'Writers']);
});

/** The lines of a journal whose process has ended. */
function ofDead([first = '', ...lines]: readonly string[]): readonly string[] {
  return [first.replace(/"pid":\d+/, '"pid":999999999'), ...lines];
}

test('reverts a run that was killed', async () => {
  const cwd = await twice();
  const file = join(cwd, '.octavo/journal', `${runs(cwd)[1]}.ndjson`);
  const lines = readFileSync(file, 'utf8').split('\n');
  // The journal of a process that dies after its last response, without the ends of steps and of the run.
  const remaining = ofDead(lines.filter((line) => !/"type":"(step|ids|end)"/.test(line)));
  writeFileSync(file, `${remaining.join('\n')}{"type":"requ`);
  const ran = await undo(cwd, ['--auto-approve']);
  expect(ran.stderr).toContain('which did not end');
  expect(ran.code).toBe(0);
  expect(await titles(cwd)).toEqual(['Platform', 'Writers']);
});

test('finds an object whose creation got no response by its name, and deletes it', async () => {
  const cwd = await twice();
  const file = join(cwd, '.octavo/journal', `${runs(cwd)[1]}.ndjson`);
  const lines = readFileSync(file, 'utf8').split('\n');
  const remaining = lines.filter(
    (line) =>
      !/"type":"(step|ids|end)"/.test(line) &&
      !/"type":"response".*editors#create/.test(line) &&
      !/editors#create.*"type":"response"/.test(line),
  );
  writeFileSync(file, `${ofDead(remaining).join('\n')}\n`);
  const ran = await undo(cwd, ['--auto-approve']);
  expect(ran.code).toBe(0);
  expect(await titles(cwd)).toEqual(['Platform', 'Writers']);
});

test('works without a terminal as the error suggests', async () => {
  const cwd = await twice();
  const { stderr } = await undo(cwd, []);
  expect(stderr.replace(/\s+/g, ' ')).toContain('run octavo undo again with --auto-approve');
  expect(await undo(cwd, ['--auto-approve'])).toMatchObject({ code: 0 });
});

test('reverts a run only on the service it was applied to', async () => {
  const cwd = await twice();
  const [, run = ''] = runs(cwd);
  const other = await undo(cwd, [run, '--base-url', 'local:other.db']);
  expect(other.code).toBe(1);
  expect(other.stderr.replace(/\s+/g, ' ')).toMatch(
    /error\[other-service\]: run r-\S+ was applied to local:w\.db#\w+, not to local:other\.db/,
  );
  const help = /--base-url (\S+)/.exec(other.stderr)?.[1] ?? '';
  expect((await undo(cwd, ['--base-url', help, '--auto-approve'], { env: {} })).code).toBe(0);
  const memory = await undo(cwd, [run, '--base-url', 'local']);
  expect(memory.stderr.replace(/\s+/g, ' ')).toContain('not to an embedded service in memory');
});

test('reverts the last run on this service by default', async () => {
  const cwd = await twice();
  const [, last = ''] = runs(cwd);
  writeFileSync(join(cwd, 'acme.yaml'), manifest);
  const other = { cwd, env: { OCTAVO_BASE_URL: 'local:other.db' } };
  expect(await octavo(['apply', '--auto-approve'], other)).toMatchObject({ code: 0 });
  expect((await undo(cwd, ['--auto-approve'])).stderr).toContain(`Undoing run ${last} `);
  const none = await undo(cwd, [], { env: { OCTAVO_BASE_URL: 'local:third.db' } });
  expect(none.stderr.replace(/\s+/g, ' ')).toMatch(
    /nothing to undo: no apply .* changed anything of local:third\.db/,
  );
});

test('reverts all organizations of a run together', async () => {
  const cwd = folder({});
  const write = (title: string) => {
    for (const org of ['org_a', 'org_b'])
      writeFileSync(
        join(cwd, `${org}.yaml`),
        `octavo: 1\norganization: { id: ${org} }\nteams: { crew: { title: ${title} } }\n`,
      );
  };
  write('Red');
  expect(await octavo(['apply', '--auto-approve'], { cwd, env: local })).toMatchObject({ code: 0 });
  const ran = await undo(cwd, ['--auto-approve']);
  expect(ran).toMatchObject({ code: 0 });
  expect(ran.stdout).toMatch(/Applied: 0 created, 0 updated, 0 moved, 0 replaced, 2 deleted\./);
  expect((await undo(cwd, [runs(cwd)[0] ?? '', '--auto-approve'])).stdout).toContain('No changes to apply.');
});

test('lists existing runs for an unknown one', async () => {
  const cwd = await twice();
  const [first = '', second = ''] = runs(cwd);
  const near = await undo(cwd, [`${second.slice(0, -1)}_`]);
  expect(near.code).toBe(1);
  expect(near.stderr).toContain(
    `error[unknown-run]: no journal of a run "${second.slice(0, -1)}_" in .octavo/journal`,
  );
  expect(near.stderr).toContain('help: did you mean r-');
  const far = await undo(cwd, ['yesterday']);
  expect(far.stderr).toContain(`the runs here, latest first: ${second}, ${first}`);
  const none = await undo(folder({ 'acme.yaml': manifest }));
  expect(none.stderr).toContain(
    'error[unknown-run]: nothing to undo: no apply with a journal in .octavo/journal',
  );
  expect(none.stderr).toContain('help: name a run that a pipeline applied');
});

test('reports a run that changed nothing, and objects that stay unmanaged', async () => {
  const cwd = await twice();
  const ran = await undo(cwd, ['--auto-approve']);
  expect(ran.stderr.replace(/\s+/g, ' ')).toContain('until the manifests list them, they stay unmanaged');
});

test('prints plan, reverted run and result as JSON', async () => {
  const cwd = await twice();
  const saved = await undo(cwd, ['--out', 'undo.json', '--format', 'json']);
  const [, run = ''] = runs(cwd);
  expect(JSON.parse(saved.stdout)).toMatchObject({ organizations: [{ undoes: run }], empty: false });
  const ran = await undo(cwd, ['--format', 'json', '--auto-approve']);
  expect(JSON.parse(ran.stdout)).toMatchObject({ run: { command: 'undo', outcome: 'complete' } });
  expect((await undo(cwd, ['--detailed-exitcode'])).stderr).toContain('error[usage]: --detailed-exitcode');
});

/** Damage to the journal of the run that created and renamed teams. */
const damages: Readonly<Record<string, readonly [(lines: readonly string[]) => readonly string[], RegExp]>> =
  {
    'an unknown kind': [
      (lines) => lines.map((line) => line.replaceAll('"kind":"team"', '"kind":"nonsense"')),
      /^error\[journal\]: cannot read the journal of r-\S+ in \.octavo\/journal: it has a "nonsense" at teams\/\S+, and there is no such kind/m,
    ],
    'an undo of another organization': [
      (lines) => lines.map((line) => line.replace('"undo":[{"label":"org_acme"', '"undo":[{"label":"org_b"')),
      /^error\[journal\]: cannot read .*: it has prior values of "org_b", which its plan does not have/m,
    ],
    'no first line': [
      (lines) => lines.slice(1),
      /^error\[journal\]: cannot read .*: its first line is missing or damaged/m,
    ],
    'nothing but the first line': [
      (lines) => ofDead(lines.slice(0, 1)),
      /its journal is incomplete\n.*may have been created, under an id that the run never learned: .* at teams\/editors/,
    ],
    'nothing but the first and an end that a later run wrote': [
      (lines) => [...lines.slice(0, 1), '{"type":"end","time":"2026-01-01T00:00:00.000Z","outcome":"died"}'],
      /its journal is incomplete\n.*may have been created, under an id that the run never learned: .* at teams\/editors/,
    ],
    'damaged lines about what was created': [
      (lines) => lines.map((line, at) => (at > 0 && line.includes('editors') ? 'x' : line)),
      /its journal is incomplete\n.*may have been created, under an id that the run never learned: .* at teams\/editors/,
    ],
  };

test.each(Object.entries(damages))('reports a journal with %s', async (_, [damage, message]) => {
  const cwd = await twice();
  const [, run = ''] = runs(cwd);
  const file = join(cwd, '.octavo/journal', `${run}.ndjson`);
  writeFileSync(file, `${damage(readFileSync(file, 'utf8').trimEnd().split('\n')).join('\n')}\n`);
  const ran = await undo(cwd, [run, '--auto-approve']);
  const text = ran.stderr.replace(/\s+/g, ' ').replace(/ (?=(?:error|warning)\[)/g, '\n');
  expect(text).toMatch(message);
  expect(text).not.toContain('bug');
  expect(ran.code).toBe(message.source.includes('error') ? 1 : 0);
  const plan = await octavo(['plan'], { cwd, env: local });
  expect([plan.code, plan.stderr.includes('bug')]).toEqual([0, false]);
});

test('exits with 3 if an object cannot be restored', async () => {
  const cwd = await twice();
  await send(
    cwd,
    'teams.create',
    'organizationId=org_acme',
    '-F',
    'title=Writers',
    '-F',
    'members=["user_owner"]',
  );
  const ran = await undo(cwd, ['--auto-approve']);
  expect(ran.stdout.replace(/\s+/g, ' ')).toMatch(
    /team cannot be restored: team_\S+ was deleted, and team_\S+, which the run did not create, has its name/,
  );
  expect(ran.code).toBe(3);
  expect(await titles(cwd)).toEqual(['Platform', 'Writers']);
});

test('finds objects recreated by an earlier undo by id, even if someone renamed them', async () => {
  const cwd = await twice();
  const [, run = ''] = runs(cwd);
  expect((await undo(cwd, ['--auto-approve'])).code).toBe(0);
  const { items } = (await send(cwd, 'teams.list', 'organizationId=org_acme')) as {
    items: { id: string; title: string }[];
  };
  const id = items.find(({ title }) => title === 'Writers')?.id;
  await send(cwd, 'teams.update', 'organizationId=org_acme', `teamId=${id}`, '-F', 'title=Theirs');
  expect((await undo(cwd, [run, '--auto-approve'])).code).toBe(0);
  expect(await titles(cwd)).toEqual(['Platform', 'Writers']);
});
