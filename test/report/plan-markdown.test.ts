/** Plans as Markdown: within the size limit of comments, with every delete, and without Markdown or HTML from outside. */
import fc from 'fast-check';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { gfmFromMarkdown } from 'mdast-util-gfm';
import { gfm } from 'micromark-extension-gfm';
import { describe, expect, test } from 'vitest';
import type { Plan, Step } from '../../src/plan/plan.ts';
import { planMarkdown } from '../../src/report/plan/markdown.ts';
import { mostBytes } from '../../src/report/text/markdown.ts';
import { some, tries } from '../support/runs.ts';
import { everything, organizationOf, planOf, step } from './plan-samples.ts';

const digest = 'ab'.repeat(32);
const marks = { digest, approval: `${digest}.`, version: '1.2.3' };
const context = {
  head: '9be01d7aaaaaaaaa',
  run: 'https://ci.example/acme/docs/runs/12',
  time: '2026-03-01 14:02 UTC',
};
const rendered = (plan: Plan, options: object = {}) =>
  [...planMarkdown({ plan, digests: marks }, { color: false, width: 80, ...options })].join('');

interface TreeNode {
  readonly type: string;
  readonly value?: string;
  readonly children?: readonly TreeNode[];
}

/** Node types of a document, without its text. */
function shapeOf(text: string): string {
  const tree = fromMarkdown(text, { extensions: [gfm()], mdastExtensions: [gfmFromMarkdown()] }) as TreeNode;
  return shape(tree);
}

function shape({ type, value = '', children = [] }: TreeNode): string {
  // Only names of elements; the rest is text.
  const tags = type === 'html' ? (value.match(/<\/?[a-z]+|<!--/g) ?? []).join() : '';
  const inside = children
    .filter((child) => child.type !== 'html' || child.value !== '<!-- -->')
    .map(shape)
    .filter((one, at, all) => one !== 'text()' || all[at - 1] !== one);
  return `${type}${tags}(${inside.join(' ')})`;
}

/** Texts outside of code, in which services recognize names and links. */
function textsOf(report: string): readonly string[] {
  const found: string[] = [];
  const visit = ({ type, value, children = [] }: TreeNode): void => {
    if (type === 'text' && value !== undefined) found.push(value);
    children.forEach(visit);
  };
  visit(fromMarkdown(report, { extensions: [gfm()], mdastExtensions: [gfmFromMarkdown()] }) as TreeNode);
  return found;
}

/** A plan in which this text is in every place that can come from outside. */
function planWith(text: string): Plan {
  const line = text.replaceAll('/', '-');
  return planOf({
    label: text,
    withBase: true,
    base: { name: text, commit: '0123456789' },
    steps: [
      step({
        address: `teams/${line}`,
        noun: 'team',
        title: text,
        action: 'delete',
        phase: 'delete',
        reason: 'no longer in the manifests',
        cascade: [{ kind: 'siteSpace', noun: 'site-space', id: 'x', title: text }],
        risks: [{ text: `everyone joins ${text}` }],
      }),
      step({
        address: `sites/${line}`,
        action: 'update',
        phase: 'update',
        cause: 'changed',
        fields: [
          { field: 'title', before: 'a', after: text, cause: 'changed' },
          { field: 'description', before: 'one\ntwo', after: `one\n${text}\nthree`, cause: 'changed' },
          { field: 'members', before: { [text]: 'member' }, after: {}, cause: 'drift' },
        ],
      }),
    ],
    policy: [{ address: `sites/${line}`, change: 'released' }],
    refusals: [
      {
        guard: 'protect',
        address: `sites/${line}`,
        message: `${text} is protected`,
        suggestion: `add it\n  was: ${text.replaceAll('\n', ' ')}`,
        steps: [],
      },
    ],
  });
}

