/** Requests merged in quick order: their jobs may run in any order, twice, or not at all. */
import { describe, expect, test } from 'vitest';
import { git } from '../cli/git.ts';
import { manifest } from '../cli/octavo.ts';
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
