/** Requests merged in quick order: their jobs may run in any order, twice, or not at all. */
import { describe, expect, onTestFinished, test } from 'vitest';
import { startService } from '../../src/server/index.ts';
import { git } from '../cli/git.ts';
import { manifest, start } from '../cli/octavo.ts';
import { served } from '../cli/served.ts';
import { startGithub } from '../support/forge/github.ts';
import { type Forge, onGithub, onGitlab, project } from '../support/forge/project.ts';
import { patience } from '../support/runs.ts';

const file = 'docs/acme.yaml';
const teams = (names: readonly string[]) =>
  `${manifest}${names.map((name) => `  ${name}: { title: Team ${name} }\n`).join('')}`;

type Made = Awaited<ReturnType<typeof project>>;
type Open<F> = (
  made: Made,
  of?: { readonly of?: F | undefined; readonly number: number },
) => Promise<Request<F>>;
type Request<F> = Forge & { readonly fake: F };

/** Three requests, each for another team, planned on the same commit and merged one after the other. */
async function threeMerges<F>(
  open: Open<F>,
  {
    planned = [0, 1, 2],
    forks = [],
  }: { readonly planned?: readonly number[]; readonly forks?: readonly number[] },
) {
  const made = await project();
  const { cwd } = made;
  const names = ['a', 'b', 'c'];
  const requests: Request<F>[] = [];
  for (const [at, name] of names.entries()) {
    requests.push(await open(made, { number: 31 + at, of: requests[0]?.fake }));
    git(cwd, 'checkout', '--quiet', '-B', name, 'origin/main');
    made.commit({ [file]: teams([name]) });
  }
  const plan = async (at: number) => {
    git(cwd, 'checkout', '--quiet', names[at] ?? '');
    return requests[at]?.plan(git(cwd, 'rev-parse', 'HEAD').trim());
  };
  for (const at of planned) expect(await plan(at)).toMatchObject({ code: 0 });
  git(cwd, 'checkout', '--quiet', '-B', 'main', 'origin/main');
  const merges = names.map((name, at) => {
    git(cwd, 'merge', '--quiet', '--no-ff', '--no-commit', '-s', 'ours', name);
    const commit = made.commit({ [file]: teams(names.slice(0, at + 1)) });
    requests[at]?.merge(git(cwd, 'rev-parse', name).trim(), { isFork: forks.includes(at) });
    return commit;
  });
  made.push();
  const apply = async (at: number) => {
    git(cwd, 'checkout', '--quiet', '--detach', merges[at] ?? '');
    const ran = await requests[0]?.apply(merges[at]);
    return { code: ran?.code, stdout: ran?.stdout, stderr: ran?.stderr.replace(/\s+/g, ' ') };
  };
  return { ...made, plan, apply };
}

const all = ['Platform', 'Team a', 'Team b', 'Team c', 'Writers'];
const onForges = {
  GitHub: (more: Parameters<typeof threeMerges>[1] = {}) => threeMerges(onGithub, more),
  GitLab: (more: Parameters<typeof threeMerges>[1] = {}) => threeMerges(onGitlab, more),
};
const orders = {
  GitHub: ['012', '021', '102', '120', '201', '210', '2', '02', '22', '0122'],
  GitLab: ['201', '2', '12'],
};

