/** Many organizations over several machines: the same split everywhere, nobody twice, and the same end state. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { parse } from 'yaml';
import type { JoinedReport } from '../../src/run/join-runs.ts';
import { startService } from '../../src/server/index.ts';
import { brokenInvariants } from '../support/invariants.ts';
import { isDeep } from '../support/runs.ts';
import { folder, octavo, root } from './octavo.ts';

const fleet = join(root, 'examples/fleet/organizations');
const office = readFileSync(join(fleet, 'office.yaml'), 'utf8');
const records = readFileSync(join(fleet, 'list.yaml'), 'utf8').split('\n');
/** By default a part of the example, since each organization takes its time; test:deep takes all 200 of them. */
const list = (isDeep ? records : records.slice(0, 11)).join('\n');
const manifests: Readonly<Record<string, string>> = { 'office.yaml': office, 'list.yaml': list };
const ids = [...list.matchAll(/key: (\w+)/g)].map(([, id = '']) => id);

async function service() {
  const seed = { organizations: ids.map((id) => ({ id, title: id })) };
  const started = await startService({ data: ':memory:', seed });
  onTestFinished(() => started.close());
  const env = { OCTAVO_BASE_URL: started.url, OCTAVO_TOKEN: started.token };
  const cwd = folder(manifests);
  const run = (...args: readonly string[]) => octavo(args, { cwd, env });
  return { ...started, env, run };
}

/** What there is, without ids and times: the same for every way to split. */
function stateOf({ store }: FleetService): readonly string[] {
  const kinds = ['org', 'team', 'collection', 'site', 'translation'] as const;
  const rows = kinds.flatMap((kind) => store.every(kind).map(({ org, title }) => `${kind} ${org} ${title}`));
  return rows.sort();
}

interface PlanJson {
  readonly organizations: readonly { readonly label: string }[];
}

type FleetService = Awaited<ReturnType<typeof service>>;

/** Applies all shards at the same time, each as a command of its own; gives their joined report. */
async function applyIn(count: number, { run }: FleetService): Promise<JoinedReport> {
  const shards = Array.from({ length: count }, (_, at) => `${at + 1}/${count}`);
  const files = shards.map((_, at) => `report-${at}.json`);
  const ran = await Promise.all(
    shards.map((shard, at) =>
      run('apply', '--shard', shard, '--auto-approve', '--format', `json=${files[at]}`),
    ),
  );
  expect(ran.map(({ code }) => code)).toEqual(shards.map(() => 0));
  const merged = await run('report', 'merge', ...files, '--format', 'json');
  expect(merged).toMatchObject({ code: 0, stderr: '' });
  return JSON.parse(merged.stdout) as JoinedReport;
}

test('1, 4 and 16 shards give the same end state, each organization once, and then there is nothing left', async () => {
  const states: (readonly string[])[] = [];
  for (const count of [1, 4, 16]) {
    const started = await service();
    const { runs, outcome, shards, counts } = await applyIn(count, started);
    const organizations = runs.flatMap((run) => run.organizations);
    expect(organizations.map(({ id }) => id).sort()).toEqual([...ids].sort());
    expect({ outcome, shards }).toEqual({ outcome: 'complete', shards: { of: count, missing: [] } });
    expect(counts.done).toBe(organizations.reduce((sum, { steps }) => sum + steps.length, 0));
    states.push(stateOf(started));
    const again = await started.run('plan', '--detailed-exitcode');
    expect(again).toMatchObject({ code: 0 });
    expect(again.stdout).toMatch(/\nNo changes. Live state matches the manifests.\n$/);
    const shard = await started.run('plan', '--detailed-exitcode', '--shard', `${count}/${count}`);
    expect(shard).toMatchObject({ code: 0 });
    expect(brokenInvariants(started)).toEqual([]);
  }
  expect(states[1]).toEqual(states[0]);
  expect(states[2]).toEqual(states[0]);
});

