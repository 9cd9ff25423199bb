/** Many organizations on several machines: the same split on each, no organization twice, and the same end state. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { brokenInvariants } from '../support/invariants.ts';
import { isDeep } from '../support/runs.ts';
import { folder, octavo, root } from './octavo.ts';
import { served } from './served.ts';

const fleet = join(root, 'examples/fleet/organizations');
const office = readFileSync(join(fleet, 'office.yaml'), 'utf8');
const records = readFileSync(join(fleet, 'list.yaml'), 'utf8').split('\n');
/** By default a part of the example, since each organization is slow; test:deep uses all 200. */
const list = (isDeep ? records : records.slice(0, 11)).join('\n');
const manifests: Readonly<Record<string, string>> = { 'office.yaml': office, 'list.yaml': list };
const ids = [...list.matchAll(/key: (\w+)/g)].map(([, id = '']) => id);

async function service(config = '') {
  const seed = { organizations: ids.map((id) => ({ id, title: id })) };
  const { service: started, env } = await served({ seed });
  const cwd = folder({ ...manifests, ...(config === '' ? {} : { 'octavo.config.yaml': config }) });
  const run = (...args: readonly string[]) => octavo(args, { cwd, env });
  return { ...started, env, run, cwd };
}

/** The state of the service without ids and times, which is the same for any number of shards. */
function stateOf({ store }: FleetService): readonly string[] {
  const kinds = ['org', 'team', 'collection', 'site', 'translation'] as const;
  const rows = kinds.flatMap((kind) => store.every(kind).map(({ org, title }) => `${kind} ${org} ${title}`));
  return rows.sort();
}

interface PlanJson {
  readonly organizations: readonly { readonly label: string }[];
}

type FleetService = Awaited<ReturnType<typeof service>>;

interface RunJson {
  readonly organizations: readonly { readonly label: string; readonly steps: readonly unknown[] }[];
}

/** Applies all shards concurrently, one command each; returns their runs and the joined report. */
async function applyIn(count: number, { run, cwd }: FleetService) {
  const shards = Array.from({ length: count }, (_, at) => `${at + 1}/${count}`);
  const files = shards.map((_, at) => `report-${at}.json`);
  const ran = await Promise.all(
    shards.map((shard, at) =>
      run('apply', '--shard', shard, '--auto-approve', '--format', `json=${files[at]}`),
    ),
  );
  expect(ran.map(({ code }) => code)).toEqual(shards.map(() => 0));
  const { code, stdout, stderr } = await run('ci', 'join', ...files);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  const runs = files.map((file) => JSON.parse(readFileSync(join(cwd, file), 'utf8')) as RunJson);
  return { text: stdout, organizations: runs.flatMap((one) => one.organizations) };
}

test('1, 4 and 16 shards apply each organization once, to the same end state and an empty plan', async () => {
  const states: (readonly string[])[] = [];
  for (const count of [1, 4, 16]) {
    const started = await service();
    const { text, organizations } = await applyIn(count, started);
    expect(organizations.map(({ label }) => label).sort()).toEqual([...ids].sort());
    const done = organizations.reduce((sum, { steps }) => sum + steps.length, 0);
    expect(text.split('\n').at(0)).toBe(
      `octavo apply, ${count} of ${count} shard${count === 1 ? '' : 's'}: complete`,
    );
    expect(text).toMatch(new RegExp(`\n${ids.length} organizations: ${done} steps done\n$`));
    states.push(stateOf(started));
    const again = await started.run('plan', '--detailed-exitcode');
    expect(again).toMatchObject({ code: 0 });
    expect(again.stdout).toBe(
      `No changes. Live state matches the manifests.   ${ids.length} organizations   base none\n`,
    );
    const shard = await started.run('plan', '--detailed-exitcode', '--shard', `${count}/${count}`);
    expect(shard).toMatchObject({ code: 0 });
    expect(brokenInvariants(started)).toEqual([]);
  }
  expect(states[1]).toEqual(states[0]);
  expect(states[2]).toEqual(states[0]);
});

