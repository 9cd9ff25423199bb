/** A failed command as a comment: as many problems as fit, the first ones unfolded, and no markup from outside. */
import { expect, test } from 'vitest';
import { failureMarkdown } from '../../src/report/diagnostics/markdown.ts';
import type { Diagnostic } from '../../src/util/diagnostic.ts';

const options = { color: false, width: 120, context: { head: 'a'.repeat(40), run: 'https://ci.example/5' } };
const at = { file: 'docs/acme.yaml', line: 4, column: 3, endLine: 4, endColumn: 8 };
const one = (message: string, more: Partial<Diagnostic> = {}): Diagnostic => ({
  severity: 'error',
  code: 'match-invalidated',
  message,
  at,
  ...more,
});
const shown = (diagnostics: readonly Diagnostic[]) =>
  failureMarkdown({ command: 'octavo plan', diagnostics }, options);

test('shows an error with its place, notes and help', () => {
  const related = [{ message: 'declared here', at: { ...at, line: 9 } }];
  expect(
    shown([
      one('unknown field titel', { address: 'teams/docs', related, suggestion: 'did you mean title?' }),
    ]),
  ).toBe(`### octavo plan · ✗ failed · 1 error

- ✗ **error\\[match-invalidated\\]** unknown field titel
  <br>at \`docs/acme.yaml:4:3\`, \`teams/docs\`
  <br>note: declared here (\`docs/acme.yaml:9:3\`)
  <br>help: did you mean title?

<sub>head \`aaaaaaa\` · <a href="https://ci.example/5">run</a></sub>
`);
});

test('shows errors first and folds many', () => {
  const many = Array.from({ length: 30 }, (_, count) => one(`problem ${count}`));
  const text = shown([one('a warning', { severity: 'warning' }), ...many]);
  expect(text).toContain('30 errors, 1 warning');
  expect(text.indexOf('problem 7')).toBeLessThan(text.indexOf('<details><summary>23 more</summary>'));
  expect(text.indexOf('problem 8')).toBeGreaterThan(text.indexOf('<details>'));
  expect(text.indexOf('a warning')).toBeGreaterThan(text.indexOf('problem 29'));
});

test.each([
  [5000, 3],
  [50, 30_000],
])('fits into a comment: %i problems of %i characters', (length, characters) => {
  const text = shown(Array.from({ length }, (_, count) => one(`${count} ${'😀'.repeat(characters)}`)));
  expect(Buffer.byteLength(text)).toBeLessThan(65_400);
  expect(text).toMatch(/Cut to fit a comment:\*\* \d+ more problems not listed; the whole is in \[the run\]/);
});

test('escapes texts from outside', () => {
  const hostile = '</details><img src=x> @ada [x](http://evil.example) `code`\n# heading\n\u001b[31m';
  const file = 'docs/`@ada`|.yaml';
  const text = shown([
    one(hostile, {
      address: hostile,
      suggestion: hostile,
      at: { ...at, file },
      related: [{ message: hostile }],
    }),
  ]);
  // Code spans are plain text.
  const outside = text.replace(/``[^\n]*?``/g, '');
  expect(outside).not.toMatch(/(?<!\\)<(?:\/details|img)|@ada|(?<!\\)\]\(http/);
  expect(outside).not.toContain('\u001b');
  expect(outside).not.toMatch(/^# /m);
});

test('names the overlays in the first line', () => {
  const text = failureMarkdown(
    { command: 'octavo plan', overlays: ['production', 'a|b'], diagnostics: [one('x')] },
    options,
  );
  expect(text.split('\n')[0]).toBe(
    '### octavo plan · overlay production · overlay a\\|b · ✗ failed · 1 error',
  );
});