describe('octavo matrix', () => {
  const matrix = (...args: string[]) => octavo(['matrix', ...args], { cwd: root });

  test('lists the shards, each with its organizations and objects', async () => {
    const { code, stdout } = await matrix('-f', 'examples/fleet', '--of', '4', '--format', 'json');
    expect(code).toBe(0);
    interface Listed {
      readonly shards: readonly { shard: string; organizations: readonly string[]; objects: number }[];
    }
    const { shards } = JSON.parse(stdout) as Listed;
    expect(shards.map(({ shard }) => shard)).toEqual(['1/4', '2/4', '3/4', '4/4']);
    expect(new Set(shards.flatMap(({ organizations }) => organizations)).size).toBe(200);
    const sizes = shards.map(({ objects }) => objects);
    expect(Math.max(...sizes) - Math.min(...sizes)).toBeLessThanOrEqual(1);
    expect((await matrix('-f', 'examples/multi', '--of', '4')).stdout).toMatch(
      /^2 organizations in 2 shards:\n {2}1\/2 {2}1 organization, 4 objects: org_docs_staging\n/,
    );
  });

  test('what it lists is what a shard plans', async () => {
    const started = await service();
    const { stdout } = await started.run('matrix', '--of', '3', '--format', 'json');
    const { shards } = JSON.parse(stdout) as {
      shards: readonly { shard: string; organizations: string[] }[];
    };
    for (const { shard, organizations } of shards) {
      const plan = await started.run('plan', '--shard', shard, '--format', 'json');
      const { organizations: planned } = JSON.parse(plan.stdout) as PlanJson;
      expect(planned.map(({ label }) => label)).toEqual(organizations);
    }
  });

  test('in the form of GitHub: one line, jobs only for shards that have organizations', async () => {
    const { stdout } = await matrix('-f', 'examples/multi', '--of', '16', '--format', 'github');
    expect(stdout.split('\n')).toHaveLength(2);
    expect(JSON.parse(stdout)).toEqual({
      include: [
        { shard: '1/2', organizations: 1, objects: expect.any(Number) },
        { shard: '2/2', organizations: 1, objects: expect.any(Number) },
      ],
    });
  });

  test('in the form of GitLab: one line, which is YAML', async () => {
    const { stdout } = await matrix('-f', 'examples/multi', '--of', '2', '--format', 'gitlab');
    expect(stdout.split('\n')).toHaveLength(2);
    expect(parse(`job:\n  parallel:\n    matrix: ${stdout}`)).toEqual({
      job: { parallel: { matrix: [{ OCTAVO_SHARD: ['1/2', '2/2'] }] } },
    });
  });

  test.each([
    [[], 'pass --of, for example --of 4'],
    [['--of', '0'], '--of must be from 1 to 1000 with --format text, is 0'],
    [['--of', '257', '--format', 'github'], '--of must be from 1 to 256 with --format github, is 257'],
    [['--of', '201', '--format', 'gitlab'], '--of must be from 1 to 200 with --format gitlab, is 201'],
    [['--of', 'many'], '--of must be a whole number, is "many"'],
  ])('%j is a mistake', async (args, message) => {
    expect(await matrix('-f', 'examples/multi', ...args)).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining(message),
    });
  });
});

describe('--shard', () => {
  test.each([
    [['--shard', '3/2'], {}, '--shard must be i/n'],
    [[], { OCTAVO_SHARD: 'x' }, 'OCTAVO_SHARD must be i/n'],
  ])('%j %j is a mistake', async (args, env, message) => {
    const ran = await octavo(['plan', '-f', 'examples/multi', '--base-url', 'local', ...args], { env });
    expect(ran).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining(message) });
  });

  test('without organizations there is nothing to do, which is said; its saved plan can be applied', async () => {
    const started = await service();
    const text = (label: string) => `octavo: 1\norganization: { id: ${label} }\nteams: { a: { title: A } }\n`;
    const cwd = folder({ 'a.yaml': text(ids[0] ?? ''), 'b.yaml': text(ids[1] ?? '') });
    const { env } = started;
    const plan = await octavo(['plan', '--out', 'plan.json'], { cwd, env: { ...env, OCTAVO_SHARD: '3/3' } });
    expect(plan).toMatchObject({ code: 0 });
    expect(plan.stdout).toBe(
      'Partial plan: shard 3/3 with none of 2 organizations.\n\nNo changes to apply.\nPartial plan: shard 3/3 with none of 2 organizations.\n',
    );
    const applied = await octavo(['apply', 'plan.json'], { cwd, env });
    expect(applied).toMatchObject({ code: 0, stdout: plan.stdout });
  });

  test('a saved plan of a shard says so, and applies its organizations and no others', async () => {
    const started = await service();
    const text = (label: string) => `octavo: 1\norganization: { id: ${label} }\nteams: { a: { title: A } }\n`;
    const cwd = folder({ 'a.yaml': text(ids[0] ?? ''), 'b.yaml': text(ids[1] ?? '') });
    const { env, store } = started;
    const target = [`--target`, `${ids[1]}/teams/**`];
    expect(await octavo(['plan', '--shard', '1/2', ...target], { cwd, env })).toMatchObject({ code: 0 });
    expect((await octavo(['plan', '--shard', '1/2', '--target', 'teems/**'], { cwd, env })).stderr).toContain(
      'matches no address',
    );
    expect(await octavo(['plan', '--shard', '2/2', '--out', 'plan.json'], { cwd, env })).toMatchObject({
      code: 0,
    });
    const changed = await octavo(['apply', 'plan.json', '--shard', '1/2'], { cwd, env });
    expect(changed.stderr).toContain('--shard cannot change a saved plan');
    const applied = await octavo(['apply', 'plan.json'], { cwd, env });
    expect(applied.stdout).toContain('Partial plan: shard 2/2 with 1 of 2 organizations.');
    expect(store.every('team')).toHaveLength(1);
  });
});

