/** Plans with a base: changes of the manifests are separated from drift, in the text and in the counts. */
import { describe, expect, test } from 'vitest';
import type { FieldChange, OrganizationPlan, Plan } from '../../src/plan/plan.ts';
import { planHtml } from '../../src/report/page/plan-page.ts';
import { planJson } from '../../src/report/plan/json.ts';
import { planMarkdown } from '../../src/report/plan/markdown.ts';
import { planText, renderPlan } from '../../src/report/plan/text.ts';
import { displayWidth } from '../../src/report/text/safe-text.ts';
import { objectChanges } from '../../src/review/object-changes.ts';
import { countByCause } from '../../src/review/plan-document.ts';
import { organizationOf, planOf, step } from './plan-samples.ts';

const plain = { color: false, width: 80 };
const note = 'No base: cannot tell';
const swapRisk = 'links to the former path stop working';

/** An update of an object. */
function update(
  address: string,
  noun: string,
  fields: readonly FieldChange[],
  risks: readonly { readonly text: string; readonly field: string }[] = [],
) {
  return step({
    address,
    noun,
    action: 'update',
    phase: 'update',
    reason: 'differs from the manifest',
    fields,
    risks,
  });
}

const edited = update('teams/platform', 'team', [
  { field: 'title', before: 'Platform', after: 'Infrastructure', cause: 'changed' },
]);

const drifted = update(
  'members/bob@acme.dev',
  'member',
  [{ field: 'role', before: 'admin', after: 'edit', cause: 'drift' }],
  [{ text: 'takes administration away', field: 'role' }],
);

/** One object with every part for both causes. */
const mixed = [
  step({
    address: 'sites/hub/sections/api',
    noun: 'section',
    action: 'update',
    phase: 'vacate',
    reason: 'takes a temporary path first: it is swapped with that of another section',
    fields: [{ field: 'path', before: 'guides', after: 'guides-swap' }],
  }),
  update(
    'sites/hub/sections/api',
    'section',
    [
      { field: 'title', before: 'API', after: 'Reference', cause: 'changed' },
      { field: 'path', before: 'guides', after: 'api', cause: 'drift' },
      { field: 'icon', before: 'cube', after: 'book', cause: 'conflict', base: 'flask' },
    ],
    [{ text: swapRisk, field: 'path' }],
  ),
  step({
    address: 'sites/hub/sections/api',
    noun: 'section',
    action: 'update',
    phase: 'move',
    reason: 'before sites/hub/sections/help',
    cause: 'drift',
  }),
];

const long = (word: string) => Array.from({ length: 16 }, () => word).join(' ');

const conflicts = update('collections/handbook', 'collection', [
  { field: 'title', before: 'Mine', after: 'Yours', cause: 'conflict', base: 'Ours' },
  { field: 'icon', before: 'cube', after: 'book', cause: 'conflict', base: null },
  { field: 'description', before: long('mine'), after: long('yours'), cause: 'conflict', base: long('ours') },
  { field: 'notes', before: 'a\nmine', after: 'a\nyours', cause: 'conflict', base: 'a\nours' },
  { field: 'links', before: { a: 1 }, after: { a: 2 }, cause: 'conflict', base: { a: 3 } },
]);

const withBase = (given: Partial<OrganizationPlan>) => planOf({ withBase: true, ...given });

const marks = { digest: 'sha256:0', approval: 'sha256:0.', version: '0' };

describe('matches the golden text of', () => {
  test.each([
    [
      'change-and-drift',
      withBase({
        steps: [edited, drifted],
        unmanaged: [{ address: 'sites/id=s_1', kind: 'site', noun: 'site', id: 's_1', title: 'Theirs' }],
      }),
    ],
    ['mixed', withBase({ steps: [...mixed, edited] })],
    ['conflicts', withBase({ steps: [conflicts] })],
    ['drift-only', withBase({ steps: [drifted] })],
    ['without-base', planOf({ steps: [edited] })],
  ])('%s', async (name, plan) => {
    for (const width of [80, 200]) {
      const text = renderPlan(plan, { color: false, width });
      await expect(text).toMatchFileSnapshot(`golden/causes-${name}-${width}.txt`);
      expect(Math.max(...text.split('\n').map(displayWidth))).toBeLessThanOrEqual(width);
    }
  });

  test('writes JSON with counts by cause', async () => {
    const text = [...planJson({ plan: withBase({ steps: mixed }), digests: marks }, plain)].join('');
    await expect(text).toMatchFileSnapshot('golden/causes-mixed.json');
    expect(
      JSON.parse([...planJson({ plan: planOf({ steps: [edited] }), digests: marks }, plain)].join('')),
    ).not.toHaveProperty('countsByCause');
  });
});

test('each format says why a field changes', () => {
  const place = { file: 'a.yaml', line: 1, column: 1, endLine: 1, endColumn: 2 };
  const at = { ...place, template: { ...place, name: 'product' } };
  const [before, after] = ['A', 'B'];
  const plan = withBase({
    steps: [
      update('sites/a', 'site', [{ field: 'title', before, after, cause: 'changed', at }]),
      update('sites/b', 'site', [{ field: 'title', before, after, cause: 'input' }]),
      update('sites/c', 'site', [{ field: 'title', before, after, cause: 'input', undecided: 'secret' }]),
      update('sites/d', 'site', [{ field: 'title', before, after, cause: 'drift', at }]),
    ],
  });
  for (const format of [planText, planMarkdown, planHtml]) {
    const text = [...format({ plan, digests: marks }, plain)].join('').replaceAll('\\', '');
    for (const why of [
      'from an input of template product',
      'a variable changed',
      'from a secret: cause not known',
    ])
      expect(text).toContain(`(${why})`);
    // Not the cause where only the live value changed.
    const [, drift = 'template product'] = text.split('Drift: changed outside git');
    expect(drift).not.toContain('template product');
  }
});