describe('text from outside', () => {
  const usual = shapeOf(rendered(planWith('guides')));

  test.each([
    '`',
    '```',
    '~~~',
    '````\n# no',
    '</details>',
    '</code></summary>',
    '<script>alert(1)</script>',
    '<!-- octavo:plan -->',
    '|',
    'a | b | c',
    '\\|',
    '\\`',
    '@acme/admins',
    '#123',
    'GH-12',
    '![x](https://evil.example/x.png)',
    '[x](javascript:alert(1))',
    'https://evil.example',
    'www.evil.example',
    '&lt;b&gt;',
    '**bold**',
    '- item',
    '1. item',
    '# heading',
    '> quote',
    '---',
    'a\n\n# b',
    '\u001b[2J',
    '::error::x',
    '$x$',
    '',
    ' ',
    '` `',
    '<',
  ])('is shown without effect: %j', (text) => {
    const report = rendered(planWith(text));
    expect(shapeOf(report)).toBe(usual);
  });

  test('mentions no one and links no issue, pull request or address', () => {
    const texts = textsOf(
      rendered(planWith('@acme #12 GH-3 https://evil.example www.evil.example a@b.example')),
    );
    expect(texts).not.toEqual([]);
    for (const text of texts) expect(text).not.toMatch(/@\w|#\d|gh-\d|https?:|www\./i);
  });

  test('has no effect in any combination', () => {
    const pieces = fc.constantFrom(
      ...[
        '`',
        '``',
        '|',
        '\\',
        '<',
        '>',
        '@a',
        '#1',
        '\n',
        '](',
        '![',
        '*',
        '_',
        '~',
        '&',
        '-->',
        '</details>',
        'x',
        ' ',
      ],
    );
    const text = fc.oneof(
      fc.array(pieces, { maxLength: 8 }).map((parts) => parts.join('')),
      fc.string(),
    );
    fc.assert(
      fc.property(text, (written) => {
        expect(shapeOf(rendered(planWith(written)))).toBe(usual);
      }),
      tries(120),
    );
  });
});

describe('the size of a comment', () => {
  const deletes = (count: number, collection: (at: number) => string): readonly Step[] =>
    Array.from({ length: count }, (_, at) =>
      step({ address: `${collection(at)}/object-${at}`, noun: 'section', action: 'delete', phase: 'delete' }),
    );
  const creates = (count: number): readonly Step[] =>
    Array.from({ length: count }, (_, at) =>
      step({
        address: `sites/s${at % 100}/sections/new-${at}`,
        noun: 'section',
        action: 'create',
        phase: 'create',
        fields: [
          { field: 'title', after: `Section ${at}` },
          { field: 'path', after: 'é'.repeat(100) },
        ],
      }),
    );

  const many: readonly [string, readonly Step[], number][] = [
    [
      'every delete in a place of its own',
      [...deletes(5000, (at) => `sites/s${at}/sections`), ...creates(5000)],
      5000,
    ],
    ['few deletes', [...deletes(40, (at) => `sites/s${at}/sections`), ...creates(9960)], 40],
    [
      'many deletes in some places',
      [...deletes(5000, (at) => `sites/s${at % 60}/sections`), ...creates(5000)],
      5000,
    ],
  ];
  test.each(some(many))(
    'is below the limit for 10,000 changes, %s, with each delete listed or counted',
    (_, steps, count) => {
      const report = rendered(planOf({ steps }), { context });
      expect(new TextEncoder().encode(report).length).toBeLessThanOrEqual(mostBytes);
      expect(report).toContain('Cut to fit a comment');
      expect(report).toContain(`the whole is in [the run](${context.run})`);
      // Equal deletes are in a separate list.
      const rows = report.split('\n').filter((line) => /^(?:- −|\| − \| `)/.test(line));
      const counted = rows.reduce(
        (sum, row) => sum + Number(/ (\d+) deletes?(?: \|)?$/.exec(row)?.[1] ?? 1),
        0,
      );
      expect(counted).toBe(count);
      const omitted = Number(/(\d+) changes? without details/.exec(report)?.[1]);
      expect(report.split('```diff').length - 1 + omitted).toBe(10_000);
    },
  );

  test('is not cut if everything fits', () => {
    const report = rendered(planOf({ steps: creates(30) }));
    expect(report).not.toContain('Cut to fit');
    expect(report.split('```diff')).toHaveLength(31);
  });

  test('is reduced by whole refusals', () => {
    const refusals = Array.from({ length: 500 }, (_, at) => ({
      guard: 'protect' as const,
      address: `spaces/${at}`,
      message: `space ${'x'.repeat(at)} is protected`,
      suggestion: 'lift it',
      steps: [],
    }));
    const report = rendered(planOf({ refusals }));
    expect(new TextEncoder().encode(report).length).toBeLessThanOrEqual(mostBytes);
    expect(report).toMatch(/- and \d+ more/);
  });
});

describe('matches the golden Markdown of', () => {
  test.each([
    ['everything', everything],
    ['empty', planOf({})],
    [
      'two-organizations',
      {
        format: 1,
        organizations: [
          organizationOf({ steps: creates() }),
          organizationOf({ label: 'beta', organizationId: 'org_beta' }),
        ],
      } satisfies Plan,
    ],
  ] as const)('%s', async (name, plan) => {
    await expect(rendered(plan, { context })).toMatchFileSnapshot(`golden/plan-${name}.md`);
  });

  function creates(): readonly Step[] {
    return [
      step({ address: 'sites/x', action: 'create', phase: 'create', risks: [{ text: 'opens the site' }] }),
    ];
  }
});

test('joins equal deletes into one line with all addresses, in it or in a list', () => {
  const lost = (count: number) =>
    Array.from({ length: count }, (_, at) =>
      step({
        address: `teams/t${at}`,
        noun: 'team',
        action: 'delete',
        phase: 'delete',
        title: `Team ${at}`,
        risks: [{ text: 'its members lose access' }],
      }),
    );
  for (const count of [5, 30]) {
    const report = rendered(planOf({ steps: lost(count) }));
    expect(report.split('its members lose access')).toHaveLength(2);
    const visible = report.slice(0, report.indexOf('changes in full'));
    for (let at = 0; at < count; at += 1)
      expect(visible).toContain(`| \`teams/t${at}\` | team "Team ${at}" |`);
    expect(visible.includes(`<summary>${count} teams deleted</summary>`)).toBe(count === 30);
  }
});
