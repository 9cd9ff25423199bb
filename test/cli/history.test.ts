/** Journals: what an apply writes down, what a later run makes of it, and how people read it. */
import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { JournalFolder } from '../../src/run/journal/journal-folder.ts';
import { readJournal } from '../../src/run/journal/read-journal.ts';
import { type FaultRule, startService } from '../../src/server/index.ts';
import { git } from './git.ts';
import { folder, octavo } from './octavo.ts';

const manifest = `octavo: 1
organization: { id: org_acme }
teams:
  docs: { title: Docs }
  ops: { title: Ops }
samlProviders:
  okta: { label: Okta, entityID: "https://okta.example/e", ssoURL: "https://okta.example/sso", certificate: "\${secret:CERT}" }
`;

async function workspace({ faults = [] }: { readonly faults?: readonly FaultRule[] } = {}) {
  const service = await startService({
    data: ':memory:',
    seed: { organizations: [{ id: 'org_acme', title: 'Acme' }] },
    faults,
  });
  onTestFinished(() => service.close());
  const cwd = folder({ 'acme.yaml': manifest });
  const env = { OCTAVO_BASE_URL: service.url, OCTAVO_TOKEN: service.token, CERT: 'VERY-S3CR3T-P3M-X' };
  /** Messages are wrapped; here they are one line. */
  const run = async (...args: readonly string[]) => {
    const ran = await octavo(args, { cwd, env });
    return { ...ran, stderr: ran.stderr.replaceAll(/\n {4}/g, ' ') };
  };
  const journals = join(cwd, '.octavo/journal');
  const names = () => readdirSync(journals).sort();
  return { service, cwd, env, run, journals, names };
}

/** What is left of a journal whose run was killed: its first lines, and the process of somebody who is gone. */
function cutOff(file: string, lines: number): void {
  const text = readFileSync(file, 'utf8').split('\n').slice(0, lines).join('\n');
  writeFileSync(
    file,
    `${text.replace(/"process":\{[^}]*"pid":\d+/, (found) => found.replace(/\d+$/, '999999999'))}\n{"type":"respon`,
  );
}

test('each request is written down before it is sent and after; secrets are not', async () => {
  const { run, journals, names, cwd } = await workspace();
  expect((await run('apply', '--auto-approve')).code).toBe(0);
  const [name = ''] = names();
  const text = readFileSync(join(journals, name), 'utf8');
  expect(text).not.toContain('VERY-SECRET');
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

test('a plan, and an apply without changes, write nothing', async () => {
  const { run, journals, names } = await workspace();
  await run('plan');
  expect(existsSync(journals)).toBe(false);
  await run('apply', '--auto-approve');
  await run('apply', '--auto-approve');
  expect(names()).toHaveLength(1);
});

test('where the journal cannot be written, nothing is sent', async () => {
  const { run, cwd, service } = await workspace();
  writeFileSync(join(cwd, '.octavo'), 'a file');
  const ran = await run('apply', '--auto-approve');
  expect(ran.code).toBe(1);
  expect(ran.stderr).toContain('error[journal]: cannot write the journal in .octavo/journal');
  expect(service.store.every('team')).toHaveLength(0);
});

describe('a run that died', () => {
  test('is named at the next start, its ids are used, and it is named no more after an apply', async () => {
    const { run, journals, names, service, cwd } = await workspace();
    await run('apply', '--auto-approve');
    const [name = ''] = names();
    cutOff(join(journals, name), 7);
    const [docs] = service.store.every('team').filter(({ title }) => title === 'Docs');
    const id = name.replace('.ndjson', '');
    // Renamed in the app meanwhile: only the id tells which team it is.
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

  test('runs of another service, and runs that still go on, are not named', async () => {
    const { run, journals, names, cwd } = await workspace();
    await run('apply', '--auto-approve');
    const [name = ''] = names();
    const file = join(journals, name);
    const whole = readFileSync(file, 'utf8');
    // This very process: it runs.
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
  test('runs of several services in one folder name their service', async () => {
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

  test('lists runs and records, shows one, and says what is not known', async () => {
    const { run, cwd } = await workspace();
    git(cwd, 'init', '-q');
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
    // A clone has the record, and asks for the journal beside it.
    const clone = folder({});
    git(clone, 'clone', '-q', cwd, '.');
    git(clone, 'fetch', '-q', 'origin', 'refs/octavo/applied/*:refs/octavo/applied/*');
    expect((await octavo(['history'], { cwd: clone })).stdout).toContain('recorded');
    const there = await octavo(['history', id], { cwd: clone });
    expect(there.stdout).toContain('  ✓ teams/docs created');
    git(cwd, 'update-ref', '-d', `refs/octavo/journals/org_acme/${id}`);
    const gone = await octavo(['history', id], { cwd: clone });
    expect(gone.stderr.replaceAll(/\s+/g, ' ')).toContain(
      `no journal of a run "${id}" in .octavo/journal, nor in git (refs/octavo/journals of origin)`,
    );
  });

  test('an empty workspace, and damaged journals', async () => {
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

test('old journals are removed, the last ones stay', async () => {
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
