/** The watch over creates reads each object of a list once, for any number of creates. */
import { expect, test } from 'vitest';
import { CreateWatch } from '../../src/apply/create-watch.ts';
import { RunIds } from '../../src/apply/run-ids.ts';
import type { Api } from '../../src/contract/api.ts';
import { registry as kinds } from '../../src/kinds/index.ts';
import { createRegistry } from '../../src/kinds/registry.ts';
import { step } from '../report/plan-samples.ts';

const count = 2000;

/** A registry that counts the reads of live objects. */
function counting() {
  let calls = 0;
  const registry = createRegistry(
    kinds.kinds.map((kind) => ({
      ...kind,
      fromRemote: (remote: unknown) => {
        calls += 1;
        return kind.fromRemote(remote);
      },
    })),
  );
  return { registry, calls: () => calls };
}

function creation(at: number) {
  const params = { organizationId: 'org_1' };
  return step({
    id: `teams/n${at}#create`,
    address: `teams/n${at}`,
    kind: 'team',
    action: 'create',
    phase: 'create',
    fields: [{ field: 'title', after: `New ${at}` }],
    calls: [{ operation: 'teams.create', params }],
  });
}

test('allows creates and finds a duplicate by another writer with one list read per 500 creates', async () => {
  const { registry, calls } = counting();
  const own = new RunIds();
  const items = Array.from({ length: count }, (_, at) => ({ id: `team_${at}`, title: `Old ${at}` }));
  // The list shows the objects of this run and one object of another writer.
  for (let at = 0; at < count / 2; at += 1) own.set(`teams/o${at}`, `team_${at}`);
  const others: string[] = [];
  let reads = 0;
  const api: Api = {
    send: () => Promise.reject(new Error('nothing is sent')),
    all: async () => {
      reads += 1;
      return [...items, { id: 'team_theirs', title: `New ${count - 1}` }];
    },
  };
  const watch = new CreateWatch({
    api,
    registry,
    own,
    declared: {},
    known: {
      has: ({ id }) => Number(id.slice('team_'.length)) >= count / 2,
      trustFor: 500,
    },
    onOther: (_address, id) => others.push(id),
    onDuplicate: () => others.push('twin'),
  });
  for (let at = 0; at < count; at += 1) {
    expect(await watch.mayCreate(creation(at))).toBe(at < count - 1);
    own.set(`teams/n${at}`, `team_n${at}`);
  }
  expect(others).toEqual(['team_theirs']);
  // The list that the plan read covers the first 500 creates.
  expect(reads).toBe(count / 500 - 1);
  expect(calls()).toBe(reads * (count + 1));
});
