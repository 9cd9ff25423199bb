/** Fields of a structure that no response of the service shows: told once, then neither compared nor taken for drift. */
import { expect, test } from 'vitest';
import { type ApplyResult, isComplete } from '../../src/apply/events.ts';
import type { Api } from '../../src/contract/api.ts';
import { pendingAfter } from '../../src/past/pending.ts';
import type { OrganizationPlan } from '../../src/plan/plan.ts';
import { renderApplyResult } from '../../src/report/apply/text.ts';
import { renderPlan } from '../../src/report/plan/text.ts';
import { asSent } from '../../src/tree/forms.ts';
import { asPlan, type HarnessOptions, startHarness, treeOf } from '../support/harness.ts';
import { sharedHarness } from '../support/shared-harness.ts';

const harness = await sharedHarness();

/** The service without these fields in any response. */
function without(api: Api, names: readonly string[]): Api {
  const less = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(less);
    if (typeof value !== 'object' || value === null) return value;
    const kept = Object.entries(value).filter(([name]) => !names.includes(name));
    return Object.fromEntries(kept.map(([name, inner]) => [name, less(inner)]));
  };
  return {
    send: async (operation, input) => less(await api.send(operation, input)),
    all: async (operation, input) => less(await api.all(operation, input)) as readonly unknown[],
  } as Api;
}

/** What the next plan knows of a run. */
function knownOf(plan: OrganizationPlan, result: ApplyResult, run = 'r-test') {
  const about = { run, time: '2026-01-01T00:00:00.000Z' };
  const pending = [...pendingAfter(asPlan(plan).organizations, result, about).values()].flat();
  const made = Object.fromEntries(result.organizations[0]?.made ?? []);
  return { recorded: { ...plan.ids, ...made }, pending };
}

const spaces = { main: { space: { id: 'sp_guide' } } };
const section = (more: object) => ({
  sites: { hub: { title: 'Hub', sections: { one: { title: 'One', path: 'one', spaces, ...more } } } },
});

const fields: readonly (readonly [string, object, object])[] = [
  ['icon', section({ icon: 'book' }), section({ icon: 'rocket' })],
  ['condition', section({ condition: 'visitor.x' }), section({ condition: 'visitor.y' })],
];

test.each(fields)(
  '%s that no response shows is told once and is never drift',
  async (name, first, second) => {
    harness.through = (api) => without(api, [name]);
    const document = (more: object) => treeOf(more);
    const tree = await document(first);
    const plan = await harness.plan(tree);
    harness.sent.length = 0;
    const result = await harness.apply(tree, plan);
    expect(isComplete(result)).toBe(true);
    expect(renderApplyResult(result, { color: false, width: 200 })).toContain('not shown by this service');
    const sends = harness.sent.filter(({ body }) => JSON.stringify(body ?? {}).includes(`"${name}"`));
    expect(sends).toHaveLength(1);

    const known = { base: tree, ...knownOf(plan, result) };
    const again = await harness.plan(tree, known);
    expect(again.steps).toEqual([]);
    expect(JSON.stringify(again.review)).not.toContain('outside git');

    // A new value is sent, and what becomes visible is compared again.
    const next = await harness.plan(await document(second), known);
    expect(next.steps.flatMap((step) => step.fields.map(({ field }) => field))).toEqual([name]);
    harness.through = undefined;
    expect((await harness.plan(tree, known)).steps).toEqual([]);
    expect((await harness.plan(await document(second), known)).steps).not.toEqual([]);
  },
);

const page = (space: string) => ({
  sites: { hub: { title: 'Hub', spaces: { main: { space: { id: space }, condition: 'visitor.x' } } } },
});

test('what takes the place of an object gets every field, whatever was learned about the former one', async () => {
  harness.through = (api) => without(api, ['condition']);
  const tree = await treeOf(page('sp_guide'));
  const plan = await harness.plan(tree);
  const result = await harness.apply(tree, plan);
  const { recorded, pending } = knownOf(plan, result);
  expect(pending).toMatchObject([{ address: 'sites/hub/spaces/main', field: 'condition' }]);
  const other = await treeOf(page('sp_faq'));
  const next = await harness.plan(other, { base: tree, recorded, pending });
  harness.sent.length = 0;
  await harness.apply(other, next);
  expect(JSON.stringify(harness.sent)).toContain('visitor.x');
});

test('a list from before the write does not make a field one that is not shown', async () => {
  const tree = await treeOf(page('sp_guide'));
  // Only reads lack it, as if they were older than the answer.
  harness.through = (api) => ({
    send: (operation, input) => api.send(operation, input),
    all: async (operation, input) => (await without(api, ['condition']).all(operation, input)) as never,
  });
  const [result] = (await harness.apply(tree, await harness.plan(tree))).organizations;
  expect(result?.stored).toEqual([]);
});

