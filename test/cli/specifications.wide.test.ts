/** OpenAPI specifications from files: slow processing, saved plans, undo, bases, and lost responses. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { ApiError } from '../../src/contract/api.ts';
import { type OperationId, operations } from '../../src/contract/index.ts';
import type { Variants } from '../../src/server/variants.ts';
import { loadTexts, onlyTree, seed, startHarness } from '../support/harness.ts';
import { git, initRepository } from './git.ts';
import { folder, octavo } from './octavo.ts';
import { served } from './served.ts';

const manifest =
  'octavo: 1\norganization: { id: org_acme }\nopenapi: { pets: { source: { file: specs/pets.yaml } } }\n';
const spec = (summary: string, more = '') =>
  `openapi: 3.1.0\ninfo: { title: Pets, version: "1" }\npaths:\n  /pets: { get: { summary: ${summary} } }\n${more}`;

async function serve(variants: Partial<Variants> = {}) {
  const { env } = await served({ seed, variants });
  const cwd = folder({ 'acme.yaml': manifest, 'specs/pets.yaml': spec('All') });
  const sleep = async (milliseconds: number) => {
    await wait(milliseconds);
  };
  return { cwd, run: (...args: readonly string[]) => octavo(args, { cwd, env, sleep }) };
}

test('the plan after an apply is empty, even if the service processes slowly', async () => {
  const { cwd, run } = await serve({ 'spec-processing': '300' });
  for (const summary of ['All', 'Some']) {
    writeFileSync(join(cwd, 'specs/pets.yaml'), spec(summary));
    expect((await run('apply', '--auto-approve')).code).toBe(0);
    expect((await run('plan')).stdout).toContain('No changes');
  }
});

test('plans do not include the file, and a saved plan applies only the reviewed content', async () => {
  const { cwd, run } = await serve();
  writeFileSync(join(cwd, 'specs/pets.yaml'), spec('All', `x-large: ${'word '.repeat(20_000)}\n`));
  expect((await run('plan', '--out', 'plan.json')).code).toBe(0);
  expect(readFileSync(join(cwd, 'plan.json'), 'utf8').length).toBeLessThan(10_000);
  const reviewed = readFileSync(join(cwd, 'specs/pets.yaml'));
  writeFileSync(join(cwd, 'specs/pets.yaml'), spec('Other'));
  const refused = await run('apply', 'plan.json');
  expect(refused.code).toBe(1);
  expect(refused.stderr).toContain('error[');
  writeFileSync(join(cwd, 'specs/pets.yaml'), reviewed);
  const applied = await run('apply', 'plan.json');
  expect(applied.code, applied.stderr).toBe(0);
  expect((await run('plan')).stdout).toContain('No changes');
});

test('a saved plan is rejected without its manifests and its file', async () => {
  const { cwd, run } = await serve();
  await run('plan', '--out', 'plan.json');
  for (const name of ['acme.yaml', 'specs/pets.yaml']) writeFileSync(join(cwd, name), '');
  const refused = await run('apply', 'plan.json');
  expect(refused.code).toBe(1);
  expect(refused.stderr.replace(/\s+/g, ' ')).toMatch(/error\[[a-z-]+\]/);
});

test('an undo of a URL reports that it cannot restore the file', async () => {
  const { cwd, run } = await serve();
  await run('apply', '--auto-approve');
  writeFileSync(join(cwd, 'acme.yaml'), manifest.replace(/file: [^ ]*/, 'url: "https://acme.dev/pets.json"'));
  await run('apply', '--auto-approve');
  const undone = await run('undo', '--auto-approve');
  expect(`${undone.stdout}${undone.stderr}`.replace(/\s+/g, ' ')).toContain(
    'source remains as it is: no journal has its value from before the run',
  );
});

test('an undo reports that it cannot restore the former file', async () => {
  const { cwd, run } = await serve();
  await run('apply', '--auto-approve');
  writeFileSync(join(cwd, 'specs/pets.yaml'), spec('Some'));
  await run('apply', '--auto-approve');
  const undone = await run('undo', '--auto-approve');
  expect(`${undone.stdout}${undone.stderr}`.replace(/\s+/g, ' ')).toContain(
    'source remains as it is: no journal has its former text; apply the manifests that have it',
  );
});

test('a rehearsal passes with a changed file', async () => {
  const { cwd, run } = await serve();
  await run('apply', '--auto-approve');
  writeFileSync(join(cwd, 'specs/pets.yaml'), spec('Some'));
  const rehearsed = await run('plan', '--rehearse');
  expect(rehearsed.code, rehearsed.stdout).toBe(0);
  expect(rehearsed.stdout).toContain('Rehearsal passed');
  expect(rehearsed.stdout).not.toContain('not fetched');
});

