/** Objects that several open requests change are named in the comment, as information. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { folder, octavo } from '../cli/octavo.ts';
import { type FakeGithub, startGithub } from '../support/forge/github.ts';
import { type FakeGitlab, startGitlab } from '../support/forge/gitlab.ts';

type Env = Readonly<Record<string, string>>;

const teams = (...keys: readonly string[]) =>
  `octavo: 1\norganization: { id: org_acme }\nteams:\n${keys.map((key) => `  ${key}: { title: ${key} }\n`).join('')}`;

/** A workspace, and the plan of these teams in a request. */
function workspace() {
  const cwd = folder({ 'docs/acme.yaml': teams('a') });
  const service = { OCTAVO_BASE_URL: `local:${join(folder({}), 'acme.db')}` };
  const plan = (env: Env, keys: readonly string[], ...args: string[]) => {
    writeFileSync(join(cwd, 'docs/acme.yaml'), teams(...keys));
    return octavo(['ci', 'plan', '--base', 'none', ...args, '-f', 'docs'], {
      cwd,
      env: { ...service, ...env },
    });
  };
  return { cwd, plan };
}

const [mine, theirs] = ['a'.repeat(40), 'c'.repeat(40)];
const title = 'Rename *the* team @acme/all of #9';
const safeTitle = String.raw`Rename \*the\* team @<!-- -->acme/all of \#<!-- -->9`;