test('a value of an object without an id of its own that is stored in another form is no difference', async () => {
  const newer = await startHarness(undefined, undefined, '2026');
  const stored = (value: unknown): unknown =>
    JSON.parse(JSON.stringify(value ?? null).replaceAll('Hello  there', 'Hello there'));
  newer.through = (api) =>
    ({
      send: async (operation, input) => stored(await api.send(operation, input)),
      all: async (operation, input) => stored(await api.all(operation, input)),
    }) as Api;
  const announcement = { enabled: true, message: 'Hello  there' };
  const hub = { title: 'Hub', customization: { announcement } };
  const tree = await treeOf({ sites: { hub } });
  const plan = await newer.plan(tree);
  const result = await newer.apply(tree, plan);
  const { recorded, pending } = knownOf(plan, result);
  expect(pending).toMatchObject([{ field: 'announcement.message' }]);
  expect((await newer.plan(tree, { base: tree, recorded, pending })).steps).toEqual([]);
  await newer.close();
});

/** Every optional value of a workspace, twice. */
const workspace = ([word, other]: readonly [string, string]) => ({
  octavo: 1,
  organization: { id: 'org_acme', emailDomains: [`${word}.test`], defaultRole: other },
  customFields: {
    owner: {
      type: 'select:single',
      title: 'Owner',
      description: word,
      placeholder: word,
      options: ['a', word],
    },
  },
  teams: { first: { title: 'First' }, second: { title: 'Second' } },
  samlProviders: {
    okta: {
      label: 'Okta',
      entityID: `http://${word}.test/a`,
      ssoURL: `https://${word}.test`,
      defaultRole: other,
      defaultTeam: word === 'one' ? 'first' : 'second',
    },
  },
  collections: { books: { title: 'Books', description: word } },
  spaces: { guide: { id: 'sp_guide', title: 'Guide', emoji: word === 'one' ? '1f600' : '1f601' } },
  sites: {
    hub: {
      title: 'Hub',
      basename: word,
      visibility: word === 'one' ? 'public' : 'unlisted',
      proxy: `${word}.test/docs`,
      shareLinks: { vip: { name: 'Partners', active: word === 'one' } },
      sections: {
        start: {
          title: 'Start',
          path: 'start',
          description: word,
          icon: word,
          condition: `visitor.${word}`,
          spaces: { main: { space: 'guide', path: word, condition: `visitor.${word}` } },
        },
      },
    },
  },
});

const names = ['emailDomains', 'defaultRole', 'description', 'placeholder', 'options', 'entityID', 'ssoURL'];
const others = ['defaultTeam', 'emoji', 'visibility', 'basename', 'proxy', 'active', 'icon', 'condition'];

test.each([...names, ...others])(
  '%s that no response shows is sent once, when it is created or changed',
  async (name) => {
    let known = {};
    const words = [
      ['one', 'read'],
      ['two', 'edit'],
    ] as const;
    for (const each of words) {
      harness.through = (api) => without(api, [name]);
      const tree = await treeOf(workspace(each));
      const plan = await harness.plan(tree, known);
      const result = await harness.apply(tree, plan);
      const text = renderApplyResult(result, { color: false, width: 200 });
      expect(isComplete(result), text).toBe(true);
      const [{ stored } = { stored: [] }] = result.organizations;
      const sent = plan.steps.flatMap(({ fields }) => fields.filter(({ field }) => field === name));
      // A share link is active unless a response says otherwise.
      expect(stored.length, text).toBe(sent.filter(({ after }) => after !== true).length);
      known = { base: tree, ...knownOf(plan, result, each[0]) };
      expect((await harness.plan(tree, known)).steps.map(({ id }) => id)).toEqual([]);
      // The values themselves arrived.
      harness.through = undefined;
      expect((await harness.plan(tree)).steps.map(({ id }) => id)).toEqual([]);
    }
  },
);

/** The service without these values of custom fields. */
function withoutValues(api: Api, hidden: readonly string[]): Api {
  return {
    ...api,
    send: async (operation: string, input: never) => {
      const response: unknown = await api.send(operation as never, input);
      if (operation !== 'spaces.getCustomFields') return response;
      return (response as { customField: { name: string } }[]).filter(
        ({ customField }) => !hidden.includes(customField.name),
      );
    },
  } as Api;
}

