/** Sessions without a command line: reports, saved plans and outdated approvals. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { isComplete } from '../../src/apply/events.ts';
import { isEmptyPlan } from '../../src/plan/plan.ts';
import { recheckApproval } from '../../src/run/approval/approval.ts';
import { openSavedPlan, openSession, type SessionOptions } from '../../src/run/open-session.ts';
import { readPlanFile } from '../../src/run/plan-file/read-plan.ts';
import { savePlan } from '../../src/run/plan-file/save-plan.ts';
import { planRun } from '../../src/run/plan-run.ts';
import { folder, manifest } from '../cli/octavo.ts';
import { applied } from '../support/applied.ts';
import { sharedHarness } from '../support/shared-harness.ts';

const harness = await sharedHarness();

function optionsIn(cwd: string): SessionOptions {
  return { cwd, env: {}, service: harness.api, sleep: async () => {} };
}

test('plans, applies, and plans no further change', async () => {
  const requests: number[] = [];
  const options = optionsIn(folder({ 'acme.yaml': manifest }));
  const session = await openSession({
    ...options,
    onProgress: (progress) => requests.push(progress.requests),
  });
  expect(requests).toEqual([]);
  const planned = await planRun(session);
  expect(requests).toEqual(requests.map((_, at) => at + 1));
  expect(requests.length).toBeGreaterThan(0);
  expect(isComplete(await applied(session, planned))).toBe(true);
  expect(isEmptyPlan((await planRun(session)).plan)).toBe(true);
});

test('passes the texts of manifests with errors, and hints to onNote', async () => {
  const broken = folder({ 'acme.yaml': 'octavo: 1\norganization: { id: org_acme }\nteems: {}\n' });
  await expect(openSession(optionsIn(broken))).rejects.toMatchObject({
    diagnostics: [{ code: 'unknown-key' }],
    sources: new Map([['acme.yaml', expect.stringContaining('teems')]]),
  });
  const notes: string[] = [];
  const mixed = folder({ 'acme.yaml': manifest, 'other.yaml': 'hello: there\n' });
  const onNote: SessionOptions['onNote'] = (found) => notes.push(...found.map(({ code }) => code));
  await openSession({ ...optionsIn(mixed), onNote });
  expect(notes).toEqual(['not-a-manifest']);
});

test('applies a saved plan in another session unless its objects have changed', async () => {
  const cwd = folder({ 'acme.yaml': manifest });
  const options = optionsIn(cwd);
  const session = await openSession(options);
  await applied(session, await planRun(session));
  writeFileSync(join(cwd, 'acme.yaml'), manifest.replace('title: Acme', 'title: Acme Inc'));
  const later = await openSession(options);
  await savePlan(later, await planRun(later), 'plan.json');

  const { session: saved, planned } = await openSavedPlan(readPlanFile(cwd, 'plan.json'), options);
  const approved = await recheckApproval(saved, planned);
  expect(approved.today).toEqual({ ...planned.plan, organizations: [expect.anything()] });
  expect(isComplete(await applied(saved, planned, { approve: async () => approved }))).toBe(true);

  const params = { organizationId: 'org_acme' };
  await harness.api.send('orgs.update', { params, body: { title: 'Acme Ltd' } });
  await expect(recheckApproval(saved, planned)).rejects.toMatchObject({
    diagnostics: [{ code: 'plan-stale' }],
  });
});

test('opens a service from a function once, on first use, and closes it with the session', async () => {
  const calls: string[] = [];
  const service = async () => {
    calls.push('open');
    return { api: harness.api, close: async () => void calls.push('close') };
  };
  const session = await openSession({ ...optionsIn(folder({ 'acme.yaml': manifest })), service });
  expect(calls).toEqual([]);
  await planRun(session);
  await planRun(session);
  await session.service.close();
  expect(calls).toEqual(['open', 'close']);
});
