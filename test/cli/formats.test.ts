/** Several output formats of one run, on stdout and in files, and the outputs for GitHub Actions. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, onTestFinished, test } from 'vitest';
import { journalJsonSchema } from '../../src/past/journal/entry.ts';
import { startProxy } from '../support/cutting-proxy.ts';
import { folder, octavo } from './octavo.ts';
import { served } from './served.ts';

const isEventLine = new Ajv2020({ strict: false }).compile(journalJsonSchema());

const lines = (text: string) => text.split('\n').filter((line) => line !== '');

const manifest = (teams: string, more = '') =>
  `octavo: 1\norganization: { id: org_acme, title: Acme }\nteams: ${teams}\n${more}`;

/** An embedded service for one test, and a folder with a manifest. */
async function workspace(text = manifest('{ writers: { title: Writers } }')) {
  const { service, env } = await served();
  return { cwd: folder({ 'acme.yaml': text }), env, service };
}

describe('files', () => {
  test('get other formats of the plan, while text is printed to stdout', async () => {
    const { cwd, env } = await workspace();
    const ran = await octavo(['plan', '--format', 'json=plan.json', '--format=markdown=plan.md'], {
      cwd,
      env,
    });
    expect(ran).toMatchObject({ code: 0, stderr: '' });
    expect(ran.stdout).toContain('+ teams/writers  title "Writers"');
    const read = (name: string) => readFileSync(join(cwd, name), 'utf8');
    const alone = await octavo(['plan', '--format', 'json'], { cwd, env });
    const { run: _, ...written } = JSON.parse(read('plan.json'));
    expect(JSON.parse(alone.stdout)).toMatchObject(written);
    expect(read('plan.md')).toContain('| + | `teams/writers` | `team, title "Writers"` |');
  });

  test('get the plan, the events and the result of an apply', async () => {
    const { cwd, env } = await workspace();
    const flags = ['--auto-approve', '--format', 'ndjson=run.ndjson', '--format', 'text=run.txt'];
    const ran = await octavo(['apply', ...flags], { cwd, env });
    expect(ran.code).toBe(0);
    const written = lines(readFileSync(join(cwd, 'run.ndjson'), 'utf8')).map((line) => JSON.parse(line));
    expect(written.map(({ type }) => type)).toEqual(['run', 'start', 'request', 'response', 'step', 'end']);
    const text = readFileSync(join(cwd, 'run.txt'), 'utf8');
    expect(text).toContain('+ teams/writers  title "Writers"');
    expect(text).toContain('Applied: 1 created');
  });

  test('get the problems of manifests, too', async () => {
    const cwd = folder({ 'acme.yaml': manifest('{ writers: { titel: Writers } }') });
    const ran = await octavo(['validate', '--format', 'json=a.json', '--format', 'text=a.txt'], { cwd });
    expect(ran.code).toBe(1);
    expect(ran.stderr).toContain('error[');
    expect(JSON.parse(readFileSync(join(cwd, 'a.json'), 'utf8'))).toMatchObject({ valid: false });
    expect(readFileSync(join(cwd, 'a.txt'), 'utf8')).toContain('did you mean title?');
  });

  test.each([
    ['missing/plan.json', 'its folder does not exist'],
    ['taken', 'it is a folder'],
  ])('that cannot be written are an error: %s', async (name, why) => {
    const { cwd, env } = await workspace();
    mkdirSync(join(cwd, 'taken'));
    const ran = await octavo(['plan', '--format', `json=${name}`], { cwd, env });
    expect(ran).toMatchObject({ code: 1, stdout: '' });
    expect(ran.stderr).toContain(`error[format-file]: cannot write ${name}`);
    expect(ran.stderr).toMatch(new RegExp(why, 'i'));
    expect(ran.stderr).toContain('help: name another file with --format');
  });
});

