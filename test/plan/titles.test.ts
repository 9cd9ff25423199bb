/** References by title to what no manifest declares: exactly one object has it, or nothing is planned. */
import { afterEach, describe, expect, test } from 'vitest';
import { type Form, forms } from '../../src/contract/form.ts';
import { registry } from '../../src/kinds/index.ts';
import type { Seed } from '../../src/server/index.ts';
import { type Diagnostic, DiagnosticError } from '../../src/util/diagnostic.ts';
import { loadTexts, type MemoryHarness, startHarness, treeOf } from '../support/harness.ts';
import { applyTree, onlyPlan, undoOf } from '../support/undo.ts';

const owner = { id: 'user_ada', email: 'ada@acme.dev', displayName: 'Ada' } as const;
const seed: Seed = {
  owner,
  organizations: [
    {
      id: 'org_acme',
      title: 'Acme',
      hostname: 'acme',
      members: [{ ...owner, role: 'admin' }],
      spaces: [
        { id: 'sp_guide', title: 'API guide' },
        { id: 'sp_old', title: 'Old guide' },
        { id: 'sp_twice', title: 'Twice' },
        { id: 'sp_again', title: 'Twice' },
        { id: 'sp_gone', title: 'Gone' },
      ],
      collections: [
        {
          type: 'collection',
          id: 'col_eng',
          title: 'Engineering',
          spaces: [{ id: 'sp_runbooks', title: 'Runbooks' }],
        },
      ],
      teams: [
        { id: 'team_docs', title: 'Docs' },
        { id: 'team_ops', title: 'Ops' },
      ],
    },
    {
      id: 'org_globex',
      title: 'Globex',
      hostname: 'globex',
      members: [{ ...owner, role: 'admin' }],
      spaces: [{ id: 'sp_home', title: 'Home' }],
    },
  ],
};

let harness: MemoryHarness;
afterEach(() => harness.close());

async function start(form: Form = 'document'): Promise<void> {
  harness = await startHarness(seed, registry, form);
  await harness.service.api.send('spaces.delete', { params: { spaceId: 'sp_gone' } });
}

const showing = (space: unknown, more: object = {}) =>
  treeOf({
    sites: { hub: { title: 'Hub', spaces: { main: { space } } } },
    ...more,
  });

async function problemOf(making: Promise<unknown>): Promise<Diagnostic | undefined> {
  const error = await making.then(
    () => new Error('planned'),
    (one: Error) => one,
  );
  if (!(error instanceof DiagnosticError)) throw error;
  return error.diagnostics[0];
}

describe.each(forms)('at a service of the form %s', (form) => {
  test.each([
    ['API guide', 'sp_guide'],
    ['Runbooks', 'sp_runbooks'],
    // As services store it.
    [' Old guide ', 'sp_old'],
  ])('the space with the title %j is shown, and the next plan is empty', async (title, id) => {
    await start(form);
    const tree = await showing({ title });
    const { planned } = await applyTree(harness, tree);
    const shown = onlyPlan(planned).steps.find(({ address }) => address === 'sites/hub/spaces/main');
    expect(shown?.calls[0]).toMatchObject({ body: { spaceId: id } });
    expect((await harness.plan(tree)).steps).toEqual([]);
    expect((await harness.plan(await showing({ id }), { base: tree })).steps).toEqual([]);
  });

  test.each([
    [{ title: 'Twice' }, 'space: 2 spaces have the title "Twice": sp_twice, sp_again', '{ id: sp_twice }'],
    [
      { title: 'API gide' },
      'space: no space that this token sees has the title "API gide"',
      /"API guide"|octavo api orgs.search organizationId=org_acme query=… shows/,
    ],
    [{ title: 'Old' }, 'space: no space that this token sees has the title "Old"', '{ id: … }'],
    [{ title: 'Gone' }, 'space: no space that this token sees has the title "Gone"', '{ id: … }'],
    [{ title: 'Home' }, 'space: no space that this token sees has the title "Home"', '{ id: … }'],
    [
      { title: 'New' },
      'space: no space that this token sees has the title "New"',
      'its key: spaces/new has it',
    ],
  ])('%j is an error at its line', async (space, message, help) => {
    await start(form);
    const tree = await showing(space, { spaces: { new: { title: 'New' } } });
    const problem = await problemOf(harness.plan(tree));
    expect(problem).toMatchObject({ severity: 'error', address: 'sites/hub/spaces/main', message });
    expect(problem?.at).toEqual(tree.get('sites/hub/spaces/main')?.fieldAt.space);
    expect(problem?.suggestion).toMatch(help);
  });

  test('another title shows another space, and an undo the former one again', async () => {
    await start(form);
    const before = await showing({ title: 'API guide' });
    await applyTree(harness, before);
    const after = await showing({ title: 'Runbooks' });
    const run = await applyTree(harness, after, { base: before });
    expect(onlyPlan(run.planned).steps.map(({ address, cause }) => [address, cause])).toContainEqual([
      'sites/hub/spaces/main',
      undefined,
    ]);
    expect((await harness.plan(after, { base: after })).steps).toEqual([]);
    const undone = onlyPlan(await undoOf(harness, run));
    expect(undone.steps.map(({ address }) => address)).toContain('sites/hub/spaces/main');
    expect(undone.refusals).toEqual([]);
  });
});