describe('octavo ci matrix', () => {
  const multi = join(root, 'examples/multi');
  const onGithub = { GITHUB_REPOSITORY: 'acme/docs' };
  const onGitlab = { CI_PROJECT_ID: '77' };

  /** `shards` is the text in the configuration. `value` is undefined without an output for GitHub. */
  async function matrix(
    files: string,
    shards: string,
    { env = {}, outputs = '' }: { readonly env?: Record<string, string>; readonly outputs?: string } = {},
  ) {
    const cwd = folder({
      'octavo.config.yaml': shards === '' ? 'ci: {}\n' : `ci: { shards: ${shards} }\n`,
      outputs,
    });
    const file = join(cwd, 'outputs');
    const ran = await octavo(['ci', 'matrix', '-f', files], { cwd, env: { GITHUB_OUTPUT: file, ...env } });
    const [line] = /^matrix=.*$/m.exec(readFileSync(file, 'utf8')) ?? [];
    return { ...ran, value: line?.slice('matrix='.length), outputs: readFileSync(file, 'utf8') };
  }

  test('lists each shard with its organizations and objects', async () => {
    const { code, value = '' } = await matrix(join(root, 'examples/fleet'), '4');
    expect(code).toBe(0);
    interface Listed {
      readonly include: readonly { shard: string; organizations: number; objects: number }[];
    }
    const { include } = JSON.parse(value) as Listed;
    expect(include.map(({ shard }) => shard)).toEqual(['1/4', '2/4', '3/4', '4/4']);
    expect(include.reduce((sum, { organizations }) => sum + organizations, 0)).toBe(200);
    const sizes = include.map(({ objects }) => objects);
    expect(Math.max(...sizes) - Math.min(...sizes)).toBeLessThanOrEqual(1);
    expect((await matrix(multi, '4')).stdout).toMatch(
      /^2 organizations in 2 shards:\n {2}1\/2 {2}1 organization, 4 objects: org_docs_staging\n/,
    );
  });

  test('lists the organizations that each shard plans', async () => {
    const started = await service('ci: { shards: 4 }\n');
    const { stdout } = await started.run('ci', 'matrix');
    const rows = [...stdout.matchAll(/^ {2}(\d+\/\d+) +(\d+) organizations?, \d+ objects?: (.+)$/gm)];
    expect(rows).toHaveLength(4);
    const all: string[] = [];
    for (const [, shard = '', count, names = ''] of rows) {
      const plan = await started.run('plan', '--shard', shard, '--format', 'json');
      const { organizations: planned } = JSON.parse(plan.stdout) as PlanJson;
      const labels = planned.map(({ label }) => label);
      expect(labels).toHaveLength(Number(count));
      expect(names).toBe(`${labels.slice(0, 3).join(', ')}${labels.length > 3 ? ', …' : ''}`);
      all.push(...labels);
    }
    expect(all).toHaveLength(ids.length);
    expect(new Set(all).size).toBe(ids.length);
  });

  test('writes one line of output on GitHub, and no jobs for shards without organizations', async () => {
    const { value = '', outputs, stdout } = await matrix(multi, '16', { env: onGithub, outputs: 'a=1\n' });
    expect(JSON.parse(value)).toEqual({
      include: [
        { shard: '1/2', organizations: 1, objects: expect.any(Number) },
        { shard: '2/2', organizations: 1, objects: expect.any(Number) },
      ],
    });
    // Other outputs of the step are kept.
    expect(outputs).toMatch(/^a=1\nmatrix=.*\n/);
    expect(outputs.match(/^matrix=/gm)).toHaveLength(1);
    expect(stdout).toContain('2 organizations in 2 shards:\n');
  });

  test('prints one line of YAML on GitLab', async () => {
    const { stdout } = await matrix(multi, '2', { env: onGitlab });
    expect(stdout.split('\n')).toHaveLength(2);
    expect(parse(`job:\n  parallel:\n    matrix: ${stdout}`)).toEqual({
      job: { parallel: { matrix: [{ OCTAVO_SHARD: ['1/2', '2/2'] }] } },
    });
  });

  test.each([
    ['', {}, 'into how many shards?\n  help: set shards under ci: in octavo.config.yaml'],
    ['0', {}, 'write a whole number from 1 to 1000'],
    ['1001', {}, 'write a whole number from 1 to 1000'],
    ['1.5', {}, 'write a whole number from 1 to 1000'],
    ['many', {}, 'write a whole number from 1 to 1000'],
    ['257', onGithub, '257 shards are too many: here a matrix has at most 256 jobs'],
    ['201', onGitlab, '201 shards are too many: here a matrix has at most 200 jobs'],
    ['2', { ...onGithub, ...onGitlab }, 'the variables of both GitHub and GitLab are set'],
  ])('rejects shards: %s with %j', async (shards, env, message) => {
    expect(await matrix(multi, shards, { env })).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining(message),
      value: undefined,
    });
  });

  test('prints no matrix for invalid manifests', async () => {
    const files = folder({ 'a.yaml': 'octavo: 1\norganization: { id: org_a }\nteems: {}\n' });
    expect(await matrix(files, '2', { env: onGitlab })).toMatchObject({
      code: 1,
      stdout: '',
      value: undefined,
    });
  });
});

