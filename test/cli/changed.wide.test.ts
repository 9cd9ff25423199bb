/** `--changed`: reads only objects that commits since the base touch, reports this, and never deletes objects it did not read. */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { initBare } from './git.ts';
import { folder, octavo } from './octavo.ts';
import { served } from './served.ts';

const numbers = (count: number) => Array.from({ length: count }, (_, at) => at);
const titles = numbers(20);
const organizations = ['org_a', 'org_b', 'org_c'];

const seed = {
  organizations: organizations.map((id) => ({
    id,
    title: id,
    members: [{ id: `user_${id}`, email: `ada@${id}.dev`, role: 'admin' as const }],
    spaces: [{ id: `sp_${id}`, title: 'Guide' }],
  })),
};

const manifestOf = (id: string) => `octavo: 1
organization: { id: ${id} }
teams:
${titles.map((at) => `  t${at}: { title: Team ${at} }\n`).join('')}spaces: { guide: { id: sp_${id}, title: Guide } }
sites:
${numbers(3)
  .map(
    (at) => `  s${at}:
    title: Site ${at}
    sections: { one: { title: One, path: one, spaces: { main: { space: guide } } } }
`,
  )
  .join('')}`;

async function setUp({ recorded = true, config = '' } = {}) {
  const { env, send } = await served({ seed });
  const cwd = folder(Object.fromEntries(organizations.map((id) => [`${id}.yaml`, manifestOf(id)])));
  const git = (...args: readonly string[]) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b.c', ...args], { cwd, encoding: 'utf8' });
  const commit = () => {
    git('add', '.');
    git('commit', '--quiet', '--message', 'x');
  };
  git('init', '--quiet');
  writeFileSync(join(cwd, '.gitignore'), '.octavo\n*.html\n*.out.json\n');
  if (config !== '') writeFileSync(join(cwd, 'octavo.config.yaml'), config);
  commit();
  const run = (...args: readonly string[]) => octavo(args, { cwd, env });
  const apply = (...args: readonly string[]) => run('apply', '--auto-approve', '--lock', 'none', ...args);
  expect((await apply(...(recorded ? ['--record'] : []))).code).toBe(0);
  const edit = (id: string, from: string | RegExp, to: string) => {
    const file = join(cwd, `${id}.yaml`);
    writeFileSync(file, readFileSync(file, 'utf8').replace(from, to));
    commit();
  };
  const teams = async (id: string): Promise<readonly { readonly id: string; readonly title: string }[]> =>
    (await send('GET', `orgs/${id}/teams?limit=1000`)).items;
  return { run, apply, edit, send, teams, commit, cwd, env, git };
}

const partial = 'Partial plan: only what changed since the base; drift elsewhere: not checked';

test('reports in each format that drift elsewhere is not checked, and omits drift', async () => {
  const { run, edit, send, teams, cwd } = await setUp();
  const [first, second] = await teams('org_a');
  await send('PATCH', `orgs/org_a/teams/${second?.id}`, { title: 'Drifted' });
  edit('org_a', `title: ${first?.title} }`, 'title: Renamed }');
  const plan = await run('plan', '--changed');
  expect(plan.stdout.split(partial)).toHaveLength(3);
  expect(plan.stdout).toContain('Plan: 0 to create, 1 to update');
  expect(plan.stdout).not.toContain('Drifted');
  for (const format of ['markdown', 'html=plan.html'])
    expect(
      `${(await run('plan', '--changed', '--format', format)).stdout}${format.startsWith('html') ? readFileSync(join(cwd, 'plan.html'), 'utf8') : ''}`,
    ).toContain('drift elsewhere: not checked');
  const json = JSON.parse((await run('plan', '--changed', '--format', 'json')).stdout);
  expect([json.partial, json.organizations[0].leftOut.changed]).toEqual([true, true]);
  expect((await run('plan', '--ignore-drift', '--format', 'json')).stdout).not.toContain('"changed":true');
  // The plan without --changed includes the drift.
  expect((await run('plan')).stdout).toContain('Plan: 0 to create, 2 to update');
});

test('does not claim that the live state matches if no manifest changed', async () => {
  const { run } = await setUp();
  const plan = await run('plan', '--changed');
  expect(plan.stdout).toContain('No changes to apply.');
  expect(plan.stdout).not.toContain('Live state matches');
});

