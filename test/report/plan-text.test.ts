/** Plans as text, compared with golden files; `vitest -u` updates them. */
import { describe, expect, test } from 'vitest';
import type { FieldChange, Plan } from '../../src/plan/plan.ts';
import { planJson } from '../../src/report/plan/json.ts';
import { renderPlan } from '../../src/report/plan/text.ts';
import { displayWidth } from '../../src/report/text/safe-text.ts';
import { everything, organizationOf, planOf, step } from './plan-samples.ts';

const plain = { color: false, width: 80 };

/** Lines of one field of an object that also changes another field, which forces separate lines. */
function fieldLines(change: FieldChange, width = 80): string {
  const action = change.before === undefined ? 'create' : 'update';
  const other: FieldChange = { field: 'z', ...(action === 'update' && { before: 'a\nb' }), after: 'a\nc' };
  const text = renderPlan(
    planOf({ steps: [step({ address: 'a', action, phase: action, fields: [change, other] })] }),
    { color: false, width, full: true },
  );
  const lines = text.slice(0, text.indexOf('\n      z\n')).split('\n');
  return lines.slice(4).join('\n');
}

describe('matches the golden text of', () => {
  test.each([
    ['everything-80', everything, plain],
    ['everything-200', everything, { color: false, width: 1000 }],
    ['everything-color', everything, { color: true, width: 100 }],
    ['empty', planOf({}), plain],
    [
      'refused',
      planOf({
        steps: [
          step({ address: 'sites/hub', action: 'delete', phase: 'delete', reason: 'not in the manifests' }),
        ],
        refusals: [
          {
            guard: 'protect',
            address: 'sites/hub',
            message: 'site "Hub" is protected and would be deleted',
            suggestion: 'to allow it, add to the settings: protect: ["!sites/hub"]',
            steps: ['sites/hub#delete'],
          },
        ],
      }),
      plain,
    ],
    [
      'two-organizations',
      {
        format: 1,
        organizations: [
          organizationOf({ label: 'org_acme' }),
          organizationOf({
            label: 'beta',
            organizationId: 'org_beta',
            steps: [step({ address: 'sites/x', action: 'move', phase: 'move', reason: 'to the end' })],
          }),
        ],
      } satisfies Plan,
      plain,
    ],
  ] as const)('%s', async (name, plan, options) => {
    const text = renderPlan(plan, options);
    await expect(text).toMatchFileSnapshot(`golden/plan-${name}.txt`);
    if (options.color) return;
    // The counts stay in one line.
    const wrapped = text.split('\n').filter((line) => !line.startsWith('Plan: '));
    const widths = wrapped.map(displayWidth);
    expect(Math.max(...widths)).toBeLessThanOrEqual(Math.max(80, Math.min(200, options.width)));
  });

  test('JSON', async () => {
    const marks = { digest: 'sha256:0', approval: 'sha256:0.', version: '0' };
    const text = [...planJson({ plan: everything, digests: marks }, plain)].join('');
    expect(text).not.toContain('n3v3r');
    expect(JSON.parse(text)).toMatchObject({
      format: 1,
      digest: 'sha256:0',
      empty: false,
      counts: { update: 5 },
    });
    await expect(text).toMatchFileSnapshot('golden/plan-everything.json');
  });
});

