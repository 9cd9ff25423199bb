/** Plans and results longer than a screen: dangerous changes first, equal ones once, no loss omitted. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ApiError } from '../../src/contract/api.ts';
import type { Refusal, Step } from '../../src/plan/plan.ts';
import { renderApplyResult } from '../../src/report/apply/text.ts';
import { planMarkdown } from '../../src/report/plan/markdown.ts';
import { renderPlan } from '../../src/report/plan/text.ts';
import { displayWidth } from '../../src/report/text/safe-text.ts';
import { byAddress } from '../../src/util/natural-order.ts';
import { tries } from '../support/runs.ts';
import { htmlOf } from './page/browser.ts';
import { planOf, resultOf, step } from './plan-samples.ts';

const plain = { color: false, width: 80 };
const text = (steps: readonly Step[], options: object = {}) =>
  renderPlan(planOf({ steps }), { ...plain, ...options });

const place = { file: 'acme.yaml', line: 1, column: 1, endLine: 1, endColumn: 2 };
const risk = 'links to the former path stop working';
const renamed = Array.from({ length: 47 }, (_, at) =>
  step({
    address: `sites/hub/sections/bulk-${at + 1}`,
    noun: 'section',
    action: 'update',
    phase: 'update',
    fields: [{ field: 'path', before: 'a', after: 'b' }],
    risks: [{ text: risk, field: 'path' }],
  }),
);
const deleted = ['a', 'b', 'c', 'd'].map((key) =>
  step({
    address: `teams/${key}`,
    noun: 'team',
    action: 'delete',
    phase: 'delete',
    risks: [{ text: 'its members lose what the team gave them access to' }],
  }),
);

test('sorts the organization first, parents before children, and numbers by value', () => {
  const sorted = [
    'organization',
    'a',
    'a/bulk-2',
    'a/bulk-2/x',
    'a/bulk-10',
    'a-b',
    'b',
    'teams/2',
    'teams/10',
  ];
  expect([...sorted].reverse().sort(byAddress)).toEqual(sorted);
});

test('shows objects in that order for any order of steps', () => {
  const whole = text([...renamed].reverse(), { full: true });
  const keys = [...whole.matchAll(/~ (bulk-\d+)/g)].map(([, key]) => key);
  expect(keys).toEqual(renamed.map(({ address }) => address.split('/').at(-1)));
  expect(whole.split('sites/hub/sections')).toHaveLength(2);
});

test('shows equal risks and losses once, with all deleted objects, first', () => {
  const long = text([...renamed, ...deleted]);
  expect(long.split(risk)).toHaveLength(2);
  expect(long).toMatch(/~ 47 sections\s+links to the former path stop working/);
  const head = long.slice(long.indexOf('Dangerous'), long.indexOf('sites/hub/sections'));
  expect(long.split('its members lose')).toHaveLength(2);
  for (const { address } of deleted) expect(head).toContain(` ${address}`);
  expect(long).toContain('47 sections (47 update), 4 teams (4 delete)');
  expect(Math.max(...long.split('\n').map(displayWidth))).toBeLessThanOrEqual(80);
});

/** Any changes at any address, with values of any length. */
const anyChange = fc
  .record({
    parent: fc.constantFrom(
      'teams',
      'spaces',
      'customFields',
      'sites/a/sections',
      'sites/b/sections',
      'collections/c/spaces',
    ),
    place: fc.nat(300),
    key: fc.nat(20),
    action: fc.constantFrom('create', 'update', 'update', 'move', 'delete', 'replace'),
    fields: fc.uniqueArray(fc.constantFrom('title', 'path', 'icon', 'description', 'members'), {
      maxLength: 4,
    }),
    value: fc.oneof(fc.string(), fc.string({ minLength: 100 }), fc.constant('a\nb\nc')),
  })
  .map(({ parent, place, key, action, fields, value }) => {
    const phase = action === 'replace' ? 'create' : (action as 'create');
    return step({
      address: `${place % 2 === 0 ? parent : `sites/s${place}/sections`}/o${key}`,
      noun: parent.includes('sections') ? 'section' : 'team',
      action: action as 'create',
      phase,
      fields: fields.map((field) => ({ field, ...(action === 'update' && { before: 'x' }), after: value })),
    });
  });