describe.each(['GitHub', 'GitLab'] as const)('on %s', { timeout: patience(180_000) }, (forge) => {
  const merged = onForges[forge];

  test.each(orders[forge])('jobs in the order %s apply all three requests', async (order) => {
    const { cwd, apply, titles, run } = await merged();
    for (const at of order) expect(await apply(Number(at))).toMatchObject({ code: 0 });
    expect(await titles()).toEqual(all);
    git(cwd, 'checkout', '--quiet', 'main');
    expect((await run(['plan', '-f', 'docs'])).stdout).toContain('No changes');
  });

  test('the job of an earlier commit says that it is applied already', async () => {
    const { apply } = await merged();
    expect(await apply(2)).toMatchObject({ code: 0 });
    const late = await apply(0);
    expect(late).toMatchObject({ code: 0, stderr: expect.stringContaining('nothing to apply') });
  });

  test('a request that was not planned is named, and its plan job is the way on', async () => {
    const { plan, apply, titles } = await merged({ planned: [1, 2] });
    const refused = await apply(2);
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain('error[unexpected-plan]: create (create) was not approved');
    expect(refused.stderr).toContain(
      'the last commit of request 31, was kept: run the plan job of request 31 again',
    );
    expect(await titles()).toEqual(['Platform', 'Writers']);
    expect(await plan(0)).toMatchObject({ code: 0 });
    expect(await apply(2)).toMatchObject({ code: 0 });
    expect(await titles()).toEqual(all);
  });

  test('a request from a fork adds no approval, and is named', async () => {
    const { apply, titles } = await merged({ forks: [0] });
    const refused = await apply(2);
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain('request 31 is from a fork, whose plans approve nothing');
    expect(await titles()).toEqual(['Platform', 'Writers']);
  });

  test('a change in the app is left as it is, whatever the requests approve', async () => {
    const { run, apply, titles } = await merged();
    const { stdout } = await run(['api', 'teams.list', 'organizationId=org_acme', '--paginate']);
    const teamsNow = JSON.parse(stdout) as readonly { readonly id: string; readonly title: string }[];
    const { id } = teamsNow.find(({ title }) => title === 'Writers') ?? {};
    await run(['api', 'teams.update', 'organizationId=org_acme', `teamId=${id}`, '-F', 'title=Guides']);
    expect(await apply(2)).toMatchObject({ code: 0 });
    expect(await titles()).toEqual(['Guides', ...all.slice(0, -1)]);
  });
});

test('a merge queue is planned; nothing is commented, kept, applied or recorded', {
  timeout: patience(60_000),
}, async () => {
  const made = await project('ci: { approval: none }\n');
  const { cwd, run, titles } = made;
  const { fake, comments } = await onGithub(made);
  const base = git(cwd, 'rev-parse', 'HEAD').trim();
  const env = fake.onQueue({ base, head: made.commit({ [file]: teams(['a']) }) });
  const planned = await run(['ci', 'plan', '-f', 'docs'], env);
  expect(planned, planned.stderr).toMatchObject({ code: 0 });
  expect(planned.stdout).toContain('Team a');
  expect(planned.stderr).toContain(`merge queue of main, base what was applied, or main@${base.slice(0, 7)}`);
  const refs = git(cwd, 'ls-remote', 'origin');
  const applied = await run(['ci', 'apply', '-f', 'docs'], env);
  expect(applied.code).toBe(1);
  expect(applied.stderr).toContain('error[ci]: octavo ci apply is for commits of a branch');
  expect([comments(), fake.checks, await titles()]).toEqual([[], [], ['Platform', 'Writers']]);
  expect(git(cwd, 'ls-remote', 'origin')).toBe(refs);
});

test('after a merge, a label and one more plan job approve what a rule refused', {
  timeout: patience(60_000),
}, async () => {
  const made = await project();
  const { cwd, run, titles } = made;
  const rule = 'frozen: { when: { kind: team }, message: teams are frozen, exempt: { label: thaw } }';
  made.commit({ 'octavo.rules.yaml': `rules: { ${rule} }\n` });
  made.push();
  const recorded = await run(['apply', '-f', 'docs', '--auto-approve', '--record=origin']);
  expect(recorded, recorded.stderr).toMatchObject({ code: 0 });
  const request = await onGithub(made);
  git(cwd, 'checkout', '--quiet', '-B', 'topic');
  const head = made.commit({ [file]: teams(['a']) });
  expect(await request.plan(head)).toMatchObject({ code: 3 });
  git(cwd, 'checkout', '--quiet', '-B', 'main', 'origin/main');
  git(cwd, 'merge', '--quiet', '--no-ff', '-m', 'Merge', 'topic');
  request.merge(head);
  made.push();
  const refused = await request.apply();
  expect(refused.code).toBe(1);
  expect(refused.stderr.replace(/\s+/g, ' ')).toContain(
    'cannot be applied: 1 change refused by rules help: give request 12 what lifts the rule, such as its label, run its plan job again, and then the job of the last commit',
  );
  request.fake.review.labels.push('thaw');
  request.fake.review.events.push({
    event: 'labeled',
    label: { name: 'thaw' },
    actor: { login: 'ada' },
  });
  git(cwd, 'checkout', '--quiet', 'topic');
  expect(await request.plan(head)).toMatchObject({ code: 0 });
  git(cwd, 'checkout', '--quiet', 'main');
  const applied = await request.apply();
  expect(applied, applied.stderr).toMatchObject({ code: 0 });
  expect(await titles()).toEqual(['Platform', 'Team a', 'Writers']);
});