test('a base distinguishes a change of the file from drift', async () => {
  const { cwd, run } = await serve();
  initRepository(cwd);
  git(cwd, 'add', '.');
  git(cwd, 'commit', '-q', '-m', 'one');
  await run('apply', '--auto-approve');
  writeFileSync(join(cwd, 'specs/pets.yaml'), spec('Some'));
  const changed = await run('plan', '--base', 'HEAD');
  expect(changed.stdout).toContain('~ GET /pets');
  expect(changed.stdout).toMatch(/from this commit|since/i);
  git(cwd, 'commit', '-q', '-am', 'two');
  expect((await run('plan', '--base', 'HEAD')).stdout).toMatch(/drift/i);
});

test('validate checks files that overlays name', async () => {
  const { cwd, run } = await serve();
  expect((await run('validate')).code).toBe(0);
  const overlay = manifest
    .replace('octavo: 1', 'octavo: 1\noverlay: staging')
    .replace('pets.yaml', 'none.yaml');
  writeFileSync(join(cwd, 'staging.yaml'), overlay);
  const validated = await run('validate');
  expect(validated.code).toBe(1);
  expect(validated.stderr).toContain('included file not found: specs/none.yaml');
  expect(validated.stderr).toContain('staging.yaml:4:');
});

test('--target for other objects excludes a new specification', async () => {
  const { cwd, run } = await serve();
  writeFileSync(join(cwd, 'acme.yaml'), `${manifest}teams: { a: { title: A } }\n`);
  const planned = await run('plan', '--target', 'teams/a');
  expect(planned.code, planned.stderr).toBe(0);
  expect(planned.stdout).toContain('+ teams/a');
  expect(planned.stdout).not.toContain('openapi/');
});

test('exports omit the source', async () => {
  const { run } = await serve();
  await run('apply', '--auto-approve');
  const exported = await run('export', '--organization', 'acme', '--only', 'openapi');
  expect(exported.code, exported.stderr).toBe(0);
  expect(exported.stdout).not.toContain('source');
});

/** Intercepts the response to each new source of a specification. */
async function sendingSources(meet: (answer: object, operation: OperationId) => unknown) {
  const harness = await startHarness();
  onTestFinished(() => harness.close());
  harness.reset({ 'spec-processing': '300' });
  const isSource = (operation: OperationId) => operation === 'openapi.create' || operation === 'openapi.put';
  const treeWith = async (summary: string) =>
    onlyTree(await loadTexts({ 'acme.yaml': manifest, 'specs/pets.yaml': spec(summary) }));
  const apply = async (summary: string) => {
    const tree = await treeWith(summary);
    harness.through = (api) => ({
      all: api.all,
      send: async (operation, input) => {
        const answer = await api.send(operation, input);
        return isSource(operation) ? meet(answer as object, operation) : answer;
      },
    });
    const result = await harness.apply(tree, await harness.plan(tree));
    harness.through = undefined;
    return { result, next: await harness.plan(tree) };
  };
  return { apply };
}

test('a lost response causes no second change', async () => {
  const { apply } = await sendingSources((_answer, operation) => {
    const { method, path } = operations[operation];
    const lost = { type: 'connection', operation, method, path, attempt: 1, mayHaveHappened: true } as const;
    throw new ApiError('the connection broke', lost);
  });
  for (const summary of ['All', 'Some']) expect((await apply(summary)).next.steps).toEqual([]);
});

test('content in an unknown form is rejected at its address', async () => {
  const harness = await startHarness();
  onTestFinished(() => harness.close());
  const tree = onlyTree(await loadTexts({ 'acme.yaml': manifest, 'specs/pets.yaml': spec('All') }));
  await harness.apply(tree, await harness.plan(tree));
  harness.through = (api) => ({
    all: api.all,
    send: async (operation, input) =>
      operation === 'openapi.getLatestContent' ? { filesystem: { a: 'zip' } } : api.send(operation, input),
  });
  await expect(harness.plan(tree)).rejects.toMatchObject({
    diagnostics: [
      {
        code: 'not-in-service',
        address: 'openapi/pets',
        message: 'this service shows source of OpenAPI specs in an unknown form: openapi.getLatestContent',
      },
    ],
  });
});

test('a file that the service cannot parse fails the step', async () => {
  const { apply } = await sendingSources((answer) => ({
    ...answer,
    processingState: 'complete',
    lastProcessErrorCode: 'PARSE_ERROR',
  }));
  const { result } = await apply('All');
  const outcomes = result.organizations.flatMap((one) => one.outcomes);
  expect(outcomes.map((one) => ('error' in one ? one.error.message : one.type))).toEqual([
    'the service could not read the specification: PARSE_ERROR',
  ]);
});
