/** Saved plans: apply sends exactly the reviewed changes or none, also after changes outside git. */
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { folder, manifest, octavo, type Ran } from './octavo.ts';
import {
  applied,
  applySaved,
  idOf,
  local,
  planIn,
  retitle,
  save,
  send,
  teams,
  titles,
  withTeams,
} from './plans.ts';

/** Expects a clear error that the plan is stale, and no applied step. */
function expectStale(ran: Ran, ...texts: string[]): void {
  expect(ran.code).toBe(1);
  expect(ran.stderr).toContain('error[plan-stale]');
  const words = ran.stderr.replace(/\s+/g, ' ');
  for (const text of texts) expect(words).toContain(text);
  expect(ran.stderr).toContain('nothing was applied: plan and review again');
  expect(ran.stderr).not.toMatch(/✓|✗/);
  expect(ran.stdout).not.toContain('Applied');
}

const renamed = withTeams({
  platform: '{ title: Infrastructure, was: Platform }',
  writers: '{ title: Writers }',
});
const pruned = withTeams(
  { platform: '{ title: Platform }' },
  'settings: { prune: unlisted, limits: { deletes: 5, deletePercent: null } }\n',
);

test('plan, show and apply print the same plan, and a second apply changes nothing', async () => {
  const cwd = folder({ 'acme.yaml': manifest });
  const planned = await save(cwd, manifest);
  rmSync(join(cwd, 'acme.yaml'));
  // Showing it needs only the file: no manifests, no service, no token.
  expect(await octavo(['show', 'plan.json'], { cwd })).toEqual({
    code: 0,
    stdout: planned.stdout,
    stderr: '',
  });
  // An estimate of the duration is not saved.
  expect(planned.stdout).toMatch(/\nDigest: \w+ {3}\d+ requests\n$/);
  const first = await applySaved(cwd);
  expect(first.code).toBe(0);
  expect(first.stdout.startsWith(planned.stdout)).toBe(true);
  expect(first.stdout).toMatch(
    /\nApplied: 2 created, 1 updated, 0 moved, 0 replaced, 0 deleted\.\nUndo: octavo undo r-[0-9a-z]+-[0-9a-f]{8}\n$/,
  );
  const live = await teams(cwd);
  expect(live.map(({ title }) => title)).toEqual(['Platform', 'Writers']);
  const second = await applySaved(cwd);
  expect(second).toMatchObject({
    code: 0,
    stderr: 'No manifests are checked out here: applying the plan as it was saved.\n',
  });
  expect(second.stdout).toContain(
    'Already done:\n    organization (update)\n    teams/platform (create)\n    teams/writers (create)\n',
  );
  expect(second.stdout).toContain('Applied: 0 created, 0 updated, 0 moved, 0 replaced, 0 deleted.');
  expect(await teams(cwd)).toEqual(live);
  const json = await applySaved(cwd, '--format', 'json');
  expect(JSON.parse(json.stdout)).toMatchObject({
    run: {
      outcome: 'complete',
      organizations: [
        {
          pending: [],
          steps: [{ outcome: 'satisfied' }, { outcome: 'satisfied' }, { outcome: 'satisfied' }],
        },
      ],
    },
  });
});

test('show --format json prints the same as plan --format json, also for an empty plan', async () => {
  const cwd = await applied();
  const json = await octavo(['plan', '--format', 'json', '--out', 'plan.json'], { cwd, env: local });
  const shown = async () =>
    JSON.parse((await octavo(['show', 'plan.json', '--format', 'json'], { cwd })).stdout);
  const { run: _, ...planned } = JSON.parse(json.stdout);
  expect(await shown()).toEqual(planned);
  expect(await applySaved(cwd)).toMatchObject({
    code: 0,
    stdout: 'Acme (org_acme)   base none\n\nNo changes. Live state matches the manifests.\n',
  });
  const more = await save(cwd, renamed, ['--format', 'json', '--detailed-exitcode']);
  expect(more.code).toBe(2);
  const { run: __, ...changed } = JSON.parse(more.stdout);
  expect(await shown()).toEqual(changed);
});

test('the same plan is saved as the same bytes', async () => {
  const cwd = folder({ 'acme.yaml': manifest });
  await save(cwd, manifest);
  const first = readFileSync(join(cwd, 'plan.json'), 'utf8');
  await save(cwd, manifest);
  expect(readFileSync(join(cwd, 'plan.json'), 'utf8')).toBe(first);
});

test('has what the change needs, however many objects there are', async () => {
  const sizes: number[] = [];
  for (const count of [10, 80]) {
    const many = (change: string) => {
      const team = (at: number) =>
        `{ title: Team ${at}${at === 7 ? change : ''}, members: { a${at}@b.cd: member } }`;
      return withTeams(Object.fromEntries(Array.from({ length: count }, (_one, at) => [`t${at}`, team(at)])));
    };
    const people = Array.from({ length: count }, (_one, at) => ({
      ...{ id: `user_${at}`, email: `a${at}@b.cd`, displayName: `A ${at}`, role: 'read' },
    }));
    const owner = { id: 'user_ada', email: 'ada@acme.dev', displayName: 'Ada' };
    const members = [{ ...owner, role: 'admin' }, ...people];
    const seed = { owner, organizations: [{ id: 'org_acme', title: 'Acme', hostname: 'acme', members }] };
    const cwd = await applied(many(''), { 'seed.json': JSON.stringify(seed) });
    const base = folder({ 'acme.yaml': many('') });
    await save(cwd, many('b'), ['--base', base]);
    const text = readFileSync(join(cwd, 'plan.json'), 'utf8');
    expect(text).not.toContain('"Team 8"');
    // The record needs the ids of all objects.
    sizes.push(text.length - JSON.stringify(planIn(cwd).organizations).length);
    expect(await applySaved(cwd)).toMatchObject({ code: 0, stdout: expect.stringContaining('1 updated') });
    expect(await octavo(['plan', '--detailed-exitcode'], { cwd, env: local })).toMatchObject({ code: 0 });
    // What may be the same object is compared, and is saved once.
    await save(cwd, `${many('b')}  more: { title: More }\n`, ['--base', base]);
    const all = readFileSync(join(cwd, 'plan.json'), 'utf8');
    expect(all.match(/"title": ?"Team 8"/g)).toHaveLength(1);
  }
  const [few = 0, many = 0] = sizes;
  expect(many / few).toBeLessThan(1.02);
});