test('a job that is cancelled finishes the requests in flight, and says in the request what is left', async () => {
  const { service } = await served({
    // Longer than an aborted command has to clean up.
    faults: [{ type: 'latency', milliseconds: 3000, operations: ['teams.create'] }],
  });
  const made = await project('ci: { approval: none }\n');
  const { cwd } = made;
  const request = await onGithub(made);
  git(cwd, 'checkout', '--quiet', '-B', 'a');
  const head = made.commit({ [file]: teams(Array.from({ length: 20 }, (_, at) => `t${at}`)) });
  git(cwd, 'checkout', '--quiet', 'main');
  git(cwd, 'merge', '--quiet', '--no-ff', '-m', 'Merge a', 'a');
  made.push();
  request.merge(head);
  const env = {
    ...request.fake.onPush(git(cwd, 'rev-parse', 'HEAD').trim()),
    OCTAVO_BASE_URL: service.url,
    OCTAVO_TOKEN: service.token,
  };
  const running = start(['ci', 'apply', '-f', 'docs'], { cwd, env });
  await running.stdout.until('Digest');
  await new Promise((done) => setTimeout(done, 500));
  running.kill('SIGINT');
  const { code, stdout, stderr } = await running.ended;
  expect(code, stderr).toBe(130);
  expect(stderr).toContain('Waiting for requests in flight');
  expect(stdout).toContain('Apply is incomplete');
  const [comment = ''] = request.comments();
  expect(comment).toContain('incomplete');
  const created = service.store.every('team').length;
  expect(stdout).toContain(`${created} created`);
});

test('a job that is cancelled while it posts its comment finishes it', async () => {
  const service = await startService({
    data: ':memory:',
    seed: { organizations: [{ id: 'org_acme', title: 'Acme' }] },
  });
  onTestFinished(() => service.close());
  const made = await project('ci: { approval: none }\n');
  const { cwd } = made;
  const request = await onGithub(made);
  git(cwd, 'checkout', '--quiet', '-B', 'a');
  const head = made.commit({ [file]: teams(['a']) });
  git(cwd, 'checkout', '--quiet', 'main');
  git(cwd, 'merge', '--quiet', '--no-ff', '-m', 'Merge a', 'a');
  made.push();
  request.merge(head);
  request.fake.fail({ on: /^POST .*\/comments$/, how: 'slow' });
  const env = {
    ...request.fake.onPush(git(cwd, 'rev-parse', 'HEAD').trim()),
    OCTAVO_BASE_URL: service.url,
    OCTAVO_TOKEN: service.token,
  };
  const running = start(['ci', 'apply', '-f', 'docs'], { cwd, env });
  await expect.poll(() => request.fake.log.at(-1), { timeout: 20_000 }).toMatch(/^POST .*comments$/);
  running.kill('SIGINT');
  const { code, stderr } = await running.ended;
  expect(stderr).toContain('Interrupted. Waiting for requests in flight');
  expect(stderr).not.toContain('warning');
  expect(code, stderr).toBe(0);
  expect(request.comments()).toEqual([expect.stringContaining('· complete')]);
});

test('an apply that fails names the command that continues it, with the flags of its job', async () => {
  const service = await startService({
    data: ':memory:',
    seed: { organizations: [{ id: 'org_acme', title: 'Acme' }] },
    faults: [{ type: 'status', status: 403, operations: ['teams.create'] }],
  });
  onTestFinished(() => service.close());
  const { commit, push, run } = await project('ci: { approval: none, comment: false }\n');
  const env = (await startGithub()).onPush(commit({ [file]: teams(['a']) }));
  push();
  const ran = await run(['ci', 'apply', '-f', 'docs', '--no-color'], {
    ...env,
    OCTAVO_BASE_URL: service.url,
    OCTAVO_TOKEN: service.token,
  });
  expect(ran.code, ran.stderr).toBe(1);
  expect(ran.stdout).toContain(
    '\nContinue with: octavo apply --auto-approve --record --lock git:origin --lock-timeout 10m --file docs --no-color (',
  );
});