test('a team and a source of a copy are found by their titles', async () => {
  await start();
  const tree = await treeOf({
    spaces: { copy: { title: 'Copy', duplicateOf: { title: 'API guide' } } },
    samlProviders: {
      okta: {
        label: 'Okta',
        ssoURL: 'https://idp.example/sso',
        entityID: 'okta',
        certificate: 'MIIC',
        defaultTeam: { title: 'Ops' },
      },
    },
  });
  const { planned } = await applyTree(harness, tree);
  const calls = onlyPlan(planned).steps.flatMap((one) => one.calls);
  expect(JSON.stringify(calls)).toContain('team_ops');
  expect(JSON.stringify(calls)).toContain('sp_guide');
  expect((await harness.plan(tree)).steps).toEqual([]);
});

test('a title that has moved to another space is a change of what is shown', async () => {
  await start();
  const tree = await showing({ title: 'API guide' });
  await applyTree(harness, tree);
  const rename = (spaceId: string, title: string) =>
    harness.service.api.send('spaces.update', { params: { spaceId }, body: { title } });
  await rename('sp_guide', 'Former guide');
  await rename('sp_runbooks', 'API guide');
  const { steps } = await harness.plan(tree, { base: tree });
  expect(steps.map(({ address }) => address)).toEqual(expect.arrayContaining(['sites/hub/spaces/main']));
  expect(JSON.stringify(steps)).toContain('sp_runbooks');
});

test.each([
  ['a reference inside a site', 'default: { title: Main }', /default/],
  ['both', 'spaces: { main: { space: { id: sp_guide, title: API guide } } }', /space/],
  ['a secret', "spaces: { main: { space: { title: '${secret:TITLE}' } } }", /space/],
])('%s is rejected before any request', async (_what, text, message) => {
  const files = {
    'a.yaml': `octavo: 1\norganization: org_acme\nsites:\n  hub:\n    title: Hub\n    ${text}\n`,
  };
  const problem = await problemOf(loadTexts(files, registry, { TITLE: 'hush-hush' }));
  expect(problem?.message).toMatch(message);
  expect(JSON.stringify(problem)).not.toContain('hush-hush');
});

test('an undo of something else does not need the title to be there', async () => {
  await start();
  const titled = (title: string) =>
    treeOf({
      sites: { hub: { title, spaces: { main: { space: { title: 'API guide' } } } } },
    });
  const before = await titled('Hub');
  await applyTree(harness, before);
  const run = await applyTree(harness, await titled('Docs'), { base: before });
  await harness.service.api.send('spaces.update', {
    params: { spaceId: 'sp_guide' },
    body: { title: 'Former guide' },
  });
  const undone = onlyPlan(await undoOf(harness, run));
  expect(undone.steps.map(({ address }) => address)).toEqual(['sites/hub']);
});
