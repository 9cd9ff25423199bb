/** Whose an object is: an id of another organization is an error wherever it is named, and nothing is sent. */
import { afterEach, describe, expect, test } from 'vitest';
import { type Form, forms } from '../../src/contract/form.ts';
import { registry } from '../../src/kinds/index.ts';
import { planAll } from '../../src/run/planning.ts';
import type { Seed } from '../../src/server/index.ts';
import type { DesiredTree } from '../../src/tree/desired-tree.ts';
import { type Diagnostic, DiagnosticError } from '../../src/util/diagnostic.ts';
import {
  type HarnessOptions,
  loadTexts,
  type MemoryHarness,
  startHarness,
  treeOf,
} from '../support/harness.ts';
import { applyTree, onlyPlan, undoOf } from '../support/undo.ts';

const [first] = [{ id: 'user_ada', email: 'ada@acme.dev', displayName: 'Ada', role: 'admin' }] as const;
const seed: Seed = {
  owner: { id: 'user_ada', email: 'ada@acme.dev', displayName: 'Ada' },
  organizations: [
    {
      id: 'org_acme',
      title: 'Acme',
      hostname: 'acme',
      members: [first],
      spaces: [
        { id: 'sp_guide', title: 'API guide' },
        { id: 'sp_old', title: 'Old' },
      ],
      collections: [
        {
          type: 'collection',
          id: 'col_eng',
          title: 'Engineering',
          spaces: [{ id: 'sp_runbooks', title: 'Runbooks' }],
        },
      ],
    },
    {
      id: 'org_globex',
      title: 'Globex',
      hostname: 'globex',
      members: [first],
      spaces: [{ id: 'sp_home', title: 'Home' }],
      collections: [{ type: 'collection', id: 'col_docs', title: 'Docs' }],
    },
  ],
};

let harness: MemoryHarness;
afterEach(() => harness.close());

async function start(form: Form): Promise<void> {
  harness = await startHarness(seed, registry, form);
  await harness.service.api.send('spaces.delete', { params: { spaceId: 'sp_old' } });
}

const globex = (more: object) => treeOf({ octavo: 1, organization: 'org_globex', ...more });

async function problemsOf(making: Promise<unknown>): Promise<readonly Diagnostic[]> {
  const error = await making.then(
    () => new Error('planned'),
    (one: Error) => one,
  );
  if (!(error instanceof DiagnosticError)) throw error;
  return error.diagnostics;
}

function problemsIn(tree: DesiredTree, options?: HarnessOptions): Promise<readonly Diagnostic[]> {
  return problemsOf(harness.plan(tree, options));
}

/** Every read by an id of the manifests or of the record: what names the id, at which address, and which object. */
type Case = readonly [
  what: string,
  document: object,
  address: string,
  object: string,
  options?: HarnessOptions,
];

const named: readonly Case[] = [
  [
    'a pinned space',
    { spaces: { a: { id: 'sp_guide', title: 'Taken over' } } },
    'spaces/a',
    'space sp_guide',
  ],
  [
    'a pinned space in a collection',
    { collections: { docs: { title: 'Docs', spaces: { a: { id: 'sp_guide' } } } } },
    'collections/docs/spaces/a',
    'space sp_guide',
  ],
  ['a pinned, deleted space', { spaces: { a: { id: 'sp_old', title: 'Old' } } }, 'spaces/a', 'space sp_old'],
  [
    'a pinned collection',
    { collections: { a: { id: 'col_eng', title: 'Mine' } } },
    'collections/a',
    'collection col_eng',
  ],
  [
    'the source of a copy',
    { spaces: { a: { duplicateOf: { id: 'sp_guide' }, title: 'Copy' } } },
    'spaces/a',
    'space sp_guide',
  ],
  [
    'the space of a new site-space',
    { sites: { s: { title: 'Site', spaces: { main: { space: { id: 'sp_guide' } } } } } },
    'sites/s/spaces/main',
    'space sp_guide',
  ],
  [
    'a recorded space',
    { spaces: { a: { title: 'API guide' } } },
    'spaces/a',
    'space sp_guide',
    { recorded: { 'spaces/a': 'sp_guide' } },
  ],
  [
    'a recorded collection',
    { collections: { a: { title: 'Engineering' } } },
    'collections/a',
    'collection col_eng',
    { recorded: { 'collections/a': 'col_eng' } },
  ],
  [
    'a recorded space under a former name',
    { spaces: { b: { was: 'a', title: 'API guide' } } },
    'spaces/b',
    'space sp_guide',
    { recorded: { 'spaces/a': 'sp_guide' } },
  ],
];

