/** The write-ahead log of a file shrinks again after a large write. */
import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { startService } from '../../src/server/index.ts';

test('truncates the write-ahead log after seeding and at the end', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'octavo-wal-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const data = join(folder, 'acme.db');
  const logSize = () => (existsSync(`${data}-wal`) ? statSync(`${data}-wal`).size : 0);
  const members = Array.from({ length: 500 }, (_, at) => ({
    id: `user_${at}`,
    email: `person${at}@acme.example`,
    displayName: `Person ${at}`,
    role: 'read' as const,
  }));
  const service = await startService({
    data,
    seed: { organizations: [{ id: 'org_acme', title: 'Acme', members }] },
  });
  expect(logSize()).toBe(0);
  expect(statSync(data).size).toBeGreaterThan(100_000);
  const changed = await fetch(`${service.url}/v1/orgs/org_acme`, {
    method: 'PATCH',
    headers: { authorization: `Bearer ${service.token}`, 'content-type': 'application/json' },
    body: '{"title":"Acme Corporation"}',
  });
  expect(changed.status).toBe(200);
  expect(logSize()).toBeGreaterThan(0);
  await service.close();
  expect(logSize()).toBe(0);
});