describe('on GitHub', () => {
  function openPull(fake: FakeGithub, number: number, sha: string) {
    const made = { number, merged_at: null, merge_commit_sha: null, base: { ref: 'main' }, head: { sha } };
    fake.pulls.push({ ...made, title, state: 'open' });
    fake.comments.set(number, []);
  }
  const comment = (fake: FakeGithub, number = 12) => fake.comments.get(number)?.at(-1)?.body ?? '';

  test('the comment names what another open request changes too', async () => {
    const fake = await startGithub();
    const { plan } = workspace();
    openPull(fake, 12, mine);
    openPull(fake, 31, theirs);
    expect((await plan(fake.onPull({ number: 31, head: theirs }), ['b', 'c', 'd'])).code).toBe(0);
    expect(comment(fake, 31)).not.toContain('also changed');
    fake.log.length = 0;
    expect((await plan(fake.onPull(), ['a', 'c', 'd'])).code).toBe(0);
    const line = `\`teams/c\`, \`teams/d\`: also changed by #31: ${safeTitle}`;
    expect(comment(fake)).toMatch(/^<!-- octavo:plan -->\n### octavo plan .*\n\n`teams\/c`/);
    expect(comment(fake)).toContain(`\n${line}\n`);
    // One request reads all others; the plan of the request itself is not another one.
    expect(fake.log.filter((call) => call.endsWith('graphql repository'))).toHaveLength(2);
    expect((await plan(fake.onPull(), ['a'])).code).toBe(0);
    expect(comment(fake)).not.toContain('also changed');
  });

  test.each<[string, (fake: FakeGithub) => void]>([
    [
      'a closed request',
      ({ pulls }) =>
        pulls.forEach((pull) => {
          pull.state = 'closed';
        }),
    ],
    [
      'another commit',
      ({ pulls }) =>
        pulls.forEach((pull) => {
          pull.head.sha = 'd'.repeat(40);
        }),
    ],
    [
      'a check run of another app',
      ({ checks }) =>
        checks.forEach((check) => {
          check.app = { slug: 'mallory' };
        }),
    ],
    [
      'another request with that commit',
      ({ checks }) =>
        checks.forEach((check) => {
          check.external_id = '30:0';
        }),
    ],
    [
      'a request whose last plan was refused',
      ({ checks }) =>
        checks.push(
          ...checks.map((one) => ({
            ...one,
            ...{ id: one.id + 1, conclusion: 'failure', output: { title: 'refused', summary: '' } },
          })),
        ),
    ],
  ])('the plan of %s does not count', async (_, change) => {
    const fake = await startGithub();
    const { plan } = workspace();
    openPull(fake, 31, theirs);
    expect((await plan(fake.onPull({ number: 31, head: theirs }), ['c'])).code).toBe(0);
    change(fake);
    expect((await plan(fake.onPull(), ['c'])).code).toBe(0);
    expect(comment(fake)).toContain('`teams/c`');
    expect(comment(fake)).not.toContain('also changed');
  });

  test('the plan is shown and kept if the others cannot be read', async () => {
    const fake = await startGithub();
    const { plan } = workspace();
    fake.fail({ on: /graphql repository$/, how: { status: 403, body: { message: 'no' } } });
    const planned = await plan(fake.onPull(), ['c']);
    expect(planned).toMatchObject({ code: 0 });
    expect(planned.stderr).toContain(
      'Cannot read the plans of other requests: GitHub responded with 403: no',
    );
    expect(comment(fake)).toContain('`teams/c`');
    expect(fake.checks).toHaveLength(1);
  });

  test('a check run keeps as many addresses as it has room for', async () => {
    const fake = await startGithub();
    const { plan } = workspace();
    openPull(fake, 31, theirs);
    const many = Array.from({ length: 1500 }, (_, index) => `team-${String(index).padStart(40, '0')}`);
    expect((await plan(fake.onPull({ number: 31, head: theirs }), many)).code).toBe(0);
    expect((await plan(fake.onPull(), many.slice(0, 12))).code).toBe(0);
    expect(comment(fake)).toMatch(/`, `teams\/team-0{39}9` and 2 more: also changed by #31: /);
  });
});

describe('on GitLab', () => {
  const file = 'octavo-ci/approval.json';
  const onRequest = (fake: FakeGitlab, iid: number, sha: string) => ({
    ...fake.env,
    CI_MERGE_REQUEST_IID: String(iid),
    CI_COMMIT_SHA: sha,
  });
  function openRequest(fake: FakeGitlab, iid: number, sha: string) {
    const commits = { merge_commit_sha: null, squash_commit_sha: null, sha };
    const made = { iid, state: 'opened', target_branch: 'main', source_project_id: 77, title } as const;
    fake.requests.push({ ...made, ...commits });
    fake.heads.set(iid, sha);
    fake.notesOf(iid);
  }
  /** Plans these teams in another request, whose job keeps its artifact. */
  async function planOther(
    fake: FakeGitlab,
    { cwd, plan }: ReturnType<typeof workspace>,
    keys: readonly string[],
  ) {
    openRequest(fake, 31, theirs);
    expect((await plan(onRequest(fake, 31, theirs), keys)).code).toBe(0);
    const job = { id: 5, files: { [file]: readFileSync(join(cwd, file), 'utf8') } };
    fake.pipelines.push({ id: 4, iid: 31, project: 77, jobs: [job] });
  }
  const comment = (fake: FakeGitlab) => fake.notes.at(-1)?.body ?? '';

  test('the comment names what another open request changes too', async () => {
    const fake = await startGitlab();
    const world = workspace();
    openRequest(fake, 7, mine);
    await planOther(fake, world, ['b', 'c']);
    expect((await world.plan(fake.env, ['a', 'c'])).code).toBe(0);
    expect(comment(fake)).toContain(`\n\`teams/c\`: also changed by !31: ${safeTitle}\n`);
    const [, other] = fake.requests;
    if (other !== undefined) other.sha = 'd'.repeat(40);
    expect((await world.plan(fake.env, ['a', 'c'])).code).toBe(0);
    expect(comment(fake)).not.toContain('also changed');
  });

  test('the plan is shown and kept if the others cannot be read', async () => {
    const fake = await startGitlab();
    const world = workspace();
    await planOther(fake, world, ['c']);
    fake.fail({ on: /merge_requests\/31\/pipelines$/, how: { status: 403, body: { message: 'no' } } });
    const planned = await world.plan(fake.env, ['c']);
    expect(planned).toMatchObject({ code: 0 });
    expect(planned.stderr).toContain(
      'Cannot read the plans of other requests: GitLab responded with 403: no',
    );
    expect(comment(fake)).toContain('`teams/c`');
    expect(readFileSync(join(world.cwd, file), 'utf8')).toContain('"request":7');
  });
});