const anyPlan = fc.uniqueArray(anyChange, {
  minLength: 200,
  maxLength: 200,
  selector: ({ address }) => address,
});

test('shows 200 changes on a few screens, with the address of every lost object', () => {
  fc.assert(
    fc.property(anyPlan, (steps) => {
      const found = text(steps);
      const lost = steps.filter(({ action }) => action === 'delete' || action === 'replace');
      const head = found.slice(found.indexOf('Dangerous'));
      for (const { address } of lost) expect(head).toContain(` ${address}`);
      const lines = found.split('\n').length;
      expect(lines).toBeLessThanOrEqual(150 + 2 * lost.length);
      if (lost.length === 0) expect(lines).toBeLessThanOrEqual(150);
    }),
    { ...tries(15), endOnFailure: true },
  );
});

test('shows 200 updates in 150 lines', () => {
  const updates = anyPlan.map((steps) =>
    steps.map((one) =>
      one.action === 'delete' || one.action === 'replace' ? { ...one, action: 'update' as const } : one,
    ),
  );
  fc.assert(
    fc.property(updates, (steps) => {
      expect(text(steps).split('\n').length).toBeLessThanOrEqual(150);
    }),
    { ...tries(15), endOnFailure: true },
  );
});

test('mentions folded or cut parts, and --show all shows them', () => {
  fc.assert(
    fc.property(anyPlan, (steps) => {
      const whole = text(steps, { full: true });
      expect(whole).not.toMatch(/alike:|--show all|more lines/);
      const short = text(steps);
      if (/alike: |…$/m.test(short)) expect(short).toContain('--show all shows every change.');
    }),
    { ...tries(8), endOnFailure: true },
  );
});

test('shows dangerous changes first in a plan of any length', () => {
  const short = text(renamed.slice(0, 1));
  expect(short.indexOf('Dangerous')).toBeGreaterThan(0);
  expect(short.indexOf('Dangerous')).toBeLessThan(short.indexOf(risk));
  // Not repeated at its object.
  expect(short.split(risk)).toHaveLength(2);
});

/** Sixty objects of one template, one of which got another value. */
const oddValues = [
  ['title', (key: string) => `${key} manual`, 'FREE MONEY'],
  ['visibility', () => 'visitor-auth', 'share-link'],
  ['condition', () => 'visitor.claims.beta', 'true'],
  ['path', (key: string) => `docs-${key}`, 'docs-p38'],
] as const;

test.each(oddValues)('names first the one %s among sixty that is another one', (field, usual, odd) => {
  const keys = Array.from({ length: 60 }, (_, at) => `p${at + 1}`);
  const steps = keys.map((key) =>
    step({
      address: `sites/${key}`,
      noun: 'site',
      action: 'update',
      phase: 'update',
      at: { ...place, usedAt: { ...place, name: 'product' } },
      fields: [{ field, before: 'old', after: key === 'p37' ? odd : usual(key) }],
    }),
  );
  const found = text(steps);
  expect(found).toMatch(new RegExp(`~ p37 +${field} "old" → "${odd}"`));
  expect(found).toContain('58 more sites of template product alike: p2,');
  expect(found.indexOf('~ p37')).toBeLessThan(found.indexOf('~ p1 '));
  const digests = { digest: 'ab', approval: 'ab.', version: '1.2.3' };
  const comment = [...planMarkdown({ plan: planOf({ steps }), digests }, plain)];
  const [table = ''] = comment.join('').split('<details>');
  expect(table).toMatch(new RegExp(`\\| .sites/p37. \\|.*${odd}`));
  expect(table).toContain('58 more sites of template product alike');
  expect(table.indexOf('sites/p37')).toBeLessThan(table.indexOf('sites/p1`'));
  const page = htmlOf(planOf({ steps }));
  expect(page.indexOf('id="sites/p37"')).toBeLessThan(page.indexOf('id="sites/p1"'));
  // Folded, and still in the file.
  const [, alike = ''] = page.split('58 more sites of template product alike');
  expect(alike.match(/ id="sites\/p\d+"/g)).toHaveLength(58);
});

