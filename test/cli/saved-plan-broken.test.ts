/** Files that are not a saved plan are rejected with one clear error before any request. */
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { folder, manifest, octavo, type Ran } from './octavo.ts';
import { applied, local, planIn, save, schemaErrors, titles } from './plans.ts';

/** Refuses connections, so a request would fail with another error. */
const nowhere = { OCTAVO_BASE_URL: 'http://127.0.0.1:9', OCTAVO_TOKEN: 'x' };

/** Expects one error without a stack trace, and no result. */
function expectClear(ran: Ran, ...expected: string[]): void {
  expect(ran).toMatchObject({ code: 1, stdout: '' });
  const words = ran.stderr.replace(/\s+/g, ' ');
  expect(ran.stderr.match(/^error\[/gm)).toHaveLength(1);
  expect(ran.stderr).not.toMatch(/error\[bug\]|node:internal|\.js:\d|127\.0\.0\.1/);
  for (const text of expected) expect(words).toContain(text);
}

/** Passes the file as a plan to each command that accepts one. */
async function expectRefused(content: string | Buffer | undefined, ...expected: string[]): Promise<void> {
  const cwd = folder({ 'acme.yaml': manifest });
  if (content !== undefined) writeFileSync(join(cwd, 'bad.json'), content);
  for (const args of [
    ['show', 'bad.json'],
    ['apply', 'bad.json'],
    ['apply', '--auto-approve', '--approved', 'bad.json'],
  ]) {
    expectClear(await octavo(args, { cwd, env: nowhere }), 'bad.json', ...expected);
  }
}

const deep = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`;
const empty = {
  format: 1,
  version: '0.1.0',
  organizations: [],
  counts: {},
  empty: true,
  digest: '0',
  approval: '0.',
};

test.each([
  ['a file that is missing', undefined, 'it does not exist'],
  ['an empty file', '', 'it is not JSON'],
  ['a manifest', manifest, 'it is not JSON'],
  ['bytes that are no text', Buffer.from([0xff, 0xfe, 0x00]), 'it is not UTF-8'],
  ['other JSON', '{"name":"package"}', 'is not a valid plan'],
  ['a list', '[1, 2]', 'is not a valid plan'],
  ['null', 'null', 'is not a valid plan'],
  ['another version of the form', JSON.stringify({ ...empty, format: 2 }), 'format'],
  ['a version of another sort', JSON.stringify({ ...empty, format: '1' }), 'format'],
  ['lists without end', deep(200_000), 'bad.json'],
  [
    'a plan with something without end in it',
    JSON.stringify({ ...empty, x: 0 }).replace('"x":0', `"x":${deep(200_000)}`),
    'it is nested too deeply',
  ],
])('rejects %s', async (_what, content, expected) => {
  await expectRefused(content, expected);
});

test('rejects a folder, an unreadable file and a missing name', async () => {
  const cwd = folder({ 'acme.yaml': manifest, 'plans/one.json': '{}', 'secret.json': '{}' });
  expectClear(await octavo(['show', 'plans'], { cwd }), 'plans', 'it is a folder');
  expectClear(await octavo(['apply', 'plans'], { cwd, env: nowhere }), 'plans', 'it is a folder');
  expectClear(
    await octavo(['apply', 'acme.yaml/plan.json'], { cwd, env: nowhere }),
    'part of the path is not a folder',
  );
  expectClear(await octavo(['show'], { cwd }), 'which plan?');
  chmodSync(join(cwd, 'secret.json'), 0);
  if (process.getuid?.() !== 0)
    expectClear(await octavo(['show', 'secret.json'], { cwd }), 'permission denied');
});

describe('a plan file that was changed', () => {
  const changed: readonly (readonly [string, (text: string) => string])[] = [
    ['cut off', (text) => text.slice(0, text.length / 2)],
    ['a title changed by hand', (text) => text.replaceAll('"Writers"', '"Readers"')],
    ['a step taken out', (text) => edited(text, (plan) => ({ ...plan, organizations: [] }))],
    ['its inputs changed', (text) => text.replace('"label":"org_acme"', '"label":"org_other"')],
    ['its checksum taken out', (text) => edited(text, ({ checksum: _own, ...plan }) => plan)],
    ['something added', (text) => edited(text, (plan) => ({ ...plan, note: 'mine' }))],
    ['a key that reaches into prototypes', (text) => text.replace('{', '{ "__proto__": { "format": 1 },')],
  ];
  test.each(changed)('is rejected: %s', async (_what, change) => {
    const cwd = folder({ 'acme.yaml': manifest });
    await save(cwd, manifest);
    const file = join(cwd, 'plan.json');
    writeFileSync(file, change(readFileSync(file, 'utf8')));
    expectClear(await octavo(['apply', 'plan.json'], { cwd, env: nowhere }), 'error[plan-file]', 'plan.json');
  });

  test('is accepted with another layout and a byte order mark', async () => {
    const cwd = folder({ 'acme.yaml': manifest });
    await save(cwd, manifest);
    writeFileSync(join(cwd, 'plan.json'), `\uFEFF${JSON.stringify(planIn(cwd))}\n\n`);
    expect(await octavo(['apply', 'plan.json'], { cwd, env: local })).toMatchObject({ code: 0 });
  });
});

function edited(text: string, change: (plan: Record<string, unknown>) => object): string {
  return JSON.stringify(change(JSON.parse(text) as Record<string, unknown>));
}

test('show accepts the output of plan --format json, and apply rejects it', async () => {
  const cwd = folder({ 'acme.yaml': manifest });
  const { stdout } = await octavo(['plan', '--format', 'json'], { cwd, env: local });
  expect(schemaErrors(JSON.parse(stdout))).toEqual([]);
  writeFileSync(join(cwd, 'shown.json'), stdout);
  const shown = await octavo(['show', 'shown.json', '--format', 'json'], { cwd });
  const { run: _, ...planned } = JSON.parse(stdout);
  expect(JSON.parse(shown.stdout)).toEqual(planned);
  expectClear(
    await octavo(['apply', 'shown.json'], { cwd, env: nowhere }),
    'lacks the inputs that it was made from',
    'save it with octavo plan --out, or pass this one with --approved',
  );
});

test('the schema rejects invalid plans', () => {
  expect(schemaErrors({ ...empty })).toEqual([]);
  for (const wrong of [
    {},
    { ...empty, format: 2 },
    { ...empty, organizations: [{}] },
    { ...empty, digest: 1 },
  ]) {
    expect(schemaErrors(wrong)).not.toEqual([]);
  }
});

test.each([
  [['--file', 'acme.yaml'], '--file'],
  [['--overlay', 'acme.yaml'], '--overlay'],
  [['--base', 'HEAD'], '--base'],
  [['--ignore-drift'], '--ignore-drift'],
  [['--target', '**'], '--target'],
  [['--exclude', '**'], '--exclude'],
  [['--prune', 'never'], '--prune'],
  [['--allow-deletes', '3'], '--allow-deletes'],
  [['--skip-refused'], '--skip-refused'],
  [['--approved', '0123456789ab'], '--approved'],
  [['--approved', 'plan.json'], '--approved'],
])('%j is rejected with a saved plan', async (args, expected) => {
  const cwd = folder({ 'acme.yaml': manifest, 'plan.json': '{}' });
  const ran = await octavo(['apply', 'plan.json', ...args], { cwd, env: nowhere });
  expectClear(ran, `${expected} cannot change a saved plan`);
});

describe('saving a plan', () => {
  test.each([
    ['in a folder that is missing', 'none/plan.json', 'its folder does not exist'],
    ['as a folder', 'plans', 'it is not a regular file'],
    ['below a file', 'acme.yaml/plan.json', 'part of the path is not a folder'],
    ['as a socket', 'socket', 'it is not a regular file'],
  ])('%s is rejected without changing files', async (_what, out, expected) => {
    const cwd = folder({ 'acme.yaml': manifest, 'plans/one.json': '{}' });
    const socket = createServer().listen(join(cwd, 'socket'));
    await once(socket, 'listening');
    onTestFinished(() => void socket.close());
    const ran = await octavo(['plan', '--out', out, '-f', 'acme.yaml'], { cwd, env: local });
    expect(ran.code).toBe(1);
    expect(ran.stderr).toContain('error[out]: cannot save the plan');
    expect(ran.stderr).toContain(expected);
    expect(ran.stderr).not.toMatch(/error\[bug\]|Saved as/);
    expect(lstatSync(join(cwd, 'socket')).isSocket()).toBe(true);
    expect(readFileSync(join(cwd, 'plans/one.json'), 'utf8')).toBe('{}');
    expect(readdirSync(cwd).filter((name) => name.startsWith('.octavo-draft-'))).toEqual([]);
  });

  test('over a larger file replaces it completely', async () => {
    const cwd = await applied();
    mkdirSync(join(cwd, 'out'));
    writeFileSync(join(cwd, 'out/plan.json'), 'x'.repeat(100_000));
    expect(await octavo(['plan', '--out', 'out/plan.json'], { cwd, env: local })).toMatchObject({ code: 0 });
    expect(planIn(cwd, 'out/plan.json')).toMatchObject({ format: 1, empty: true });
    expect(existsSync(join(cwd, 'plan.json'))).toBe(false);
    expect(await titles(cwd)).toEqual(['Platform', 'Writers']);
  });
});