describe('a saved plan', () => {
  test('is stale if an object to update has another title', async () => {
    const cwd = await applied();
    await save(cwd, renamed);
    await retitle(cwd, 'Platform', 'Core');
    expectStale(await applySaved(cwd), 'title was "Platform" and is "Core" now', 'teams/platform');
    expect(await titles(cwd)).toEqual(['Core', 'Writers']);
  });

  test('is stale if an object to update was deleted', async () => {
    const cwd = await applied();
    await save(cwd, renamed);
    await send(cwd, 'teams.delete', 'organizationId=org_acme', `teamId=${await idOf(cwd, 'Platform')}`);
    expectStale(await applySaved(cwd), 'the team does not exist any more');
    expect(await titles(cwd)).toEqual(['Writers']);
  });

  test('is stale if an object to update was deleted and another one has its title', async () => {
    const cwd = await applied();
    await save(
      cwd,
      withTeams({
        platform: '{ title: Platform, members: { } }',
        writers: '{ title: Authors, was: Writers }',
      }),
    );
    await send(cwd, 'teams.delete', 'organizationId=org_acme', `teamId=${await idOf(cwd, 'Writers')}`);
    await send(cwd, 'teams.create', 'organizationId=org_acme', '-F', 'title=Writers');
    expectStale(await applySaved(cwd), 'teams/writers');
    expect(await titles(cwd)).toEqual(['Platform', 'Writers']);
  });

  test('is applied despite changes of other objects, which it keeps', async () => {
    const cwd = await applied();
    await save(cwd, renamed);
    await retitle(cwd, 'Writers', 'Scribes');
    await send(cwd, 'teams.create', 'organizationId=org_acme', '-F', 'title=Sales');
    await send(cwd, 'orgs.update', 'organizationId=org_acme', '-F', 'title=Acme Ltd');
    const ran = await applySaved(cwd);
    expect(ran).toMatchObject({ code: 0 });
    expect(ran.stdout).toContain('Applied: 0 created, 1 updated, 0 moved, 0 replaced, 0 deleted.\n');
    expect(await titles(cwd)).toEqual(['Infrastructure', 'Sales', 'Scribes']);
    expect(await send(cwd, 'orgs.get', 'organizationId=org_acme')).toMatchObject({ title: 'Acme Ltd' });
  });

  test('neither deletes nor counts objects that became unlisted later', async () => {
    const cwd = await applied();
    await save(cwd, pruned.replace('deletes: 5', 'deletes: 1'));
    await send(cwd, 'teams.create', 'organizationId=org_acme', '-F', 'title=Sales');
    expect(await applySaved(cwd)).toMatchObject({ code: 0 });
    expect(await titles(cwd)).toEqual(['Platform', 'Sales']);
  });

  test('does not depend on the manifests', async () => {
    const cwd = await applied();
    await save(cwd, renamed);
    writeFileSync(join(cwd, 'acme.yaml'), 'broken: [');
    expect(await applySaved(cwd)).toMatchObject({ code: 0 });
    expect(await titles(cwd)).toEqual(['Infrastructure', 'Writers']);
  });
});

describe('apply keeps the flag of the plan', () => {
  test('--target', async () => {
    const cwd = folder({});
    await save(cwd, manifest, ['--target', 'teams/platform']);
    expect(await applySaved(cwd)).toMatchObject({ code: 0 });
    expect(await titles(cwd)).toEqual(['Platform']);
  });

  test('--prune and --allow-deletes', async () => {
    const cwd = await applied(
      withTeams(Object.fromEntries([...'abcdef'].map((key) => [key, `{ title: T${key} }`]))),
    );
    await save(cwd, withTeams({ a: '{ title: Ta }' }), ['--prune', 'unlisted', '--allow-deletes', '5']);
    expect(await applySaved(cwd)).toMatchObject({ code: 0 });
    expect(await titles(cwd)).toEqual(['Ta']);
  });

  test('--skip-refused, without which it rejects refused changes', async () => {
    const text = manifest.replace('title: Acme }', 'title: Acme, sso: true }');
    const cwd = folder({ 'acme.yaml': text });
    const refused = await save(cwd, text);
    expect(refused.code).toBe(3);
    expect(refused.stderr).not.toContain('apply it with');
    expect(await octavo(['show', 'plan.json'], { cwd })).toMatchObject({
      code: 3,
      stdout: refused.stdout,
    });
    const not = await applySaved(cwd);
    expect(not.code).toBe(1);
    expect(not.stderr).toContain('nothing was applied: 1 change is refused');
    expect(await titles(cwd)).toEqual([]);

    const skipping = await save(cwd, text, ['--skip-refused']);
    expect(skipping.code).toBe(0);
    expect(await octavo(['show', 'plan.json'], { cwd })).toMatchObject({
      code: 0,
      stdout: skipping.stdout,
    });
    expect(await applySaved(cwd)).toMatchObject({ code: 0 });
    expect(await titles(cwd)).toEqual(['Platform', 'Writers']);
    expect(await send(cwd, 'orgs.get', 'organizationId=org_acme')).toMatchObject({ sso: false });
  });
});