test('folds in a comment what is inside of equal objects, as in the text', () => {
  const steps = Array.from({ length: 60 }, (_, at) =>
    [`sites/p${at + 1}`, `sites/p${at + 1}/sections/start`].map((address, depth) =>
      step({
        address,
        noun: ['site', 'section'][depth] ?? '',
        action: 'update',
        phase: 'update',
        fields: [{ field: 'title', before: 'docs', after: 'manual' }],
      }),
    ),
  ).flat();
  const digests = { digest: 'ab', approval: 'ab.', version: '1.2.3' };
  const comment = [...planMarkdown({ plan: planOf({ steps }), digests }, plain)].join('');
  const rows = comment.split('<details>')[0]?.match(/^\| ~ \| .*?(?= \|)/gm);
  expect(rows).toEqual(['| ~ | `sites/p1`', '| ~ | `sites/p1/sections/start`', '| ~ | 59 more sites alike']);
  expect(comment).toContain('120 changes in full');
});

test('does not say that a template made objects of which one is written by hand', () => {
  const steps = Array.from({ length: 30 }, (_, at) =>
    step({
      address: `sites/p${at}`,
      noun: 'site',
      action: 'update',
      phase: 'update',
      at: at === 7 ? place : { ...place, usedAt: { ...place, name: 'product' } },
      fields: [{ field: 'visibility', before: 'public', after: 'unlisted' }],
    }),
  );
  expect(text(steps)).toContain('29 more sites alike: p1,');
});

test('shows new entries of an ordered list as they will stand, each with what is inside', () => {
  const created = (address: string, noun: string) =>
    step({ address, noun, kind: noun, action: 'create', phase: 'create' });
  const found = text([
    created('sites/hub/sections/start', 'section'),
    created('sites/hub/sections/api', 'section'),
    created('sites/hub/sections/start/siteSpaces/b', 'site-space'),
    created('sites/hub/sections/api/siteSpaces/a', 'site-space'),
    step({ address: 'sites/hub/sections/more', noun: 'section', action: 'update', phase: 'update' }),
    created('teams/writers', 'team'),
    created('teams/admins', 'team'),
  ]);
  const shown = [...found.matchAll(/^ {4,}[+~] (\S+)/gm)].map(([, label]) => label);
  expect(shown).toEqual([
    ...['start', 'siteSpaces/b', 'api', 'siteSpaces/a', 'more'],
    // The order of teams means nothing.
    ...['admins', 'writers'],
  ]);
});

test('shows equal refusals once with all addresses', () => {
  const refusals = ['a', 'b', 'c', 'd', 'e'].map(
    (key): Refusal => ({
      guard: 'protect',
      address: `spaces/${key}`,
      message: `space "${key}" is protected and would be deleted`,
      suggestion: `to allow it, set lifecycle: { protect: false } at spaces/${key}`,
      steps: [],
    }),
  );
  const found = renderPlan(planOf({ refusals }), plain);
  expect(found.split('is protected')).toHaveLength(2);
  expect(found).toContain('and in the same way spaces/b, spaces/c, spaces/d, spaces/e');
});

test('shows an unreachable service once with all failed steps', () => {
  const outcomes = renamed.map((one) => ({
    type: 'failed' as const,
    step: one,
    error: new ApiError('sections.update failed: connection refused', {
      type: 'connection',
      operation: 'sections.update',
      method: 'PATCH',
      path: `/v1/${one.address}`,
      attempt: 5,
      mayHaveHappened: false,
    }),
  }));
  const found = renderApplyResult(resultOf(outcomes), plain);
  expect(found.split('connection refused')).toHaveLength(2);
  expect(found).toContain('46 more steps failed in the same way:');
  for (const { address } of renamed) expect(found).toContain(address);
});