describe.each(forms)('at a service of the form %s', (form) => {
  for (const [what, document, address, object, options] of named)
    test(`${what} of another organization is an error at its line`, async () => {
      await start(form);
      const tree = await globex(document);
      const problems = await problemsIn(tree, options);
      expect(problems.map(({ code, address: at, message }) => [code, at, message])).toEqual([
        ['other-organization', address, `${object} belongs to org_acme, this document is org_globex`],
      ]);
      expect(problems[0]?.at?.line).toBeGreaterThan(2);
      expect(harness.sent).toEqual([]);
    });

  test('does not delete an object that was pinned by mistake before', async () => {
    await start(form);
    const base = await globex({ spaces: { a: { id: 'sp_guide' }, b: { id: 'sp_home' } } });
    const tree = await globex({ settings: { protect: ['!**'] }, spaces: { b: { id: 'sp_home' } } });
    const plan = await harness.plan(tree, {
      base,
      recorded: { 'spaces/a': 'sp_guide', 'spaces/b': 'sp_home' },
    });
    expect(plan.steps).toEqual([]);
    expect(plan.refusals).toEqual([]);
  });

  test('undoes nothing of an object that was transferred since', async () => {
    await start(form);
    const run = await applyTree(
      harness,
      await treeOf({
        collections: { e: { id: 'col_eng', title: 'Eng' } },
      }),
    );
    const transfer = { params: { collectionId: 'col_eng' }, body: { organization: 'org_globex' } };
    await harness.service.api.send('collections.transfer', transfer);
    const sent = harness.sent.length;
    const { steps, notes } = onlyPlan(await undoOf(harness, run));
    expect(steps).toEqual([]);
    expect(notes.map(({ code, message }) => `${code}: ${message}`)).toEqual([
      'not-undone: belongs to org_globex now: title cannot be restored',
    ]);
    expect(harness.sent.length).toBe(sent);
  });
});

test('compares with the organization that a variable or a title names', async () => {
  await start('document');
  const spaces = 'spaces:\n  a: { id: sp_guide, title: Taken over }\n';
  const texts = { 'manifest.yaml': `octavo: 1\norganization: { id: "\${env:DOCS_ORG}" }\n${spaces}` };
  const treeFor = async (id: string) => {
    const [tree] = (await loadTexts(texts, registry, { DOCS_ORG: id })).trees;
    return tree ?? expect.fail('no tree');
  };
  expect((await harness.plan(await treeFor('org_acme'))).steps).toHaveLength(1);
  const titled = await treeOf({
    octavo: 1,
    organization: { match: { title: 'Globex' } },
    spaces: { a: { id: 'sp_guide' } },
  });
  for (const tree of [await treeFor('org_globex'), titled])
    expect((await problemsIn(tree)).map(({ code }) => code)).toEqual(['other-organization']);
});

describe('two documents of different organizations that pin one id', () => {
  const load = (key: string, entry: string) => {
    const text = (id: string) => `octavo: 1\norganization: ${id}\n${key}:\n  a: ${entry}\n`;
    return loadTexts({ 'acme.yaml': text('org_acme'), 'globex.yaml': text('org_globex') });
  };

  test.each([
    ['spaces', '{ id: sp_guide, title: A }'],
    ['collections', '{ id: col_eng, title: A }'],
  ])('are an error that shows both places (%s)', async (key, entry) => {
    const [problem, ...others] = await problemsOf(load(key, entry));
    expect(others).toEqual([]);
    expect(problem).toMatchObject({
      code: 'id-claimed-twice',
      at: { file: 'globex.yaml', line: 4 },
      related: [{ at: { file: 'acme.yaml', line: 4 } }],
    });
    expect(problem?.message).toContain(`also by org_acme/${key}/a`);
  });

  test('are fine where ids belong to the organization', async () => {
    expect((await load('teams', '{ id: t_1, title: A }')).trees).toHaveLength(2);
  });
});