test('a cause that does not fit next to a field is below it', () => {
  const place = { file: 'a.yaml', line: 1, column: 1, endLine: 1, endColumn: 2 };
  const at = { ...place, template: { ...place, name: `product-${'long-'.repeat(9)}name` } };
  const field = { field: 'description', before: 'a\nb', after: 'a\nc', cause: 'changed', at } as const;
  const text = renderPlan(withBase({ steps: [update('sites/a', 'site', [field])] }), plain);
  expect(text.replace(/\s+/g, ' ')).toContain(`(from an input of template ${at.template.name})`);
  expect(Math.max(...text.split('\n').map(displayWidth))).toBeLessThanOrEqual(80);
});

describe('an object in both sections', () => {
  test('has separate fields, place, detours and risks that add up to all', () => {
    const [change, drift, ...rest] = objectChanges(organizationOf({ withBase: true, steps: mixed }));
    expect(rest).toEqual([]);
    expect(change).toMatchObject({ group: 'change', risks: [], detours: [] });
    expect(change).not.toHaveProperty('place');
    expect(change?.fields.map(({ field }) => field)).toEqual(['title', 'icon']);
    expect(drift).toMatchObject({
      group: 'drift',
      risks: [swapRisk],
      detours: ['takes a temporary path first: it is swapped with that of another section'],
      place: 'before sites/hub/sections/help',
    });
    expect(drift?.fields.map(({ field }) => field)).toEqual(['path']);
  });

  test('shows a risk without a field with the change if there is one, otherwise with the drift', () => {
    const risky = (fields: readonly FieldChange[]) =>
      objectChanges(
        organizationOf({
          withBase: true,
          steps: [{ ...update('a', 'site', fields), risks: [{ text: 'beware' }] }],
        }),
      ).map(({ group, risks }) => ({ group, risks }));
    const changed: FieldChange = { field: 'a', after: 1, cause: 'changed' };
    const back: FieldChange = { field: 'b', after: 1, cause: 'drift' };
    expect(risky([changed, back])).toEqual([
      { group: 'change', risks: ['beware'] },
      { group: 'drift', risks: [] },
    ]);
    expect(risky([back])).toEqual([{ group: 'drift', risks: ['beware'] }]);
  });

  test('shows the restore in one section and the new title in the other', () => {
    const steps = [
      step({ address: 'a', action: 'restore', phase: 'restore', reason: 'deleted', cause: 'drift' }),
      step({
        address: 'a',
        action: 'restore',
        phase: 'update',
        fields: [{ field: 'title', before: 'A', after: 'B', cause: 'changed' }],
      }),
    ];
    expect(objectChanges(organizationOf({ withBase: true, steps }))).toMatchObject([
      { group: 'change', reasons: [], fields: [{ field: 'title' }] },
      { group: 'drift', reasons: ['deleted'], fields: [] },
    ]);
  });
});

test.each(['create', 'replace'] as const)('keeps an object that is %sd in one section', (action) => {
  const steps = [
    ...(action === 'replace'
      ? [
          step({
            address: 'a',
            action,
            phase: 'delete',
            cause: 'changed',
            risks: [{ text: 'values are lost' }],
          }),
        ]
      : []),
    step({ address: 'a', action, phase: 'create', cause: 'drift', fields: [{ field: 'title', after: 'A' }] }),
    step({ address: 'a', action, phase: 'update', fields: [{ field: 'x', after: 1, cause: 'changed' }] }),
  ];
  const [change, ...rest] = objectChanges(organizationOf({ withBase: true, steps }));
  expect(rest).toEqual([]);
  expect(change).toMatchObject({ group: 'drift', fields: [{ field: 'title' }, { field: 'x' }] });
});

describe('counting by cause', () => {
  const zero = { create: 0, update: 0, move: 0, replace: 0, delete: 0, restore: 0 };

  test('counts an object in both sections in both', () => {
    expect(countByCause(withBase({ steps: [...mixed, edited, drifted] }))).toEqual({
      change: { ...zero, update: 2 },
      drift: { ...zero, update: 2 },
      conflicts: 1,
    });
  });

  test('is undefined without a base and skips organizations without one', () => {
    expect(countByCause(planOf({ steps: [edited] }))).toBeUndefined();
    const plan: Plan = {
      format: 1,
      organizations: [
        organizationOf({ steps: [drifted] }),
        organizationOf({ withBase: true, steps: [edited] }),
      ],
    };
    expect(countByCause(plan)).toEqual({ change: { ...zero, update: 1 }, drift: zero, conflicts: 0 });
  });
});

describe('the note about a missing base', () => {
  const said = (plan: Plan) => renderPlan(plan, plain).split(note).length - 1;
  const stray = { address: 'teams/id=t', kind: 'team', noun: 'team', id: 't', title: 'T' };

  test.each([
    ['nothing to do', planOf({}), 0],
    ['nothing to do, with a base', withBase({ unmanaged: [stray] }), 0],
    ['something unmanaged', planOf({ unmanaged: [stray] }), 1],
    ['changes', planOf({ steps: [edited] }), 1],
    ['changes, with a base', withBase({ steps: [edited] }), 0],
  ])('is shown if needed: %s', (_name, plan, times) => {
    expect(said(plan)).toBe(times);
  });

  test('is shown once for all organizations without a base', () => {
    const lacking = organizationOf({ steps: [edited] });
    const knowing = organizationOf({ withBase: true, steps: [edited] });
    expect(said({ format: 1, organizations: [lacking, knowing, lacking] })).toBe(1);
    expect(said({ format: 1, organizations: [knowing, knowing] })).toBe(0);
  });
});
