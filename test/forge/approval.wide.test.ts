/** Approvals: the plan of a request is stored where its author cannot write, and found only for its merge. */
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type ApprovalPlace, mergedApprovals } from '../../src/cli/forge/merged.ts';
import { mergedInto, withForge } from '../../src/cli/forge/open.ts';
import { pipelineRun } from '../../src/cli/forge/place.ts';
import { type KeptPlan, saveCheck } from '../../src/forge/approval.ts';
import { artifactText } from '../../src/forge/gitlab-approval.ts';
import { git, initRepository } from '../cli/git.ts';
import { folder, manifest, octavo } from '../cli/octavo.ts';
import { type FakeGithub, startGithub } from '../support/forge/github.ts';
import { type FakeGitlab, type FakeJob, startGitlab } from '../support/forge/gitlab.ts';
import { onForge, startOnForge } from '../support/forge/posts.ts';

const head = 'a'.repeat(40);
const merge = 'b'.repeat(40);
const digest = '0123456789abcdef'.repeat(4);
const approval = `${digest}.abcdefghijkl`;

type Env = Readonly<Record<string, string>>;

/** A folder with manifests in `docs`, and a workspace in which they are not applied. */
function workspace() {
  const outer = folder({ 'docs/acme.yaml': manifest });
  const service = { OCTAVO_BASE_URL: `local:${join(folder({}), 'acme.db')}` };
  const run = (args: readonly string[], env: Env) =>
    octavo([...args, '-f', 'docs'], { cwd: outer, env: { ...service, ...env } });
  const plan = (env: Env, ...args: string[]) => run(['ci', 'plan', '--base', 'none', ...args], env);
  /** Commits the folder first. */
  const apply = (env: Env, ...args: string[]) => {
    if (!existsSync(join(outer, '.git'))) initRepository(outer);
    git(outer, 'add', '--all');
    git(outer, 'commit', '--quiet', '--allow-empty', '-m', 'A change');
    return run(['ci', 'apply', '--base', 'none', ...args], env);
  };
  const planned = () =>
    JSON.parse(readFileSync(join(outer, 'octavo-ci/plan.json'), 'utf8')) as {
      digest: string;
      approval: string;
    };
  return { cwd: outer, run, plan, apply, planned };
}

/** Prints the approval that an apply of the merge would use to stdout, or the reason for its absence to stderr. */
function find(env: Env, place: Partial<ApprovalPlace> = {}) {
  const usual = { key: 'plan', app: 'github-actions', file: 'octavo-ci/approval.json' };
  return startOnForge(
    async (invocation) => {
      const push = pipelineRun(env)?.push ?? { commit: '', branch: '' };
      const note = (line: string) => invocation.output.note(line);
      const { digests, parts } = await withForge(invocation, async (forge) => {
        const merged = await mergedInto(forge(), push);
        return mergedApprovals(forge(), { ...usual, push, merged, unapplied: [], ...place }, note);
      });
      const marks = parts === undefined ? [] : [[...parts].join('')];
      invocation.output.result(`${[...digests, ...marks].join('.')}\n`);
    },
    { env },
  ).ended;
}

async function fails(env: Env, place?: Partial<ApprovalPlace>): Promise<string> {
  const ran = await find(env, place);
  expect(ran).toMatchObject({ code: 1, stdout: '' });
  return ran.stderr.replace(/\s+/g, ' ');
}