describe('a value', () => {
  test('contains no control characters for the terminal', () => {
    const nasty = 'a\u001b[2Jb\u202Ec\u200Bd\u0007e\u009Bf\u2028g"h\\i\t\uD800';
    const text = renderPlan(
      planOf({
        label: nasty,
        steps: [
          step({
            address: nasty,
            action: 'create',
            phase: 'create',
            reason: nasty,
            risks: [{ text: nasty }],
            fields: [{ field: nasty, after: nasty }],
          }),
        ],
        unmanaged: [{ address: nasty, kind: 'team', noun: 'team', id: nasty, title: nasty }],
        refusals: [{ guard: 'protect', address: nasty, message: nasty, suggestion: nasty, steps: [] }],
      }),
      plain,
    );
    const alive = ['\u001b', '\u202E', '\u200B', '\u0007', '\u009B', '\u2028', '\uD800', '\t'];
    expect(alive.filter((character) => text.includes(character))).toEqual([]);
    expect(text).toContain(
      '"a\\u{1b}[2Jb\\u{202e}c\\u{200b}d\\u{7}e\\u{9b}f\\u{2028}g\\"h\\\\i\\t\\u{d800}"',
    );
  });

  test.each([
    [{ field: 'a', before: 'x', after: 'y' }, '      a  "x" → "y"'],
    [{ field: 'a', before: null, after: 'y' }, '      a  (none) → "y"'],
    [{ field: 'a', before: 'x', after: null }, '      a  "x" → (none)'],
    [{ field: 'a', after: 'yes' }, '      a  "yes"'],
    [{ field: 'a', after: 0 }, '      a  0'],
    [{ field: 'a', after: [] }, '      a  []'],
    [{ field: 'a', after: {} }, '      a  {}'],
    [{ field: 'a', before: {}, after: { b: 1 } }, '      a\n        + b: 1'],
    [
      { field: 'a', before: ['x', 'y'], after: ['y', 'x'] },
      '      a\n        - "x"\n          "y"\n        + "x"',
    ],
    [
      { field: 'a', before: 'one\ntwo', after: 'one\n2' },
      '      a\n          one\n        - two\n        + 2',
    ],
    [
      { field: 'a', before: 'one\ntwo', after: 'one\r\ntwo' },
      '      a\n        - one\n        + one\\r\n          two',
    ],
    [{ field: 'a', before: 'one\ntwo', after: 'one\ntwo\n' }, '      a  "one\\ntwo" → "one\\ntwo\\n"'],
    [{ field: 'a', after: 'one\ntwo\n' }, '      a\n          one\n          two'],
    [{ field: 'a', before: { $secret: 'x' }, after: { $secret: 'y' } }, '      a  (secret, changed)'],
    [{ field: 'a', before: { $id: 'teams/x' }, after: 'team_1' }, '      a  teams/x → "team_1"'],
    [
      { field: 'a', before: 'x'.repeat(40), after: 'y'.repeat(40) },
      `      a\n        - "${'x'.repeat(40)}"\n        + "${'y'.repeat(40)}"`,
    ],
  ] satisfies [FieldChange, string][])('is printed for %j', (change, lines) => {
    expect(fieldLines(change)).toBe(lines);
  });

  test('is wrapped but never cut', () => {
    const words = Array.from({ length: 40 }, (_, at) => `word${at}`).join(' ');
    const shown = fieldLines({ field: 'a', after: words }).replace(/\s+/g, ' ');
    expect(shown).toBe(` a "${words}"`);
  });

  test('is printed if it is large', () => {
    const lines = (letter: string) => Array.from({ length: 5000 }, (_, at) => `${letter}${at}`).join('\n');
    const text = fieldLines({ field: 'a', before: lines('a'), after: lines('b') });
    expect(text.split('\n')).toHaveLength(10_001);
    fieldLines({ field: 'a', before: 'é'.repeat(100_000), after: 'x 👋 '.repeat(50_000) });
  });

  test('has the display width of its characters', () => {
    expect(['abc', '日本', '👋', '❤️', 'é', 'e\u0301', '👨‍👩‍👧', '→'].map(displayWidth)).toEqual([
      3, 4, 2, 2, 1, 1, 2, 1,
    ]);
  });
});

test('reports a changed role of people who join as a change of access', () => {
  const steps = [
    step({
      address: 'organization',
      noun: 'organization',
      action: 'update',
      phase: 'update',
      fields: [{ field: 'defaultRole', before: 'edit', after: null, reads: 'role' }],
    }),
  ];
  expect(renderPlan(planOf({ steps }), { color: false, width: 80 })).toContain(
    '  Access  people who join: edit → guest\n',
  );
});
