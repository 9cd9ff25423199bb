/** Journals: how an apply writes them, and how later runs and `octavo history` use them. */
import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { JournalFolder } from '../../src/past/journal/journal-folder.ts';
import { readJournal } from '../../src/past/journal/read-journal.ts';
import type { FaultRule } from '../../src/server/index.ts';
import { git, initRepository } from './git.ts';
import { folder, octavo } from './octavo.ts';
import { served } from './served.ts';

const manifest = `octavo: 1
organization: { id: org_acme }
teams:
  docs: { title: Docs }
  ops: { title: Ops }
samlProviders:
  okta: { label: Okta, entityID: "https://okta.example/e", ssoURL: "https://okta.example/sso", certificate: "\${secret:CERT}" }
`;

async function workspace({ faults = [] }: { readonly faults?: readonly FaultRule[] } = {}) {
  const { service, env: of } = await served({ faults });
  const cwd = folder({ 'acme.yaml': manifest });
  const env = { ...of, CERT: 'VERY-S3CR3T-P3M-X' };
  /** Runs a command, and joins the wrapped lines of messages. */
  const run = async (...args: readonly string[]) => {
    const ran = await octavo(args, { cwd, env });
    return { ...ran, stderr: ran.stderr.replaceAll(/\n {4}/g, ' ') };
  };
  const journals = join(cwd, '.octavo/journal');
  const names = () => readdirSync(journals).sort();
  return { service, cwd, env, run, journals, names };
}

/** Cuts a journal as a killed run does: its first lines, with a process that no longer exists. */
function cutOff(file: string, lines: number): void {
  const text = readFileSync(file, 'utf8').split('\n').slice(0, lines).join('\n');
  writeFileSync(
    file,
    `${text.replace(/"process":\{[^}]*"pid":\d+/, (found) => found.replace(/\d+$/, '999999999'))}\n{"type":"respon`,
  );
}

test('records each request with its response in a journal, without the token', async () => {
  const { run, journals, names, cwd } = await workspace();
  expect((await run('apply', '--auto-approve')).code).toBe(0);
  const [name = ''] = names();
  const text = readFileSync(join(journals, name), 'utf8');
  expect(text).not.toContain('VERY-S3CR3T-P3M-X');
  expect(text).not.toContain('octavo-local-token');
  const types = text
    .trimEnd()
    .split('\n')
    .map((line) => (JSON.parse(line) as { type: string }).type);
  expect(types[0]).toBe('run');
  expect(types.at(-1)).toBe('end');
  const count = (type: string) => types.filter((one) => one === type).length;
  expect(count('request')).toBe(count('response'));
  expect(count('request')).toBeGreaterThanOrEqual(3);
  expect(readFileSync(join(cwd, '.octavo/.gitignore'), 'utf8')).toBe('*\n');
  const read = readJournal(new JournalFolder(cwd), name.replace('.ndjson', ''));
  expect([...(read.made.get('org_acme') ?? [])].map(([address]) => address).sort()).toEqual([
    'samlProviders/okta',
    'teams/docs',
    'teams/ops',
  ]);
});

test('writes no journal for a plan, or for an apply without changes', async () => {
  const { run, journals, names } = await workspace();
  await run('plan');
  expect(existsSync(journals)).toBe(false);
  await run('apply', '--auto-approve');
  await run('apply', '--auto-approve');
  expect(names()).toHaveLength(1);
});

test('sends no request if the journal cannot be written', async () => {
  const { run, cwd, service } = await workspace();
  writeFileSync(join(cwd, '.octavo'), 'a file');
  const ran = await run('apply', '--auto-approve');
  expect(ran.code).toBe(1);
  expect(ran.stderr).toContain('error[journal]: cannot write the journal in .octavo/journal');
  expect(service.store.every('team')).toHaveLength(0);
  expect(ran.stderr).toContain('make the folder writable');
  rmSync(join(cwd, '.octavo'));
  expect(await run('apply', '--auto-approve')).toMatchObject({ code: 0 });
  expect(service.store.every('team')).not.toHaveLength(0);
});