describe('on GitHub', () => {
  function mergePull(fake: FakeGithub, { number = 12, ref = 'main', sha = head, commit = merge } = {}) {
    const merged_at = '2026-11-22T06:00:00Z';
    fake.pulls.push({ number, merged_at, merge_commit_sha: commit, base: { ref }, head: { sha } });
  }

  const kept = { request: 12, commit: head, key: 'plan', digest, approval, title: '3 changes' };
  const save = (fake: FakeGithub, more: Partial<KeptPlan> = {}) =>
    onForge(fake.env, async (forge) =>
      forge.type === 'github' ? saveCheck(forge.github, { ...kept, ...more }) : '',
    );

  test('stores a plan as a check run of its commit, and finds it after the merge', async () => {
    const fake = await startGithub();
    const { plan, apply, planned } = workspace();
    const saved = await plan(fake.onPull());
    expect(saved, saved.stderr).toMatchObject({ code: 0 });
    const { digest, approval } = planned();
    expect(saved.stderr).toMatch(
      new RegExp(`^Plan ${digest.slice(0, 16)} kept for aaaaaaaaaaaa: https://github.com/`, 'm'),
    );
    expect(saved.stdout + saved.stderr).not.toContain(fake.token);
    expect(fake.checks).toMatchObject([
      {
        name: 'octavo plan',
        head_sha: head,
        conclusion: 'success',
        external_id: `12:${digest}`,
        output: { title: '3 changes', text: expect.stringContaining(approval) },
      },
    ]);
    const push = fake.onPush(merge);
    const early = await apply(push);
    expect(early.code).toBe(1);
    expect(early.stderr).toContain(
      'error[no-approval]: no merged pull request brought bbbbbbbbbbbb into main',
    );
    mergePull(fake);
    expect(await find(push)).toEqual({
      code: 0,
      stdout: `Approved by the merge of request 12, planned at aaaaaaaaaaaa\n${approval}\n`,
      stderr: '',
    });
    const applied = await apply(push);
    expect(applied, applied.stderr).toMatchObject({ code: 0 });
    expect(applied.stderr).toContain('Approved by the merge of request 12');
  });

  test('needs no approval without changes, and rejects later changes', async () => {
    const fake = await startGithub();
    const { cwd, plan, apply } = workspace();
    mergePull(fake);
    await plan(fake.onPull());
    expect((await apply(fake.onPush(merge))).code).toBe(0);
    const later = fake.onPush('c'.repeat(40));
    const unchanged = await apply(later);
    expect(unchanged, unchanged.stderr).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('No changes'),
    });
    writeFileSync(join(cwd, 'docs/acme.yaml'), manifest.replace('Writers', 'Authors'));
    expect((await apply(later)).stderr).toContain('error[no-approval]');
    const other = await apply(fake.onPush(merge));
    expect(other.code).toBe(1);
    expect(other.stderr).toContain('error[unexpected-plan]');
  });

  test('finds no approval for a commit without exactly one planned, merged pull request', async () => {
    const fake = await startGithub();
    await save(fake);
    const push = fake.onPush(merge);
    // A push without a pull request.
    expect(await fails(push)).toContain(
      'error[no-approval]: no merged pull request brought bbbbbbbbbbbb into main',
    );
    // Pull requests for another branch or commit, and one that is still open.
    mergePull(fake, { ref: 'release' });
    mergePull(fake, { commit: 'c'.repeat(40), sha: merge });
    fake.pulls.push({
      number: 14,
      merged_at: null,
      merge_commit_sha: merge,
      base: { ref: 'main' },
      head: { sha: head },
    });
    expect(await fails(push)).toContain('no merged pull request');
    // The last commit was never planned.
    mergePull(fake, { number: 15, sha: 'd'.repeat(40) });
    expect(await fails(push)).toContain('no plan of dddddddddddd, the last commit of request 15, was kept');
    mergePull(fake);
    expect(await fails(push)).toContain('more than one pull request brought bbbbbbbbbbbb');
  });

  test('rejects check runs of another app, pull request or key', async () => {
    const fake = await startGithub();
    const { cwd, plan, apply } = workspace();
    fake.comments.set(13, []);
    mergePull(fake);
    expect((await plan(fake.onPull({ number: 13 }))).code).toBe(0);
    expect((await plan(fake.onPull(), '--key', 'production')).code).toBe(0);
    expect((await plan(fake.onPull())).code).toBe(0);
    const forged = fake.checks.at(-1);
    if (forged !== undefined) forged.app = { slug: 'mallorys-app' };
    const push = fake.onPush(merge);
    expect(await fails(push)).toContain('no plan of aaaaaaaaaaaa');
    expect((await find(push, { app: 'mallorys-app' })).code).toBe(0);
    expect((await find(push, { key: 'production' })).code).toBe(0);
    expect((await apply(push)).stderr).toContain('error[no-approval]: no plan of aaaaaaaaaaaa');
    expect((await apply(push, '--key', 'staging')).stderr).toContain('error[no-approval]');
    // The configuration of the commit before sets the app.
    writeFileSync(join(cwd, 'octavo.config.yaml'), 'ci: { app: mallorys-app }\n');
    expect((await apply(push)).stderr).toContain('error[no-approval]');
    const later = fake.onPush(merge, 'main', git(cwd, 'rev-parse', 'HEAD').trim());
    expect((await apply(later, '--key', 'production')).stderr).toContain('error[no-approval]');
    expect((await apply(later)).code).toBe(0);
  });

  test('uses the last plan: refused changes revoke the approval', async () => {
    const fake = await startGithub();
    const { cwd, plan, apply, planned } = workspace();
    mergePull(fake);
    const push = fake.onPush(merge);
    expect((await plan(fake.onPull())).code).toBe(0);
    const rules = join(cwd, 'octavo.rules.yaml');
    writeFileSync(rules, 'rules: { frozen: { when: { kind: team }, message: no } }\n');
    expect((await plan(fake.onPull())).code).toBe(3);
    expect(fake.checks.at(-1)).toMatchObject({
      conclusion: 'failure',
      output: { title: '2 changes refused by rules' },
    });
    expect(fake.checks.at(-1)?.output.text).toBeUndefined();
    expect(await fails(push)).toContain('cannot be applied: 2 changes refused');
    rmSync(rules);
    expect((await apply(push)).stderr).toContain('cannot be applied: 2 changes refused');
    expect((await plan(fake.onPull())).code).toBe(0);
    expect((await find(push)).stdout).toContain(planned().approval);
    // The check run with the greatest id is the last one, in any order.
    fake.checks.reverse();
    expect((await find(push)).stdout).toContain(planned().approval);
  });

  test('stores a comment and an approval for each shard of a fleet', async () => {
    const fake = await startGithub();
    const { cwd, plan, apply, run } = workspace();
    writeFileSync(
      join(cwd, 'docs/beta.yaml'),
      manifest.replace('org_acme, title: Acme', 'org_beta, title: Beta'),
    );
    mergePull(fake);
    // Creates both organizations in the embedded service.
    await run(['plan'], {});
    for (const OCTAVO_SHARD of ['1/2', '2/2'])
      expect((await plan({ ...fake.onPull(), OCTAVO_SHARD })).code).toBe(0);
    expect(fake.checks.map(({ name }) => name)).toEqual(['octavo plan-1-2', 'octavo plan-2-2']);
    expect(fake.comments.get(12)?.map(({ body }) => body.split('\n')[0])).toEqual([
      '<!-- octavo:plan-1-2 -->',
      '<!-- octavo:plan-2-2 -->',
    ]);
    const kept = fake.checks.splice(1);
    expect((await apply({ ...fake.onPush(merge), OCTAVO_SHARD: '2/2' })).stderr).toContain(
      'error[no-approval]',
    );
    fake.checks.push(...kept);
    for (const OCTAVO_SHARD of ['1/2', '2/2']) {
      const applied = await apply({ ...fake.onPush(merge), OCTAVO_SHARD });
      expect(applied, applied.stderr).toMatchObject({ code: 0 });
    }
  });

  test('stores no failed plan, and no plan if approvals are disabled', async () => {
    const fake = await startGithub();
    const { cwd, plan } = workspace();
    writeFileSync(join(cwd, 'docs/acme.yaml'), 'octavo: 1\norganization: { id: org_acme }\nteems: {}\n');
    expect((await plan(fake.onPull())).code).toBe(1);
    writeFileSync(join(cwd, 'docs/acme.yaml'), manifest);
    writeFileSync(join(cwd, 'octavo.config.yaml'), 'ci: { approval: none }\n');
    expect((await plan(fake.onPull())).code).toBe(0);
    expect(fake.log.filter((line) => line.includes('check-runs'))).toEqual([]);
  });

  test('stores only the digest of an approval that is too long for a check run', async () => {
    const fake = await startGithub();
    mergePull(fake);
    await save(fake, { approval: `${digest}.${'abcdefghijkl'.repeat(6000)}` });
    expect((await find(fake.onPush(merge))).stdout).toMatch(new RegExp(`\\n${digest}\\n$`));
  });

  test('finds the approval on later pages of check runs', async () => {
    const fake = await startGithub();
    mergePull(fake);
    for (let count = 0; count < 130; count += 1) await save(fake, { request: 13 });
    await save(fake);
    expect((await find(fake.onPush(merge))).stdout).toContain(approval);
  });

  test.each([
    ['no text', undefined],
    ['no block', approval],
    ['of another plan', `\`\`\`\n${'f'.repeat(64)}.abcdefghijkl\n\`\`\``],
    ['a flag', `\`\`\`\n${digest}. --skip-refused\n\`\`\``],
    ['a file', '```\n../plan.json\n```'],
    ['a short digest', `\`\`\`\n${digest.slice(0, 12)}\n\`\`\``],
  ])('rejects a check run with %s as unreadable', async (_, text) => {
    const fake = await startGithub();
    mergePull(fake);
    await save(fake);
    const [check] = fake.checks;
    if (check === undefined) throw new Error('nothing was kept');
    const { text: _was, ...output } = check.output;
    check.output = text === undefined ? output : { ...output, text };
    expect(await fails(fake.onPush(merge))).toContain('the plan kept for aaaaaaaaaaaa cannot be read');
    check.output = { ...output, text: `before\r\n\`\`\`\r\n${approval}\r\n\`\`\`\r\nafter` };
    expect((await find(fake.onPush(merge))).stdout).toContain(approval);
  });

  test('reports missing variables and permissions, and approves nothing if GitHub rejects requests', async () => {
    const fake = await startGithub();
    const { apply } = workspace();
    mergePull(fake);
    await save(fake);
    const nowhere = 'error[ci]: octavo ci apply is for commits of a branch';
    for (const env of [{}, fake.onPull(), { ...fake.onPush(merge), GITHUB_REF: 'refs/tags/v1' }])
      expect((await apply(env)).stderr).toContain(nowhere);
    expect(await fails({ ...fake.onPush(merge), GITHUB_TOKEN: '' })).toContain('GITHUB_TOKEN is not set');
    fake.log.length = 0;
    for (const on of [/\/pulls$/, /check-runs$/]) {
      fake.fail({ on, how: { status: 403, body: { message: `not for ${fake.token}` } } });
      const refused = await fails(fake.onPush(merge));
      expect(refused).toContain('error[forge]: GitHub responded with 403: not for (token)');
      expect(refused).toContain('GITHUB_TOKEN needs the permission');
    }
    fake.fail({ on: /check-runs$/, how: { status: 403, body: { message: 'no' } } });
    const denied = await apply(fake.onPush(merge));
    expect(denied).toMatchObject({ code: 1, stdout: expect.stringContaining('2 to create') });
    expect(denied.stderr).toContain('error[forge]: GitHub responded with 403');
    expect(fake.comments.get(12)?.at(-1)?.body).toContain('octavo apply · ✗');
    fake.fail({ on: /check-runs$/, how: 'cut', times: 1 });
    expect((await find(fake.onPush(merge))).stdout).toContain(approval);
  });
});