describe('octavo report merge', () => {
  /** Two shards of three organizations, of which the second is locked by somebody else. */
  async function reports() {
    const started = await service();
    const text = (label: string) => `octavo: 1\norganization: { id: ${label} }\nteams: { a: { title: A } }\n`;
    const cwd = folder({ 'a.yaml': text(ids[0] ?? ''), 'b.yaml': text(ids[1] ?? '') });
    const { env } = started;
    const run = (...args: string[]) => octavo(args, { cwd, env });
    const apply = (shard: string, file: string) =>
      run('apply', '--auto-approve', '--shard', shard, '--format', `json=${file}`);
    return { run, apply, cwd };
  }

  test('names the shards that are missing and the runs that are not complete', async () => {
    const { run, apply } = await reports();
    expect(await apply('1/2', 'one.json')).toMatchObject({ code: 0 });
    const half = await run('report', 'merge', 'one.json');
    expect(half.code).toBe(1);
    expect(half.stdout.replace(/ {2}r-\S+/, '  r-1').replace(/ {2}\d+ s/, '  0 s')).toBe(
      'octavo apply, 1 of 2 shards: incomplete\n\n  1/2  complete  1 organization  0 s  r-1\n\nNo run of shard 2/2.\n\n1 organization: 1 step done\n',
    );
    expect(
      await run(
        'apply',
        '--auto-approve',
        '--shard',
        '2/2',
        '--lock',
        'git:origin',
        '--format',
        'json=two.json',
      ),
    ).toMatchObject({ code: 1 });
    const whole = await run('report', 'merge', 'two.json', 'one.json');
    expect(whole.code).toBe(1);
    expect(whole.stdout).toMatch(
      /^octavo apply, 2 of 2 shards: incomplete\n\n {2}1\/2 {2}complete .*\n {2}2\/2 {2}failed .*\n {6}the lock is in the git remote origin/,
    );
    expect(await apply('2/2', 'again.json')).toMatchObject({ code: 0 });
    expect(await run('report', 'merge', 'one.json', 'again.json')).toMatchObject({ code: 0 });
    const twice = await run('report', 'merge', 'one.json', 'two.json', 'again.json');
    expect(twice).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining('error[report-merge]: two.json (run r-'),
    });
  });

  test.each([
    [[], 'octavo report needs a word: merge'],
    [['join', 'a.json'], 'octavo report cannot "join"'],
    [['merge'], 'no runs to join'],
    [['merge', 'missing.json'], 'cannot read missing.json: it does not exist'],
    [['merge', 'text.json'], 'text.json is not the JSON of a run: it is not JSON'],
    [['merge', 'other.json'], 'other.json is not the JSON of a run: run: '],
    [['merge', 'merged.json'], 'merged.json is not the JSON of a run: it is joined already'],
  ])('%j is a mistake', async (words, message) => {
    const cwd = folder({
      'text.json': 'no',
      'other.json': '{"format":1}',
      'merged.json': '{"format":1,"joined":true}',
    });
    const ran = await octavo(['report', ...words], { cwd });
    expect(ran).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining(message) });
  });
});

test('organizations without changes are one line', async () => {
  const fleet = await service();
  expect(await fleet.run('apply', '--auto-approve')).toMatchObject({ code: 0 });
  await fleet.run('api', 'orgs.update', `organizationId=${ids[0]}`, '-F', 'title=Renamed');
  const { stdout } = await fleet.run('plan');
  expect(stdout.match(/^Organization /gm)).toHaveLength(1);
  expect(stdout).toContain(`\n${ids.length - 1} organizations   base none   no changes\n`);
});