describe('a run that was killed', () => {
  test('is named by the next commands, which use its ids, until the next apply', async () => {
    const { run, journals, names, service, cwd } = await workspace();
    await run('apply', '--auto-approve');
    const [name = ''] = names();
    cutOff(join(journals, name), 7);
    const [docs] = service.store.every('team').filter(({ title }) => title === 'Docs');
    const id = name.replace('.ndjson', '');
    // Renamed in the app, so only the id identifies the team.
    await octavo(
      ['api', 'teams.update', 'organizationId=org_acme', `teamId=${docs?.id}`, '-F', 'title=Writers'],
      { cwd, env: { OCTAVO_BASE_URL: service.url, OCTAVO_TOKEN: service.token } },
    );
    const journal = readJournal(new JournalFolder(cwd), id);
    expect(journal.ending).toBeUndefined();
    const isKnown = journal.made.get('org_acme')?.has('teams/docs') === true;
    const plan = await run('plan');
    expect(plan.stderr).toContain(`(run ${id}) ended without a result`);
    expect(plan.stderr).toContain(`octavo history ${id}`);
    expect(plan.stdout.includes('~ teams/docs')).toBe(isKnown);
    const details = await run('history', id);
    expect(details.stdout).toContain('ended without a result');
    const applied = await run('apply', '--auto-approve');
    expect(applied.stderr).toContain('ended without a result');
    expect((await run('plan')).stderr).not.toContain('ended without a result');
  });

  test('is not named for another service, or while it is still running', async () => {
    const { run, journals, names, cwd } = await workspace();
    await run('apply', '--auto-approve');
    const [name = ''] = names();
    const file = join(journals, name);
    const whole = readFileSync(file, 'utf8');
    // The journal names this process, which is running.
    writeFileSync(file, whole.split('\n').slice(0, 3).join('\n'));
    expect((await run('plan')).stderr).not.toContain('ended without a result');
    cutOff(file, 3);
    expect((await run('plan')).stderr).toContain('ended without a result');
    const elsewhere = await workspace();
    const there = await octavo(['plan'], { cwd, env: elsewhere.env });
    expect(there.stderr).not.toContain('ended without a result');
  });
});

describe('history', () => {
  test('names the service of each run if there are several', async () => {
    const { run, cwd, service } = await workspace();
    await run('apply', '--auto-approve');
    expect((await run('history')).stdout).not.toContain(service.url);
    const elsewhere = await workspace();
    await octavo(['apply', '--auto-approve'], { cwd, env: elsewhere.env });
    const listed = (await run('history')).stdout.trimEnd().split('\n');
    expect(listed).toHaveLength(2);
    expect(listed[0]).toContain(`at ${elsewhere.service.url}`);
    expect(listed[1]).toContain(`at ${service.url}`);
  });

  test('lists runs and records, shows one run, and names a missing journal', async () => {
    const { run, cwd } = await workspace();
    initRepository(cwd);
    git(cwd, 'add', '.');
    git(cwd, 'commit', '-qm', 'first');
    expect((await run('apply', '--auto-approve', '--record')).code).toBe(0);
    const listed = await run('history');
    expect(listed).toMatchObject({ code: 0, stderr: '' });
    expect(listed.stdout).toMatch(
      /^r-[0-9a-z]+-[0-9a-f]{8} {2}\d{4}-\d\d-\d\d \d\d:\d\d:\d\d {2}apply {2}complete {2}\d of \d steps, org_acme, [0-9a-f]{10}, recorded\n$/,
    );
    const id = listed.stdout.split(' ')[0] ?? '';
    const shown = await run('history', id);
    expect(shown.stdout).toContain('  ✓ teams/docs created');
    expect(shown.stdout).toMatch(/teams\/docs \(team_\w+\)/);
    const json = JSON.parse((await run('history', id, '--format', 'json')).stdout) as { steps: unknown[] };
    expect(json.steps.length).toBeGreaterThan(2);
    const wrong = await run('history', `${id.slice(0, -1)}x`);
    expect(wrong.code).toBe(1);
    expect(wrong.stderr).toContain(`did you mean ${id}?`);
    // A clone has the record, and fetches the journal from the remote.
    const clone = folder({});
    git(clone, 'clone', '-q', cwd, '.');
    git(clone, 'fetch', '-q', 'origin', 'refs/octavo/applied/*:refs/octavo/applied/*');
    expect((await octavo(['history'], { cwd: clone })).stdout).toContain('recorded');
    const there = await octavo(['history', id], { cwd: clone });
    expect(there.stdout).toContain('  ✓ teams/docs created');
    git(cwd, 'update-ref', '-d', `refs/octavo/journals/org_acme/${id}`);
    const missing = await octavo(['history', id], { cwd: clone });
    expect(missing.stderr.replaceAll(/\s+/g, ' ')).toContain(
      `no journal of a run "${id}" in .octavo/journal, nor in git (refs/octavo/journals of origin)`,
    );
  });

  test('handles an empty workspace and damaged journals', async () => {
    const cwd = folder({});
    expect((await octavo(['history'], { cwd })).stdout).toBe('No runs in .octavo/journal.\n');
    mkdirSync(join(cwd, '.octavo/journal'), { recursive: true });
    for (const [at, text] of ['', '{', '[]', '{"type":"run"}', '\u0000\u0001', 'x'.repeat(100_000)].entries())
      writeFileSync(join(cwd, `.octavo/journal/r-mdlq2v9k-000${at}.ndjson`), text);
    const listed = await octavo(['history'], { cwd });
    expect(listed.code).toBe(0);
    expect(listed.stdout).toContain('6 journals in .octavo/journal cannot be read');
    const one = await octavo(['history', 'r-mdlq2v9k-0001'], { cwd });
    expect(one.code).toBe(1);
    expect(one.stderr).toMatch(/its first line is\s+missing or damaged/);
  });
});

