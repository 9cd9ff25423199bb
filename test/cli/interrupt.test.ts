/** Ctrl-C: requests in flight are finished, no new ones are started, and the summary is printed. */
import { expect, onTestFinished, test, vi } from 'vitest';
import { Interrupt } from '../../src/cli/world/interrupt.ts';
import { patience } from '../support/runs.ts';
import { folder, octavo, start } from './octavo.ts';
import { served } from './served.ts';

const teams = Array.from({ length: 12 }, (_, at) => `  t${at}: { title: Team ${at} }`).join('\n');
const manifest = `octavo: 1\norganization: { id: org_acme }\nteams:\n${teams}\n`;

/** A service with slow creates. */
const slowService = (milliseconds: number) =>
  served({ faults: [{ operations: ['teams.create'], type: 'latency', milliseconds }] });

test('Ctrl-C finishes requests in flight', async () => {
  const { service, env } = await slowService(300);
  const cwd = folder({ 'acme.yaml': manifest });
  const child = start(['apply', '--auto-approve', '--parallelism', '2'], { cwd, env });
  await child.stderr.until('✓');
  child.kill('SIGINT');
  const { code, stdout, stderr } = await child.ended;
  expect(code).toBe(130);
  expect(stderr).toContain('Interrupted. Waiting for requests in flight');
  const made = Number(/Applied \d+ of 12 changes: (\d+) created/.exec(stdout)?.[1]);
  expect(made).toBeGreaterThan(0);
  expect(made).toBeLessThan(12);
  expect(stdout).toContain(`Interrupted.\nApply is incomplete: ${12 - made} step`);
  expect(stdout).toContain('Continue with: octavo apply --auto-approve --parallelism 2 (finished steps');
  expect(service.store.every('team')).toHaveLength(made);
  const again = await octavo(['apply', '--auto-approve'], { cwd, env });
  expect(again.stdout).toContain(`Applied: ${12 - made} created`);
  expect(service.store.every('team')).toHaveLength(12);
});

test('a second Ctrl-C aborts requests in flight', async () => {
  const { env } = await slowService(20_000);
  const cwd = folder({ 'acme.yaml': manifest });
  const child = start(['apply', '--auto-approve'], { cwd, env });
  await child.stdout.until('Digest');
  await new Promise((done) => setTimeout(done, 300));
  child.kill('SIGINT');
  await child.stderr.until('Waiting');
  child.kill('SIGINT');
  const started = Date.now();
  const { code, stdout } = await child.ended;
  expect(Date.now() - started).toBeLessThan(patience(5000));
  expect(code).toBe(130);
  expect(stdout).toMatch(/Applied 0 of 12 changes: 0 created[\s\S]*Interrupted/);
});

test('Ctrl-C aborts a plan', async () => {
  const { env } = await served({
    faults: [{ operations: ['orgs.get'], type: 'latency', milliseconds: 20_000 }],
  });
  const cwd = folder({ 'acme.yaml': manifest });
  const child = start(['plan', '--verbose'], { cwd, env });
  await new Promise((done) => setTimeout(done, 300));
  child.kill('SIGINT');
  const { code, stdout, stderr } = await child.ended;
  expect({ code, stdout }).toEqual({ code: 130, stdout: '' });
  expect(stderr).toMatch(/Interrupted\.\n$/);
});

test('Ctrl-C ends serve with exit code 0', async () => {
  const child = start(['serve', '--port', '0', '--seed', 'examples/acme/seed.json']);
  await child.stdout.until('Serving on http://127.0.0.1:');
  child.kill('SIGINT');
  expect(await child.ended).toMatchObject({ code: 0 });
});

test.each([
  ['a first signal', false, 1],
  ['a second signal after one that waits for requests', true, 2],
] as const)('%s ends a command even if nothing responds to it', (_name, isGraceful, signals) => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const lines: string[] = [];
  const codes: number[] = [];
  const world = { exit: (code: number) => void codes.push(code), onSignal: () => () => undefined };
  const interrupt = new Interrupt((line) => lines.push(line), world);
  interrupt.onExit(() => lines.push('(flushed)'));
  if (isGraceful) interrupt.finishFirst();
  else interrupt.listen();
  for (let count = 0; count < signals; count += 1) {
    expect(vi.getTimerCount()).toBe(0);
    interrupt.receive('SIGTERM');
  }
  expect(interrupt.signal.aborted).toBe(true);
  expect(codes).toEqual([]);
  vi.runAllTimers();
  expect(codes).toEqual([143]);
  expect(lines.slice(-2)).toEqual(['Interrupted.', '(flushed)']);
});