test.each([[['note']], [['note', 'owner']]])(
  'values of custom fields that no response shows are told once and are never drift: %j',
  async (hidden) => {
    const treeWith = (customFields: object) =>
      treeOf({
        customFields: { note: { type: 'text' }, owner: { type: 'text' } },
        spaces: { guide: { id: 'sp_guide', customFields } },
      });
    let known = {};
    const wanted = [
      { note: 'one', owner: 'one' },
      { note: 'two', owner: 'one' },
      { note: 'two', owner: 'two' },
    ];
    for (const [at, values] of wanted.entries()) {
      harness.through = (api) => withoutValues(api, hidden);
      const tree = await treeWith(values);
      const plan = await harness.plan(tree, known);
      expect(plan.steps.at(-1)?.fields).toMatchObject([{ field: 'customFields', after: values }]);
      const result = await harness.apply(tree, plan);
      const text = renderApplyResult(result, { color: false, width: 200 });
      expect(isComplete(result), text).toBe(true);
      const isTold = at < 2 || hidden.includes('owner');
      expect(text.includes('"}, not shown by this service')).toBe(isTold);
      expect(text.includes('so drift in the field is not detected')).toBe(isTold);
      known = { base: tree, ...knownOf(plan, result, `${at}`) };
      expect((await harness.plan(tree, known)).steps).toEqual([]);
    }
    // Fewer values are no difference, and a value that is shown is compared.
    expect((await harness.plan(await treeWith({ note: 'two' }), known)).steps).toEqual([]);
    const other = { values: { owner: { value: 'of others' } } };
    await harness.api.send('spaces.updateCustomFields', { params: { spaceId: 'sp_guide' }, body: other });
    const drift = (await harness.plan(await treeWith({ note: 'two', owner: 'two' }), known)).steps;
    expect(drift.flatMap(({ fields }) => fields.map(({ cause }) => cause))).toEqual(
      hidden.includes('owner') ? [] : ['drift'],
    );
    // Accepted drift keeps what the service hides.
    expect(asSent({ owner: 'of others' }, { note: 'two', owner: 'one' }, { owner: 'one' })).toEqual({
      note: 'two',
      owner: 'of others',
    });
  },
);

const defaults: readonly (readonly [string, (value: unknown) => object, unknown, unknown])[] = [
  [
    'description',
    (description) => ({ collections: { books: { title: 'Books', description } } }),
    'Words',
    '',
  ],
  ['placeholder', (placeholder) => ({ customFields: { a: { type: 'text', placeholder } } }), 'Words', ''],
  ['icon', (icon) => section({ icon }), 'book', null],
  ['condition', (condition) => section({ condition }), 'visitor.x', null],
  [
    'active',
    (active) => ({ sites: { hub: { title: 'Hub', shareLinks: { a: { name: 'A', active } } } } }),
    false,
    true,
  ],
  [
    'adaptiveContent',
    (adaptiveContent) => ({ sites: { hub: { title: 'Hub', adaptiveContent } } }),
    { enabled: true },
    { enabled: false },
  ],
];

test.each(defaults)(
  'a %s that no response shows is sent once when it returns to its default',
  async (name, documentOf, value, none) => {
    harness.through = (api) => without(api, [name]);
    let known: HarnessOptions = {};
    const sent = async (wanted: unknown, isRefused = false) => {
      const tree = await treeOf(documentOf(wanted));
      const plan = await harness.plan(tree, known);
      const text = renderPlan(asPlan(plan), { color: false, width: 200 });
      const isAgain = wanted === none && plan.steps.length > 0 && harness.through !== undefined;
      expect(text.includes(`${name} not shown → `), text).toBe(isAgain);
      harness.sent.length = 0;
      harness.refuse = isRefused ? () => new Error('refused') : undefined;
      const result = await harness.apply(tree, plan, undefined, known);
      harness.refuse = undefined;
      expect(isComplete(result)).toBe(!isRefused);
      const now = knownOf(plan, result, `r-${harness.reads.length}`);
      known = { base: isRefused ? known.base : tree, ...now } as HarnessOptions;
      return harness.sent.flatMap(({ body }) =>
        JSON.stringify(body ?? {}).includes(`"${name}"`) ? [body] : [],
      );
    };
    expect(await sent(value)).toHaveLength(1);
    expect(await sent(value)).toEqual([]);
    expect(await sent(none, true)).toEqual([]);
    expect(await sent(none)).toMatchObject([{ [name]: none }]);
    expect(await sent(none)).toEqual([]);
    expect(await sent(value)).toMatchObject([{ [name]: value }]);
    // What becomes visible is compared.
    harness.through = undefined;
    expect(await sent(value)).toEqual([]);
    expect(await sent(none)).toMatchObject([{ [name]: none }]);
  },
);