test('an apply checks files before the first request, and records it if writing a file fails later', async () => {
  const { cwd, env, service } = await workspace();
  const git = (...args: readonly string[]) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b.c', ...args], { cwd, encoding: 'utf8' });
  git('init', '--quiet', '-b', 'main');
  git('add', '.');
  git('commit', '--quiet', '-m', 'start');
  const apply = ['apply', '--auto-approve', '--record', '--lock', 'none', '--format'];
  const refused = await octavo([...apply, 'json=no/plan.json'], { cwd, env });
  expect(refused).toMatchObject({ code: 1, stdout: '' });
  expect(refused.stderr).toContain(
    'error[format-file]: cannot write no/plan.json: its folder does not exist',
  );
  expect((await octavo(['plan'], { cwd, env })).stdout).toContain('+ teams/writers');

  mkdirSync(join(cwd, 'out'));
  const proxy = await startProxy(service.url);
  onTestFinished(() => proxy.close());
  proxy.carriedOut = () => rmSync(join(cwd, 'out'), { recursive: true, force: true });
  const late = await octavo([...apply, 'json=out/plan.json'], {
    cwd,
    env: { ...env, OCTAVO_BASE_URL: proxy.url },
  });
  expect(late.stdout).toContain('Applied: 1 created');
  expect(late).toMatchObject({ code: 1, stderr: expect.stringContaining('cannot write out/plan.json') });
  expect(git('for-each-ref', 'refs/octavo')).toContain('refs/octavo/');
});

describe('lines of NDJSON', () => {
  test('match the schema, also the line of a failure', async () => {
    const { cwd, env } = await workspace();
    const ran = await octavo(['apply', '--auto-approve', '--format', 'ndjson'], { cwd, env });
    for (const line of lines(ran.stdout)) expect(isEventLine(JSON.parse(line)), line).toBe(true);
    expect(JSON.parse(lines(ran.stdout).at(-1) ?? '')).toMatchObject({
      type: 'end',
      outcome: 'complete',
    });
    const journals = join(cwd, '.octavo/journal');
    const kept = () => readdirSync(journals).filter((name) => name.endsWith('.ndjson'));
    expect(kept().map((name) => readFileSync(join(journals, name), 'utf8'))).toEqual([ran.stdout]);
    // A run without changes is printed, and has no journal.
    const empty = await octavo(['apply', '--auto-approve', '--format', 'ndjson'], { cwd, env });
    expect(lines(empty.stdout).map((line) => JSON.parse(line))).toMatchObject([
      { type: 'run', organizations: [{ label: 'org_acme', steps: [] }] },
      { type: 'end', outcome: 'complete' },
    ]);
    expect(kept()).toHaveLength(1);
    writeFileSync(join(cwd, 'acme.yaml'), 'octavo: 1\n');
    const failed = await octavo(['apply', '--auto-approve', '--format', 'ndjson'], { cwd, env });
    expect(failed.code).toBe(1);
    const [line = ''] = lines(failed.stdout);
    expect(JSON.parse(line)).toMatchObject({ type: 'failure' });
    expect(isEventLine(JSON.parse(line))).toBe(true);
  });
});

/** Runs a command as a step of a workflow, and reads its outputs and its summary. */
async function inGithub(args: readonly string[], { cwd, env }: Awaited<ReturnType<typeof workspace>>) {
  const [output, summary] = [join(cwd, 'output.txt'), join(cwd, 'summary.txt')];
  writeFileSync(output, '');
  writeFileSync(summary, '');
  const github = { GITHUB_OUTPUT: output, GITHUB_STEP_SUMMARY: summary, GITHUB_WORKSPACE: join(cwd, '..') };
  const ran = await octavo([...args, '--format', 'github'], { cwd, env: { ...env, ...github } });
  const values = lines(readFileSync(output, 'utf8')).map((line) => line.split(/=(.*)/s).slice(0, 2));
  return { ...ran, values: Object.fromEntries(values), summary: readFileSync(summary, 'utf8') };
}

/** The workflow commands that the runner would run: it ignores lines between stop-commands markers. */
function commandsIn(stdout: string): readonly string[] {
  let stop: string | undefined;
  return lines(stdout).filter((line) => {
    const text = line.trimStart();
    if (stop !== undefined) {
      if (text === `::${stop}::`) stop = undefined;
      return false;
    }
    stop = /^::stop-commands::(.+)$/.exec(text)?.[1];
    return text.startsWith('::') && stop === undefined;
  });
}