test('applies a saved plan, refuses a stale one, and records nothing with --changed', async () => {
  const { run, apply, edit, send, teams } = await setUp();
  const [first] = await teams('org_a');
  edit('org_a', `title: ${first?.title} }`, 'title: Renamed }');
  expect((await run('plan', '--changed', '--out', 'a.out.json')).code).toBe(0);
  await send('PATCH', `orgs/org_a/teams/${first?.id}`, { title: 'Meanwhile' });
  const stale = await run('apply', 'a.out.json', '--lock', 'none', '--auto-approve');
  expect(stale.code).toBe(1);
  expect(stale.stderr).toContain('Meanwhile');
  await send('PATCH', `orgs/org_a/teams/${first?.id}`, { title: first?.title });
  const done = await run('apply', 'a.out.json', '--lock', 'none', '--auto-approve');
  expect(done.stderr).toContain('1 change, 1 request');
  expect(done.code).toBe(0);
  expect((await teams('org_a')).map(({ title }) => title)).toContain('Renamed');
  expect((await run('plan')).stdout).toContain('No changes.');
  // A record covers a whole commit, so a part of it cannot be recorded.
  const recorded = await apply('--changed', '--record');
  expect(recorded.code).toBe(1);
  expect(recorded.stderr).toContain('leave out --changed, or apply without recording');
});

test('deletes removed objects but not unread ones, and finds a recreated one', async () => {
  const { run, apply, edit, send, teams } = await setUp();
  const all = await teams('org_a');
  await send('PUT', 'orgs/org_a/teams', { title: 'Foreign' });
  edit('org_a', /^ {2}t7: .*\n/m, '');
  const plan = await run('plan', '--changed');
  expect(plan.stdout).toContain('Plan: 0 to create, 0 to update, 0 to move, 0 to replace, 1 to delete.');
  expect((await apply('--changed')).code).toBe(0);
  const left = (await teams('org_a')).map(({ title }) => title);
  const kept = all.map(({ title }) => title).filter((title) => title !== 'Team 7');
  expect(left.sort()).toEqual([...kept, 'Foreign'].sort());
  // Someone recreated the team: it is found by its title in the list, and not created twice.
  const third = all.find(({ title }) => title === 'Team 3');
  await send('DELETE', `orgs/org_a/teams/${third?.id}`);
  await send('PUT', 'orgs/org_a/teams', { title: 'Team Three' });
  edit('org_a', '{ title: Team 3 }', '{ title: Team Three }');
  const again = await run('plan', '--changed');
  expect(again.stdout).not.toContain('1 to create');
});

test('rejects a missing base and --target, with a remedy', async () => {
  const { run } = await setUp({ recorded: false });
  const none = await run('plan', '--changed');
  expect(none.code).toBe(1);
  expect(none.stderr).toContain(
    'cannot tell what changed without a base: nothing is recorded of org_a, org_b, org_c',
  );
  expect(none.stderr).toContain('apply once with --record, or pass --base <ref>');
  expect((await run('plan', '--changed', '--base', 'none')).code).toBe(1);
  const both = await run('plan', '--changed', '--base', 'HEAD', '--target', 'teams/**');
  expect(both.stderr).toContain('--changed and --target exclude each other');
});

/** The pull request job that lists the shards, in a clone whose remote has the branch main. */
async function setUpMatrix(recorded = true, config = 'ci: { shards: 3, changed: true }\n') {
  const made = await setUp({ recorded, config });
  const { cwd, env, git } = made;
  const outer = folder({
    'event.json': JSON.stringify({
      pull_request: { number: 12, head: { sha: 'a'.repeat(40), repo: { full_name: 'acme/docs' } } },
    }),
    outputs: '',
  });
  initBare(outer, 'origin.git');
  git('remote', 'add', 'origin', join(outer, 'origin.git'));
  const push = () =>
    git('push', '--quiet', 'origin', 'HEAD:main', ...(recorded ? ['refs/octavo/*:refs/octavo/*'] : []));
  push();
  const onGithub = { GITHUB_REPOSITORY: 'acme/docs', GITHUB_OUTPUT: join(outer, 'outputs') };
  const onPull = {
    ...onGithub,
    GITHUB_EVENT_PATH: join(outer, 'event.json'),
    GITHUB_BASE_REF: 'main',
  };
  const onMain = { ...onGithub, GITHUB_REF: 'refs/heads/main', GITHUB_SHA: 'b'.repeat(40) };
  const matrix = (more: Readonly<Record<string, string>>, ...args: readonly string[]) =>
    octavo(['ci', 'matrix', ...args], { cwd, env: { ...env, ...more } });
  const shards = async (more: Readonly<Record<string, string>> = onPull, ...args: readonly string[]) => {
    const { code, stdout, stderr } = await matrix(more, ...args);
    expect(code, stderr).toBe(0);
    const value =
      readFileSync(onGithub.GITHUB_OUTPUT, 'utf8')
        .match(/^matrix=(.*)$/gm)
        ?.at(-1) ?? '';
    const { include } = JSON.parse(value.slice('matrix='.length)) as { include: { shard: string }[] };
    const rows = [...stdout.matchAll(/^ {2}(\d+\/\d+) +\d+ organizations?, \d+ objects?: (.+)$/gm)];
    const found = rows.map(([, shard = '', names = '']) => ({ shard, organizations: names.split(', ') }));
    expect(include.map(({ shard }) => shard)).toEqual(found.map(({ shard }) => shard));
    return found;
  };
  return { ...made, push, onPull, onMain, matrix, shards };
}