describe('on GitLab', () => {
  const file = 'octavo-ci/approval.json';
  const kept: KeptPlan = { request: 7, commit: head, key: 'plan', digest, approval, title: '3 changes' };
  const textOf = (more: Partial<KeptPlan> & { readonly format?: number } = {}) => {
    const { format = 1, ...plan } = more;
    return JSON.stringify({ ...(JSON.parse(artifactText({ ...kept, ...plan })) as object), format });
  };

  function mergeRequest(fake: FakeGitlab, more: Partial<FakeGitlab['requests'][number]> = {}) {
    const usual = { iid: 7, state: 'merged', target_branch: 'main', squash_commit_sha: null } as const;
    fake.requests.push({ ...usual, merge_commit_sha: merge, sha: head, ...more });
  }

  let ids = 500;
  const nextId = () => {
    ids += 1;
    return ids;
  };
  /** A pipeline of merge request 7 with a job for each of these files. */
  function pipeline(
    fake: FakeGitlab,
    texts: readonly (string | Buffer | undefined)[],
    { project = 77, iid = 7 } = {},
  ) {
    const jobs: FakeJob[] = texts.map((text) => ({
      id: nextId(),
      ...(text === undefined ? {} : { files: { [file]: text } }),
    }));
    const made = { id: nextId(), iid, project, jobs };
    fake.pipelines.push(made);
    return made;
  }

  test('stores a plan as an artifact of its pipeline, and finds it after the merge', async () => {
    const fake = await startGitlab();
    const { cwd, plan, apply, planned } = workspace();
    const saved = await plan({ ...fake.env, CI_PROJECT_DIR: join(cwd, '..') });
    expect(saved, saved.stderr).toMatchObject({ code: 0 });
    const { digest, approval } = planned();
    expect(saved.stderr).toContain(`Plan ${digest.slice(0, 16)} kept for aaaaaaaaaaaa: ${file}`);
    expect(saved.stdout + saved.stderr).not.toContain(fake.token);
    const text = readFileSync(join(cwd, file), 'utf8');
    expect(JSON.parse(text)).toMatchObject({ ...kept, format: 1, digest, approval });
    expect(text).not.toContain(fake.token);
    mergeRequest(fake);
    const push = { ...fake.onPush(merge), CI_PROJECT_DIR: join(cwd, '..') };
    expect((await apply(push)).stderr).toContain(
      'no plan of aaaaaaaaaaaa, the last commit of request 7, was',
    );
    // Paths of artifacts are relative to the project.
    const name = `${cwd.split('/').at(-1)}/${file}`;
    fake.pipelines.push({
      id: nextId(),
      iid: 7,
      project: 77,
      jobs: [{ id: nextId(), files: { [name]: text } }],
    });
    const applied = await apply(push);
    expect(applied, applied.stderr).toMatchObject({ code: 0 });
    expect(applied.stderr).toContain('Approved by the merge of request 7, planned at aaaaaaaaaaaa');
  });

  test('stores refused plans as refused, and each key in its own file', async () => {
    const fake = await startGitlab();
    const { cwd, plan } = workspace();
    const rules = join(cwd, 'octavo.rules.yaml');
    writeFileSync(rules, 'rules: { frozen: { when: { kind: team }, message: no } }\n');
    expect((await plan(fake.env)).code).toBe(3);
    expect(JSON.parse(readFileSync(join(cwd, file), 'utf8'))).toMatchObject({
      refusal: '2 changes refused by rules',
    });
    rmSync(rules);
    expect((await plan(fake.env, '--key', 'eu/docs')).code).toBe(0);
    const other = readFileSync(join(cwd, 'octavo-ci/eu/docs/approval.json'), 'utf8');
    expect(JSON.parse(other)).toMatchObject({ key: 'eu/docs' });
    mergeRequest(fake);
    const files = { 'octavo-ci/eu/docs/approval.json': other };
    fake.pipelines.push({ id: nextId(), iid: 7, project: 77, jobs: [{ id: nextId(), files }] });
    const run = { ...fake.onPush(merge), CI_PROJECT_DIR: cwd };
    expect((await find(run, { key: 'eu/docs', file: 'octavo-ci/eu/docs/approval.json' })).code).toBe(0);
  });

  test('replaces the approval of an earlier plan if a plan fails', async () => {
    const fake = await startGitlab();
    const { cwd, plan } = workspace();
    expect((await plan(fake.env)).code).toBe(0);
    writeFileSync(join(cwd, 'docs/acme.yaml'), 'octavo: 1\norganization: { id: org_acme }\nteems: {}\n');
    expect((await plan(fake.env)).code).toBe(1);
    expect(readFileSync(join(cwd, file), 'utf8')).toContain('its last plan failed');
  });

  test.each([
    ['a merge commit', head, {}],
    ['a squash', head, { merge_commit_sha: null, squash_commit_sha: merge }],
    ['a fast-forward', merge, { merge_commit_sha: null, sha: merge }],
  ])('finds the approval for %s', async (_, commit, how) => {
    const fake = await startGitlab();
    mergeRequest(fake, how);
    pipeline(fake, [textOf({ commit })]);
    expect((await find(fake.onPush(merge))).stdout).toContain(`\n${approval}\n`);
  });

  test('finds no approval without exactly one merged merge request', async () => {
    const fake = await startGitlab();
    pipeline(fake, [textOf()]);
    mergeRequest(fake, { state: 'opened' });
    mergeRequest(fake, { iid: 8, target_branch: 'next' });
    mergeRequest(fake, { iid: 9, merge_commit_sha: 'c'.repeat(40), sha: 'c'.repeat(40) });
    const none = 'error[no-approval]: no merged merge request brought bbbbbbbbbbbb into main';
    expect(await fails(fake.onPush(merge))).toContain(none);
    mergeRequest(fake);
    mergeRequest(fake, { iid: 10 });
    expect(await fails(fake.onPush(merge))).toContain('more than one merge request brought bbbbbbbbbbbb');
  });

  test('uses the newest artifact of several pipelines and jobs, on any page', async () => {
    const fake = await startGitlab();
    mergeRequest(fake);
    const old = '1'.repeat(64);
    for (let count = 0; count < 3; count += 1) pipeline(fake, [textOf({ digest: old, approval: `${old}.` })]);
    const last = pipeline(fake, [
      undefined,
      textOf({ digest: old, approval: `${old}.` }),
      textOf(),
      undefined,
      '',
    ]);
    // A job with other artifacts.
    last.jobs.pop();
    last.jobs.push({ id: nextId(), files: { 'octavo-ci/plan.md': 'plan' } });
    pipeline(fake, [undefined, undefined]);
    pipeline(fake, []);
    const push = fake.onPush(merge);
    for (const order of [0, 1, 2, 3]) {
      const { pipelines } = fake;
      pipelines.push(...pipelines.splice(0, order));
      for (const { jobs } of pipelines) jobs.reverse();
      expect((await find(push)).stdout, String(order)).toContain(`\n${approval}\n`);
    }
    // Only jobs with artifacts get a request.
    const without = fake.pipelines.flatMap(({ jobs }) => jobs.filter((job) => job.files === undefined));
    expect(without.length).toBeGreaterThan(2);
    for (const { id } of without)
      expect(fake.log.filter((line) => line.includes(`/jobs/${id}/`))).toEqual([]);
  });

  test('ignores pipelines of forks, even newer ones', async () => {
    const fake = await startGitlab();
    mergeRequest(fake);
    const forged = pipeline(fake, [textOf()], { project: 99 });
    expect(await fails(fake.onPush(merge))).toContain('no plan of aaaaaaaaaaaa');
    expect(fake.log.filter((line) => line.includes('artifacts'))).toEqual([]);
    expect(fake.log.some((line) => line.endsWith(`/pipelines/${forged.id}/jobs`))).toBe(true);
    const own = '2'.repeat(64);
    pipeline(fake, [textOf({ digest: own, approval: `${own}.` })]);
    pipeline(fake, [textOf()], { project: 99 });
    expect((await find(fake.onPush(merge))).stdout).toContain(`\n${own}.\n`);
  });

  test.each([
    ['commit', { commit: 'c'.repeat(40) }],
    ['request', { request: 8 }],
    ['key', { key: 'production' }],
    ['format', { format: 2 }],
  ])('ignores a plan of another %s, and finds an older matching one', async (_, more) => {
    const fake = await startGitlab();
    mergeRequest(fake);
    pipeline(fake, [textOf(more)]);
    pipeline(fake, [textOf()], { iid: 8 });
    expect(await fails(fake.onPush(merge))).toContain('no plan of aaaaaaaaaaaa');
    fake.pipelines.splice(0);
    pipeline(fake, [textOf()]);
    pipeline(fake, [textOf(more)]);
    expect((await find(fake.onPush(merge))).stdout).toContain(approval);
  });

  test('uses the newest plan: refused changes revoke the approval', async () => {
    const fake = await startGitlab();
    mergeRequest(fake);
    pipeline(fake, [textOf()]);
    pipeline(fake, [textOf({ refusal: '1 change refused' })]);
    fake.pipelines.reverse();
    expect(await fails(fake.onPush(merge))).toContain('cannot be applied: 1 change refused');
    // In one pipeline, the retried job is used.
    pipeline(fake, [textOf(), textOf({ refusal: '2 changes refused' })]);
    expect(await fails(fake.onPush(merge))).toContain('cannot be applied: 2 changes refused');
    pipeline(fake, [textOf({ refusal: '1 change refused' }), textOf()]);
    expect((await find(fake.onPush(merge))).stdout).toContain(approval);
    for (const refusal of [null, '', 0, false] as const) {
      pipeline(fake, [textOf({ refusal: refusal as unknown as string })]);
      expect(await fails(fake.onPush(merge)), String(refusal)).toContain('cannot be applied');
    }
  });

  test.each([
    ['another plan', { approval: `${'f'.repeat(64)}.abcdefghijkl` }],
    ['a flag', { approval: `${digest}. --skip-refused` }],
    ['lines', { approval: `${digest}.\n${digest}.` }],
    ['a file', { digest: '../plan', approval: '../plan.json' }],
    ['a short digest', { digest: digest.slice(0, 12), approval: digest.slice(0, 12) }],
    ['a list', { approval: [approval, 'more'] as unknown as string }],
    ['nothing', { approval: undefined as unknown as string }],
  ])('rejects a file that approves %s as unreadable', async (_, more) => {
    const fake = await startGitlab();
    mergeRequest(fake);
    pipeline(fake, [textOf(more)]);
    expect(await fails(fake.onPush(merge))).toContain('the plan kept for aaaaaaaaaaaa cannot be read');
  });

  test.each([
    ['empty', ''],
    ['no JSON', 'approved'],
    ['half of one', textOf().slice(0, 80)],
    ['no text', Buffer.from([0xff, 0xfe, 0x00, 0x80])],
    ['null', 'null'],
    ['a list', `[${textOf()}]`],
    ['a text', JSON.stringify(textOf())],
    ['{}', '{}'],
    ['a prototype', `{"__proto__":${textOf()}}`],
    ['a page of GraphQL', '{"errors":[{"message":"approved"}]}'],
  ])('rejects a file that is %s', async (_, text) => {
    const fake = await startGitlab();
    mergeRequest(fake);
    pipeline(fake, [text]);
    expect(await fails(fake.onPush(merge))).toContain('error[no-approval]');
  });

  test('approves nothing if GitLab rejects requests, and prints no token', async () => {
    const fake = await startGitlab();
    mergeRequest(fake);
    pipeline(fake, [textOf()]);
    pipeline(fake, [textOf({ refusal: 'no' })]);
    const push = fake.onPush(merge);
    expect(await fails({ ...push, GITLAB_TOKEN: '' })).toContain('GITLAB_TOKEN is not set');
    expect(await fails({ ...push, GITLAB_TOKEN: 'glpat-wrong' })).not.toContain('glpat-wrong');
    for (const on of [
      /commits\/b+\/merge_requests$/,
      /requests\/7\/pipelines$/,
      /\/jobs$/,
      /approval\.json$/,
    ]) {
      fake.fail({ on, how: { status: 403, body: { message: `not for ${fake.token}` } } });
      const refused = await fails(push);
      expect(refused, String(on)).toContain('error[forge]: GitLab responded with 403: not for (token)');
      expect(refused).toContain('GITLAB_TOKEN needs the scope api');
    }
    fake.fail({ on: /approval\.json$/, how: 'cut', times: 9 });
    expect(await fails(push)).toContain('error[forge]');
    fake.fail({ on: /approval\.json$/, how: 'hang', times: 0 });
    expect(await fails(push)).toContain('cannot be applied: no');
  });
});
