/** Programs that use the package do what commands do: apply with approvals and locks, undo, drift, export. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import {
  type ApplyRequest,
  acceptDrift,
  applyRun,
  DiagnosticError,
  driftRun,
  exportRun,
  findRun,
  isComplete,
  isEmptyPlan,
  JournalFolder,
  openSession,
  openUndo,
  type Plan,
  planDigest,
  planDrift,
  planRun,
  registry,
  type SessionOptions,
  undoRun,
} from '../../src/index.ts';
import { folder, manifest } from '../cli/octavo.ts';
import { sharedHarness } from '../support/shared-harness.ts';

const harness = await sharedHarness();
let cwd = '';
let options: SessionOptions;

beforeEach(() => {
  cwd = folder({ 'acme.yaml': manifest });
  options = { cwd, env: {}, service: harness.api, sleep: async () => {} };
});

/** Opens the manifests and applies them. */
async function run(request: Omit<ApplyRequest, 'plan'> = {}, given: Partial<SessionOptions> = {}) {
  const session = await openSession({ ...options, ...given });
  return applyRun(session, { plan: () => planRun(session), ...request });
}

/** Writes of the service since the last call. */
const written = () => harness.sent.splice(0).map(({ operation }) => operation);

test('sees the plan, the events and the result, in this order', async () => {
  const seen: string[] = [];
  const ended = await run({
    onPlanned: (plan) => void seen.push(`planned ${plan.organizations[0]?.steps.length}`),
    onApproved: () => void seen.push('approved'),
    onEvent: ({ type }) => void seen.push(type),
    onApplied: ({ result }) => void seen.push(`applied ${isComplete(result)}`),
  });
  expect(seen).toEqual(['planned 2', 'approved', ...seen.slice(2, -1), 'applied true']);
  expect(seen.filter((one) => one === 'step')).toHaveLength(2);
  expect(ended).toMatchObject({ type: 'applied', result: { interrupted: false } });
});

test('sends nothing if it declines, or if the plan does more than what was approved', async () => {
  expect(await run({ approve: async () => undefined })).toEqual({ type: 'declined' });
  let planned: Plan | undefined;
  const onPlanned: ApplyRequest['onPlanned'] = (plan) => {
    planned = plan;
  };
  const approve = async () => {
    throw new Error('asked');
  };
  for (const approval of [{ digests: ['0'.repeat(64)] }, new DiagnosticError([])])
    await expect(run({ approval, approve, onPlanned })).rejects.toThrow(DiagnosticError);
  expect(written()).toEqual([]);
  const digest = planDigest(planned ?? { format: 1, organizations: [] });
  expect(await run({ approval: { digests: [digest] } })).toMatchObject({ type: 'applied' });
  expect(written()).not.toEqual([]);
  // A plan without changes is within every approval.
  expect(await run({ approval: new DiagnosticError([]) })).toMatchObject({ type: 'applied' });
});

test('sends nothing without its lock, and stops when it loses it', async () => {
  const gone = new DiagnosticError([{ severity: 'error', code: 'lock-lost', message: 'the lock is gone' }]);
  const lock = { isHeld: true, now: () => 0, loss: (): DiagnosticError | undefined => gone };
  await expect(run({ lock })).rejects.toThrow(gone);
  expect(written()).toEqual([]);
  let isLost = false;
  const ended = await run({
    lock: { ...lock, loss: () => (isLost ? gone : undefined) },
    parallelism: 1,
    onEvent: ({ type }) => {
      isLost ||= type === 'step';
    },
  });
  expect(ended).toMatchObject({ type: 'applied', loss: gone, result: { stopped: { type: 'lock' } } });
  expect(written()).toHaveLength(1);
});

test('undoes its run', async () => {
  const store = new JournalFolder(cwd);
  const service = 'https://docs.acme.dev';
  const machine = { host: 'ci', owner: 'ci@ci', process: { pid: 1 }, isRunning: () => false };
  const now = () => new Date('2026-11-22T06:00:00Z');
  const about = { command: 'apply', version: '1.0.0', host: 'ci', process: { pid: 1 }, service, store, now };
  const journals = { store, service, machine, now };
  await run({ journal: { ...about, run: 'r-mdlq2v9k-03faaf30' } }, { journals });
  written();
  const journaled = await findRun({ store, cwd, openRepository: async () => undefined }, undefined, service);
  const session = await openUndo(journaled, { ...options, journals });
  const plan = () => undoRun(session, journaled, { store });
  expect(await applyRun(session, { plan })).toMatchObject({ type: 'applied' });
  expect(written()).toEqual(['teams.delete', 'teams.delete']);
  expect(isEmptyPlan((await plan()).plan)).toBe(true);
});

test('reports drift, accepts it, and exports what is live', async () => {
  await run();
  const params = { organizationId: 'org_acme' };
  await harness.api.send('orgs.update', { params, body: { title: 'Acme Ltd' } });
  const session = await openSession(options);
  const planned = await planDrift(session, []);
  const drift = await driftRun(session, planned, { patterns: [], now: 0 });
  expect(drift.organizations.flatMap(({ steps }) => steps)).toHaveLength(1);
  const writing = { dryRun: false, isInterrupted: () => false };
  const accepted = await acceptDrift(session, planned, { ...writing, patterns: [], pins: undefined });
  expect(accepted).toMatchObject({ type: 'accepted', refused: [] });
  expect(readFileSync(join(cwd, 'acme.yaml'), 'utf8')).toContain('Acme Ltd');
  const how = { registry, pin: 'ambiguous', layout: 'one', overlays: [], cwd, env: {} } as const;
  const exported = await exportRun(harness.api, { ...writing, ...how });
  const [file] = exported.type === 'exported' ? exported.report.files : [];
  writeFileSync(join(cwd, 'acme.yaml'), file !== undefined && 'text' in file ? (file.text ?? '') : '');
  const again = await openSession(options);
  expect(isEmptyPlan((await planRun(again)).plan)).toBe(true);
});
