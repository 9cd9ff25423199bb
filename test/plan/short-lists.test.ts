/** Not seen is not gone: an object that its list lacks is asked for before a plan concludes that it does not exist. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { Api } from '../../src/contract/api.ts';
import { type Form, forms } from '../../src/contract/form.ts';
import type { OperationId } from '../../src/contract/index.ts';
import { registry } from '../../src/kinds/index.ts';
import type { DesiredTree } from '../../src/tree/desired-tree.ts';
import { type MemoryHarness, seed, startHarness, treeOf } from '../support/harness.ts';
import { some } from '../support/runs.ts';

let harness: MemoryHarness;
afterEach(() => {
  harness.through = undefined;
});

const sections = {
  main: { title: 'Main', path: 'main', spaces: { guide: { space: 'guide', path: 'guide' } } },
  group: {
    title: 'Group',
    sections: { inner: { title: 'Inner', path: 'inner', spaces: { faq: { space: 'faq' } } } },
  },
};
const common = {
  members: {
    'ada@acme.dev': { role: 'admin' },
    'bob@acme.dev': { role: 'read' },
    'cyd@acme.dev': { role: 'edit' },
  },
  teams: { writers: { title: 'Writers' }, editors: { title: 'Editors' } },
  samlProviders: { okta: { label: 'Okta', entityID: 'https://okta.example/one' } },
  openapi: { petstore: { source: { url: 'https://acme.dev/openapi.json' } } },
  collections: { books: { title: 'Books', spaces: { faq: { title: 'FAQ' }, blog: { title: 'Blog' } } } },
  spaces: { guide: { title: 'API guide' } },
};
const documents: Readonly<Record<Form, object>> = {
  document: {
    ...common,
    customFields: { tier: { type: 'text', title: 'Tier' } },
    translations: { french: { title: 'French' } },
    sites: { hub: { title: 'Hub', sections, shareLinks: { press: { name: 'Press' } } } },
  },
  '2026': {
    ...common,
    sites: {
      hub: {
        title: 'Hub',
        sections: { ...sections, forum: { title: 'Forum', url: 'https://forum.example.test' } },
        shareLinks: { press: { name: 'Press' } },
        redirects: { '/old': { to: 'https://acme.dev' } },
      },
    },
  },
};

type Recorded = { readonly tree: DesiredTree; readonly recorded: Readonly<Record<string, string>> };

async function applied(form: Form): Promise<Recorded> {
  harness = await startHarness(seed, registry, form);
  const tree = await treeOf({ ...documents[form] });
  const plan = await harness.plan(tree);
  const { organizations } = await harness.apply(tree, plan);
  const made = organizations.flatMap((organization) => [...organization.made]);
  harness.sent.length = 0;
  return { tree, recorded: { ...plan.ids, ...Object.fromEntries(made) } };
}

/** `times`: how often each list answers empty. */
function empty(operation: OperationId, times: number): (api: Api) => Api {
  let left = times;
  return (api) => ({
    ...api,
    all: async (id, input) => {
      if (id !== operation || left === 0) return api.all(id, input);
      left -= 1;
      return [];
    },
  });
}

function listsOf(form: Form) {
  const { kinds } = registry.under(form);
  const used = kinds.flatMap(({ reads: { list, get } }) => {
    const operations = list === undefined ? [] : [list.operation, list.places?.operation ?? list.operation];
    return operations.map((operation) => [operation, get !== undefined] as const);
  });
  return [...new Map(used)].filter(([operation]) => operation !== 'orgs.list');
}

describe.each(forms)('at a service of the form %s', (form) => {
  let tree: DesiredTree;
  let recorded: Recorded['recorded'];
  beforeAll(async () => {
    ({ tree, recorded } = await applied(form));
  });
  afterAll(() => harness.close());

  for (const [operation, hasGet] of some(listsOf(form))) {
    test(`plans nothing after an empty ${operation}`, async () => {
      harness.through = empty(operation, hasGet ? Number.POSITIVE_INFINITY : 1);
      const { steps, refusals } = await harness.plan(tree, { base: tree, recorded });
      expect(refusals).toEqual([]);
      expect(steps.map(({ address, action, reason }) => `${action} ${address}: ${reason}`)).toEqual([]);
    });

    test(`deletes what left the manifests after an empty ${operation}`, async () => {
      const plan = async () => {
        const after = await treeOf({
          settings: { protect: ['!**'], limits: { deletes: null, deletePercent: null } },
          ...Object.fromEntries(Object.keys(documents[form]).map((key) => [key, {}])),
          members: { 'ada@acme.dev': { role: 'admin' } },
        });
        const { steps } = await harness.plan(after, { base: tree, recorded });
        return steps.map(({ id }) => id).sort();
      };
      const whole = await plan();
      expect(whole.length).toBeGreaterThan(5);
      harness.through = empty(operation, hasGet ? Number.POSITIVE_INFINITY : 1);
      expect(await plan()).toEqual(whole);
    });
  }

  test('asks nothing more if every list has what the record knows', async () => {
    harness.reads.length = 0;
    await harness.plan(tree, { base: tree });
    const without = [...harness.reads].sort();
    harness.reads.length = 0;
    await harness.plan(tree, { base: tree, recorded });
    // The record replaces searches.
    expect(harness.reads.filter((read) => !without.includes(read))).toEqual([]);
    expect(harness.reads.length).toBeLessThanOrEqual(without.length);
  });

  test('creates again what neither its list nor its id shows', async () => {
    // The last one, since all share the state.
    await harness.service.api.send('teams.delete', {
      params: { organizationId: 'org_acme', teamId: recorded['teams/writers'] ?? '' },
    });
    const { steps } = await harness.plan(tree, { base: tree, recorded });
    expect(steps.map(({ id, reason }) => `${id}: ${reason}`)).toEqual([
      'teams/writers#create: deleted in the app',
    ]);
  });
});