describe('--shard', () => {
  test.each([
    [['--shard', '3/2'], {}, '--shard must be i/n'],
    [[], { OCTAVO_SHARD: 'x' }, 'OCTAVO_SHARD must be i/n'],
  ])('rejects %j %j', async (args, env, message) => {
    const ran = await octavo(['plan', '-f', 'examples/multi', '--base-url', 'local', ...args], { env });
    expect(ran).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining(message) });
  });

  test('builds only its own organizations: an error in a field of another one is reported there, and by ci matrix', async () => {
    const { env } = await service();
    const text = (label: string, title: string) =>
      `octavo: 1\norganization: { id: ${label} }\nteams: { a: { title: ${title} } }\n`;
    const config = 'ci: { shards: 2 }\n';
    const of = (title: string) =>
      folder({
        'a.yaml': text(ids[0] ?? '', 'A'),
        'b.yaml': text(ids[1] ?? '', title),
        'octavo.config.yaml': config,
      });
    const [right, cwd] = [of('B'), of('[]')];
    const first = ['plan', '--shard', '1/2', '--format', 'json'];
    const planned = await octavo(first, { cwd, env });
    expect(planned).toMatchObject({ code: 0 });
    const splitOf = ({ stdout }: { readonly stdout: string }) => JSON.parse(stdout).shard;
    expect(splitOf(planned)).toEqual(splitOf(await octavo(first, { cwd: right, env })));
    for (const args of [['plan', '--shard', '2/2'], ['ci', 'matrix'], ['validate']])
      expect(await octavo(args, { cwd, env }), args.join(' ')).toMatchObject({
        code: 1,
        stderr: expect.stringContaining('b.yaml'),
      });
  });

  test('neither reports nor compares files that only organizations of other shards include', async () => {
    const { env } = await service();
    const text = (label: string, more: string) =>
      `octavo: 1\norganization: { id: ${label} }\nsettings: { service: { profile: "2026" } }\n${more}\n`;
    const spec = 'openapi: 3.1.0\ninfo: { title: Pets, version: "1" }\npaths: {}\n';
    const cwd = folder({
      'a.yaml': text(ids[0] ?? '', 'teams: { a: { title: A } }'),
      'b.yaml': text(
        ids[1] ?? '',
        'openapi: { pets: { source: { file: pets.yaml } }, shop: { source: { file: shop.json } } }',
      ),
      'pets.yaml': spec,
      'shop.json': '{ "openapi": "3.1.0", "info": { "title": "Shop", "version": "1" }, "paths": {} }',
    });
    const planned = await octavo(['plan', '--shard', '2/2', '--out', 'plan.json'], { cwd, env });
    expect(planned.code, planned.stderr).toBe(0);
    expect(`${planned.stdout}${planned.stderr}`).not.toContain('pets.yaml');
    writeFileSync(join(cwd, 'shop.json'), '{}');
    const applied = await octavo(['apply', 'plan.json'], { cwd, env });
    expect(applied.code, applied.stderr).toBe(0);
  });

  test('reports a shard without organizations, whose saved plan can be applied', async () => {
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

  test('saves a plan of one shard, which applies only its organizations', async () => {
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

describe('octavo ci join', () => {
  /** Runs of two organizations, to be applied in two shards. */
  async function reports() {
    const started = await service();
    const text = (label: string) => `octavo: 1\norganization: { id: ${label} }\nteams: { a: { title: A } }\n`;
    const cwd = folder({ 'a.yaml': text(ids[0] ?? ''), 'b.yaml': text(ids[1] ?? '') });
    const { env } = started;
    const run = (...args: string[]) => octavo(args, { cwd, env });
    const apply = (shard: string, file: string) =>
      run('apply', '--auto-approve', '--shard', shard, '--format', `json=${file}`);
    return { run, apply, cwd, env };
  }

  test('names missing shards and incomplete runs', async () => {
    const { run, apply } = await reports();
    expect(await apply('1/2', 'one.json')).toMatchObject({ code: 0 });
    const half = await run('ci', 'join', 'one.json');
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
    const whole = await run('ci', 'join', 'two.json', 'one.json');
    expect(whole.code).toBe(1);
    expect(whole.stdout).toMatch(
      /^octavo apply, 2 of 2 shards: incomplete\n\n {2}1\/2 {2}complete .*\n {2}2\/2 {2}failed .*\n {6}the lock is in the git remote "origin"/,
    );
    expect(await apply('2/2', 'again.json')).toMatchObject({ code: 0 });
    expect(await run('ci', 'join', 'one.json', 'again.json')).toMatchObject({ code: 0 });
    const twice = await run('ci', 'join', 'one.json', 'two.json', 'again.json');
    expect(twice).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining('error[report-merge]: two.json (run r-'),
    });
  });

  test('writes the summary of a run on GitHub', async () => {
    const { apply, cwd, env } = await reports();
    expect(await apply('1/2', 'one.json')).toMatchObject({ code: 0 });
    const summary = join(folder({ summary: '# Before\n' }), 'summary');
    const ran = await octavo(['ci', 'join', 'one.json'], {
      cwd,
      env: { ...env, GITHUB_REPOSITORY: 'acme/docs', GITHUB_STEP_SUMMARY: summary },
    });
    expect(ran).toMatchObject({ code: 1, stdout: expect.stringContaining('No run of shard 2/2.') });
    const text = readFileSync(summary, 'utf8');
    expect(text).toMatch(/^# Before\n/);
    expect(text).toContain('octavo apply, 1 of 2 shards: incomplete');
    expect(text).toContain('No run of shard 2/2.');
  });

  test.each([
    [[], 'octavo ci needs a word'],
    [['merge', 'a.json'], 'event cannot be "merge"'],
    [['joim', 'a.json'], 'did you mean join?'],
    [['matrix', 'a.json'], 'octavo ci matrix takes no "a.json"'],
    [['join', '--accept', 'merged.json'], '--accept applies to octavo ci drift'],
    [['join'], 'no runs to join'],
    [['join', 'missing.json'], 'cannot read missing.json: it does not exist'],
    [['join', 'text.json'], 'text.json is not the JSON of a run: it is not JSON'],
    [['join', 'other.json'], 'other.json is not the JSON of a run: run: '],
    [['join', 'merged.json'], 'merged.json is not the JSON of a run: it is joined already'],
  ])('rejects %j', async (words, message) => {
    const cwd = folder({
      'text.json': 'no',
      'other.json': '{"format":1}',
      'merged.json': '{"format":1,"joined":true}',
    });
    const ran = await octavo(['ci', ...words], { cwd });
    expect(ran).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining(message) });
  });
});

test('a plan collapses organizations without changes into one line', async () => {
  const fleet = await service();
  expect(await fleet.run('apply', '--auto-approve')).toMatchObject({ code: 0 });
  await fleet.run('api', 'orgs.update', `organizationId=${ids[0]}`, '-F', 'title=Renamed');
  const { stdout } = await fleet.run('plan');
  expect(stdout).toMatch(`Organization ${ids[0]} (Renamed)   base none   1 change\n`);
  expect(stdout).toContain(`\n${ids.length - 1} organizations   base none   no changes\n`);
});