describe('GitHub Actions', () => {
  test('gets outputs, a summary, and annotations of risks for a plan', async () => {
    const own = await workspace(
      manifest(
        '{ writers: { title: Writers } }',
        'sites: { hub: { title: Hub, type: basic, visibility: public } }\n',
      ),
    );
    const ran = await inGithub(['plan'], own);
    expect(ran.code).toBe(0);
    expect(ran.values).toMatchObject({ changes: '2', deletes: '0', failure_reason: '' });
    expect(ran.values.digest).toMatch(/^[0-9a-f]{64}$/);
    expect(ran.values.approval).toMatch(/^[0-9a-f]{64}\./);
    expect(ran.summary).toContain('### octavo plan · Acme \\(org\\_acme\\) · 2 changes');
    const name = own.cwd.split('/').at(-1) ?? '';
    expect(commandsIn(ran.stdout).find((line) => line.startsWith('::warning'))).toContain(
      `::warning file=${name}/acme.yaml,line=4,`,
    );
    const withChanges = await inGithub(['plan', '--detailed-exitcode'], own);
    expect(withChanges).toMatchObject({ code: 2, values: { failure_reason: '2' } });
    const stale = await inGithub(['apply', '--auto-approve', '--approved', '0123456789ab'], own);
    expect(stale).toMatchObject({ code: 1, values: { failure_reason: 'unexpected-plan' } });
    const applied = await inGithub(['apply', '--auto-approve', '--approved', ran.values.approval ?? ''], own);
    expect(applied).toMatchObject({ code: 0, values: { failure_reason: '', changes: '2' } });
    expect(applied.summary).toContain('### octavo apply · org\\_acme · complete');
    const empty = await inGithub(['plan', '--detailed-exitcode'], own);
    expect(empty).toMatchObject({ code: 0, values: { changes: '0', failure_reason: '' } });
  });

  test('gets errors on the lines of refusals and mistakes', async () => {
    const own = await workspace(manifest('{ writers: { title: Writers, lifecycle: { protect: true } } }'));
    expect((await octavo(['apply', '--auto-approve'], own)).code).toBe(0);
    writeFileSync(
      join(own.cwd, 'acme.yaml'),
      manifest('{}', 'settings: { prune: unlisted, protect: [teams/**] }\n'),
    );
    const refused = await inGithub(['plan'], own);
    expect(refused).toMatchObject({ code: 3, values: { deletes: '1', failure_reason: '3' } });
    expect(commandsIn(refused.stdout).filter((line) => line.startsWith('::error'))).toHaveLength(1);
    expect((await inGithub(['apply', '--auto-approve'], own)).values.failure_reason).toBe('refused');
    writeFileSync(join(own.cwd, 'acme.yaml'), manifest('{ writers: { titel: Writers } }'));
    const wrong = await inGithub(['validate'], own);
    expect(wrong).toMatchObject({ code: 1, values: { changes: '', failure_reason: '1' } });
    expect(commandsIn(wrong.stdout)).toContainEqual(
      expect.stringMatching(/^::error file=[^,]+acme\.yaml,line=3,/),
    );
    const planned = await inGithub(['plan'], own);
    expect(commandsIn(planned.stdout)).toContainEqual(
      expect.stringMatching(/^::error file=[^,]+acme\.yaml,line=3,/),
    );
    expect(planned.summary).toContain('### octavo failed');
  });

  test.each([
    '::error::owned',
    '##[error]owned',
    '%0A::error::owned',
    'a\n::error::owned',
    '::stop-commands::x',
  ])('never runs a title as a workflow command: %j', async (title) => {
    const quoted = JSON.stringify(title);
    const own = await workspace(manifest(`{ writers: { title: ${quoted}, members: {} } }`));
    const ran = await inGithub(['plan'], own);
    expect(ran.code).toBe(0);
    expect(commandsIn(ran.stdout).map((line) => line.split(/ |::/)[1])).toEqual(['group', 'endgroup']);
    expect(Object.keys(ran.values)).toHaveLength(5);
  });
});