test('only the newest 200 older journals are kept', async () => {
  const { run, journals, names } = await workspace();
  mkdirSync(journals, { recursive: true });
  for (let at = 0; at < 230; at += 1)
    writeFileSync(join(journals, `r-aaaa${String(at).padStart(4, '0')}-0000.ndjson`), 'x');
  writeFileSync(join(journals, 'notes.txt'), 'mine');
  appendFileSync(join(journals, 'r-aaaa0000-0000.ndjson'), '');
  await run('apply', '--auto-approve');
  expect(names()).toContain('notes.txt');
  expect(names().filter((name) => name.startsWith('r-aaaa'))).toHaveLength(200);
  expect(names()).not.toContain('r-aaaa0000-0000.ndjson');
});

describe('author and approval', () => {
  const csvOf = (text: string) =>
    text
      .trimEnd()
      .split('\r\n')
      .map((row) => row.split(','));

  test('of each record are listed on another machine from the remote', async () => {
    const { run, cwd, env } = await workspace();
    writeFileSync(
      join(cwd, 'acme.yaml'),
      `${manifest.replace('{ id: org_acme }', 'org_acme')}settings: { self: deploy@acme.dev }\n`,
    );
    const remote = folder({});
    git(remote, 'init', '-q', '--bare');
    initRepository(cwd);
    git(cwd, 'remote', 'add', 'origin', remote);
    git(cwd, 'add', '.');
    git(cwd, 'commit', '-qm', 'first');
    git(cwd, 'push', '-q', 'origin', 'HEAD:main');
    git(remote, 'symbolic-ref', 'HEAD', 'refs/heads/main');
    const plan = JSON.parse((await run('plan', '--format', 'json')).stdout) as { approval: string };
    const actions = { ...env, GITHUB_ACTIONS: 'true', GITHUB_ACTOR: 'ada', CI_COMMIT_SHA: '' };
    const applied = ['apply', '--auto-approve', '--record=origin', '--approved', plan.approval];
    expect((await octavo(applied, { cwd, env: actions })).code).toBe(0);
    // Another user applies a saved plan in a GitLab pipeline.
    writeFileSync(
      join(cwd, 'more.yaml'),
      'octavo: 1\norganization: org_acme\nteams:\n  more: { title: More }\n',
    );
    git(cwd, 'add', '.');
    git(cwd, 'commit', '-qm', 'second');
    expect((await run('plan', '--out', 'plan.json')).code).toBe(0);
    const second = await octavo(['apply', 'plan.json', '--record=origin'], {
      cwd,
      env: { ...env, GITLAB_USER_LOGIN: '=bob' },
    });
    expect(second).toMatchObject({ code: 0 });
    // A third apply by hand, without an approval.
    writeFileSync(
      join(cwd, 'more.yaml'),
      'octavo: 1\norganization: org_acme\nteams:\n  more: { title: Most }\n',
    );
    git(cwd, 'commit', '-qam', 'third');
    expect((await run('apply', '--auto-approve', '--record=origin')).code).toBe(0);
    const clone = folder({});
    git(clone, 'clone', '-q', remote, '.');
    const listed = await octavo(['history', '--format', 'csv'], { cwd: clone });
    expect(listed.stderr).toBe('');
    const [header = [], ...rows] = csvOf(listed.stdout);
    const at = (name: string) => rows.map((row) => row[header.indexOf(name)]);
    expect(at('approval')).toEqual(['none', 'saved', 'approved']);
    expect(at('actor').slice(1)).toEqual(["'=bob", 'ada']);
    expect(at('actor')[0]).toMatch(/@/);
    expect(at('account')).toEqual(['deploy@acme.dev', 'deploy@acme.dev', 'deploy@acme.dev']);
    expect(at('approved')[2]).toBe(plan.approval.split('.')[0]);
    expect(at('approved')[1]).toBe(at('digest')[1]);
    expect(at('commit')[2]).toBe(git(cwd, 'rev-parse', 'HEAD~2').trim());
    expect(git(clone, 'for-each-ref', 'refs/octavo')).toBe('');
    const oldest = rows[2]?.[header.indexOf('run')] ?? '';
    const shown = await octavo(['history', oldest], { cwd: clone });
    expect(shown.stdout).toContain('By             ada, with the token of deploy@acme.dev\n');
    expect(shown.stdout).toContain(`Approval       approved ${plan.approval.slice(0, 16)}\n`);
    // A narrow terminal omits the author.
    expect((await octavo(['history'], { cwd: clone })).stdout).not.toContain('by ada');
    const one = csvOf((await octavo(['history', oldest, '--format', 'csv'], { cwd: clone })).stdout);
    expect(one).toHaveLength(2);
    expect((await octavo(['history', oldest, '--all'], { cwd: clone })).stderr).toContain(
      '--all does not apply to a run',
    );
  });

  /** Adds a record with other content, as another version of Octavo could. */
  function record(cwd: string, change: object): void {
    const ref = 'refs/octavo/applied/org_acme';
    const content = JSON.parse(git(cwd, 'show', `${ref}:applied.json`)) as object;
    writeFileSync(join(cwd, 'applied.json'), JSON.stringify({ ...content, ...change }));
    const blob = git(cwd, 'hash-object', '-w', 'applied.json').trim();
    const tree = execFileSync('git', ['mktree'], {
      cwd,
      input: `100644 blob ${blob}\tapplied.json\n`,
      encoding: 'utf8',
    }).trim();
    const commit = git(cwd, 'commit-tree', tree, '-p', ref, '-p', 'HEAD', '-m', 'Apply').trim();
    git(cwd, 'update-ref', ref, commit);
    rmSync(join(cwd, 'applied.json'));
  }

  test('do not depend on exemptions that cannot be read', async () => {
    const { run, cwd } = await workspace();
    initRepository(cwd);
    git(cwd, 'add', '.');
    git(cwd, 'commit', '-qm', 'first');
    expect((await run('apply', '--auto-approve', '--record')).code).toBe(0);
    const exemption = { rule: 'title-case', by: 'ada', why: 'a brand, as it is', address: 'teams/docs' };
    record(cwd, {
      run: 'r-mdlq2v9k-00000001',
      exemptions: [exemption],
      approval: { type: 'by vote', digest: 'x' },
    });
    record(cwd, { run: 'r-mdlq2v9k-00000002', exemptions: [{ rule: 7 }], later: true });
    const { runs } = JSON.parse((await run('history', '--format', 'json')).stdout) as {
      runs: readonly { run: string; exemptions?: unknown; approval?: unknown; isRecorded: boolean }[];
    };
    expect(runs).toHaveLength(3);
    expect(runs.every(({ isRecorded }) => isRecorded)).toBe(true);
    const found = (name: string) => runs.find(({ run: id }) => id.endsWith(name));
    expect(found('1')).toMatchObject({ exemptions: [exemption], approval: { type: 'by vote', digest: 'x' } });
    expect(found('2')?.exemptions).toEqual([]);
    const csv = (await run('history', '--format', 'csv')).stdout;
    expect(csv).toContain('"title-case on teams/docs, by ada: a brand, as it is"');
    // A plan can use these records as its base.
    expect(await run('plan')).toMatchObject({ code: 0 });
  });

  test('are listed with --all for more than the latest 50 records', async () => {
    const { run, cwd } = await workspace();
    initRepository(cwd);
    git(cwd, 'add', '.');
    git(cwd, 'commit', '-qm', 'first');
    expect((await run('apply', '--auto-approve', '--record')).code).toBe(0);
    for (let at = 0; at < 55; at += 1) record(cwd, { run: `r-mdlq2v9k-${String(at).padStart(8, '0')}` });
    const count = async (...args: string[]) =>
      (await run('history', ...args)).stdout.trimEnd().split('\n').length;
    expect(await count()).toBe(50);
    expect(await count('--all')).toBe(56);
    const values = async (...args: string[]) => (await run('history', 'teams/docs.title', ...args)).stdout;
    expect(await values()).toMatch(/\n {2}What happened before .*: add --all\n$/);
    expect(await values('--all')).toMatch(/added with "Docs"\n.*\n$/);
  });
});