test('lists the shards of the organizations that a pull request changes in a matrix', async () => {
  const { run, edit, shards, onMain } = await setUpMatrix();
  const whole = await shards(onMain);
  expect(whole.flatMap((one) => one.organizations).sort()).toEqual(organizations);
  expect(await shards()).toEqual([]);
  edit('org_b', 'Team 4', 'Team Four');
  const [only, ...others] = await shards();
  expect(others).toEqual([]);
  expect(only?.organizations).toEqual(['org_b']);
  expect(whole).toContainEqual(only);
  // A commit on main may include earlier merges that are not applied yet.
  expect(await shards(onMain)).toEqual(whole);
  const plan = await run('plan', '--changed', '--shard', only?.shard ?? '');
  expect(plan.stdout).toContain('Team Four');
  edit('org_c', 'octavo: 1\n', 'octavo: 1\nsettings: { protect: [teams/**] }\n');
  expect((await shards()).flatMap((one) => one.organizations).sort()).toEqual(['org_b', 'org_c']);
});

test('includes organizations that are merged but not applied, unless no record exists or --base is set', async () => {
  const { edit, push, shards, onPull } = await setUpMatrix();
  edit('org_b', 'Team 4', 'Team Four');
  push();
  edit('org_c', 'Team 5', 'Team Five');
  const names = async (...args: readonly string[]) =>
    (await shards(onPull, ...args)).flatMap((one) => one.organizations).sort();
  expect(await names()).toEqual(['org_b', 'org_c']);
  expect(await names('--base', 'HEAD~1')).toEqual(['org_c']);
  const fresh = await setUpMatrix(false);
  fresh.edit('org_b', 'Team 4', 'Team Four');
  fresh.push();
  fresh.edit('org_c', 'Team 5', 'Team Five');
  expect((await fresh.shards()).flatMap((one) => one.organizations)).toEqual(['org_c']);
  const lost = await fresh.matrix({ ...fresh.onPull, GITHUB_BASE_REF: 'gone' });
  expect(lost).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringContaining('error[base]: cannot find the branch gone'),
  });
});

test('plans, applies and joins all shards of a fleet in CI jobs', async () => {
  const { cwd, env, edit, shards, onMain, git, push, teams } = await setUpMatrix(
    true,
    'ci: { shards: 3, approval: none, comment: false }\n',
  );
  edit('org_b', 'Team 4', 'Team Four');
  push();
  const sha = git('rev-parse', 'HEAD').trim();
  const ran = async (shard: string, ...args: readonly string[]) =>
    octavo(args, { cwd, env: { ...env, ...onMain, GITHUB_SHA: sha, OCTAVO_SHARD: shard } });
  const files: string[] = [];
  for (const { shard } of await shards(onMain)) {
    const { code, stderr } = await ran(shard, 'ci', 'apply');
    expect(code, stderr).toBe(0);
    files.push(`octavo-ci/plan-${shard.replace('/', '-')}/apply.json`);
  }
  const joined = await ran('', 'ci', 'join', ...files);
  expect(joined, joined.stderr).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^octavo apply, 3 of 3 shards: complete\n/),
  });
  expect((await teams('org_b')).map(({ title }) => title)).toContain('Team Four');
});

test('names the path that the jobs of shards write to in the error of ci join', async () => {
  const wrong = await octavo(['ci', 'join', 'a.json'], { cwd: folder({ 'a.json': '{}' }) });
  expect(wrong.stderr).toMatch(/octavo-ci\/\S+\/apply\.json/);
});

test('rejects --base none for a matrix of changes', async () => {
  const { matrix, onPull } = await setUpMatrix(false);
  const ran = await matrix(onPull, '--base', 'none');
  expect(ran).toMatchObject({ code: 1, stdout: '' });
  expect(ran.stderr).toContain('cannot tell what changed without a base');
});