describe('an object that moves to the manifests of another organization', () => {
  const acme = (more: object) => treeOf({ settings: { protect: ['!**'] }, ...more });
  const engineering = {
    collections: { eng: { title: 'Engineering', spaces: { run: { title: 'Runbooks' } } } },
  };

  async function planBoth(trees: readonly DesiredTree[], bases: readonly DesiredTree[], skipRefused = false) {
    const { api, sleep } = harness;
    const run = await planAll(
      { api, registry, sleep },
      { trees, pasts: new Map(bases.map((tree) => [tree.label, { tree }])), choices: { skipRefused } },
    );
    return run.plan.organizations;
  }

  test('is refused at both ends, and the command that is named transfers it', async () => {
    await start('document');
    const bases = [await acme(engineering), await globex({ collections: { docs: { title: 'Docs' } } })];
    const trees = [
      await acme({ collections: {} }),
      await globex({ collections: { docs: { title: 'Docs' }, ...engineering.collections } }),
    ];
    const refusals = (await planBoth(trees, bases)).map((one) =>
      one.refusals.map(({ guard, address, message }) => `${guard} ${address}: ${message}`),
    );
    expect(refusals).toEqual([
      [
        'transfer collections/eng: collection "Engineering" is declared in org_globex now (collections/eng): it would be deleted instead of transferred',
        'transfer collections/eng/spaces/run: space "Runbooks" is declared in org_globex now (collections/eng/spaces/run): it would be deleted instead of transferred',
      ],
      [
        'transfer collections/eng: collection "Engineering" is still in org_acme (collections/eng): it would be created without its content instead of transferred',
        'transfer collections/eng/spaces/run: space "Runbooks" is still in org_acme (collections/eng/spaces/run): it would be created without its content instead of transferred',
      ],
    ]);
    const [help] = (await planBoth(trees, bases)).flatMap((one) =>
      one.refusals.map(({ suggestion }) => suggestion),
    );
    expect(help).toContain('octavo api collections.transfer collectionId=col_eng -F organization=org_globex');
    const skipped = await planBoth(trees, bases, true);
    expect(skipped.flatMap(({ steps }) => steps)).toEqual([]);
    await harness.service.api.send('collections.transfer', {
      params: { collectionId: 'col_eng' },
      body: { organization: 'org_globex' },
    });
    for (const { steps, refusals: left, ids } of await planBoth(trees, bases)) {
      expect([steps, left]).toEqual([[], []]);
      if (ids['collections/eng'] !== undefined) expect(ids['collections/eng/spaces/run']).toBe('sp_runbooks');
    }
  });

  test('is an error at both ends if its id is pinned', async () => {
    await start('document');
    const bases = [await acme({ spaces: { guide: { id: 'sp_guide', title: 'API guide' } } })];
    const trees = [
      await acme({ spaces: {} }),
      await globex({ spaces: { guide: { id: 'sp_guide', title: 'API guide' } } }),
    ];
    const problems = await problemsOf(planBoth(trees, bases));
    expect(problems.map(({ address, message }) => `${address}: ${message}`)).toEqual([
      'spaces/guide: space sp_guide belongs to org_acme, this document is org_globex',
      'org_acme: space "API guide" leaves org_acme and is declared in org_globex (spaces/guide)',
    ]);
    for (const { suggestion } of problems)
      expect(suggestion).toContain('octavo api spaces.transfer spaceId=sp_guide -F organization=org_globex');
  });

  test('is another object if the manifests say that it is new', async () => {
    await start('document');
    const bases = [await acme({ collections: { eng: { title: 'Engineering' } } })];
    const trees = [
      await acme({ collections: {} }),
      await globex({ collections: { eng: { title: 'Engineering', was: [] } } }),
    ];
    const refusals = (await planBoth(trees, bases)).flatMap((one) => one.refusals.map(({ guard }) => guard));
    expect(refusals).not.toContain('transfer');
  });
});
