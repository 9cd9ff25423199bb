/** Diagnostics as text: marks are below the wrong part after any other text, and unsafe characters are escaped. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ApiError } from '../../src/contract/api.ts';
import { renderDiagnostics } from '../../src/report/diagnostics/diagnostics.ts';
import { displayWidth } from '../../src/report/text/safe-text.ts';
import { apiErrorDiagnostic } from '../../src/run/reads/api-error.ts';
import type { Diagnostic } from '../../src/util/diagnostic.ts';
import { anyCodePoint } from '../support/code-points.ts';
import { tries } from '../support/runs.ts';

/** Characters that move the cursor or change the direction of text. */
const unsafe = /\p{Cc}|[\u202A-\u202E\u2066-\u2069]/u;

const plain = { color: false, width: 80 };

/** An error about the first occurrence of a part of a line. */
function about(line: string, part: string): { diagnostic: Diagnostic; sources: ReadonlyMap<string, string> } {
  const column = line.indexOf(part) + 1;
  return {
    diagnostic: {
      severity: 'error',
      code: 'value',
      message: 'this is wrong',
      at: { file: 'a.yaml', line: 1, column, endLine: 1, endColumn: column + part.length },
    },
    sources: new Map([['a.yaml', `${line}\n`]]),
  };
}

/** Text above the marks, by columns of the terminal. */
function markedIn(text: string): string {
  const lines = text.split('\n');
  const index = lines.findIndex((line) => /^ *\| *\^+$/.test(line));
  const [source = '', marks = ''] = [lines[index - 1], lines[index]];
  const [from, to] = [marks.indexOf('^'), marks.length];
  let column = 0;
  let marked = '';
  for (const { segment } of new Intl.Segmenter('en').segment(source)) {
    if (column >= from && column < to) marked += segment;
    column += displayWidth(segment);
  }
  return marked;
}

test('prints an error with place, notes, help and address', () => {
  const at = { file: 'a.yaml', line: 2, column: 8, endLine: 2, endColumn: 11 };
  const diagnostic: Diagnostic = {
    severity: 'error',
    code: 'duplicate-key',
    message: 'said twice',
    address: 'teams/a',
    at,
    related: [{ message: 'the first one', at: { ...at, line: 1 } }, { message: 'elsewhere' }],
    suggestion: 'write\n  title: A\n  members: {}',
  };
  const sources = new Map([['a.yaml', 'title: abc\r\ntitle: def\r\n']]);
  expect(renderDiagnostics([diagnostic], sources, plain)).toBe(
    [
      'error[duplicate-key]: said twice',
      '  --> a.yaml:2:8 (teams/a)',
      '2 | title: def',
      '  |        ^^^',
      '  note: the first one',
      '  --> a.yaml:1:8',
      '1 | title: abc',
      '  |        ^^^',
      '  note: elsewhere',
      '  help: write',
      '          title: A',
      '          members: {}',
      '',
      '1 error',
      '',
    ].join('\n'),
  );
});

test.each([
  ['plain text', 'a: wrong', 'wrong'],
  ['tabs', '\ta:\twrong', 'wrong'],
  ['an emoji of several parts', 'a: "👩‍💻" wrong', 'wrong'],
  ['wide characters', 'a: 日本語 wrong', 'wrong'],
  ['combining marks', 'a: e\u0301e\u0301 wrong', 'wrong'],
  ['wide characters that are marked themselves', 'a: 日本 x', '日本'],
])('marks the wrong part after %s', (_what, line, part) => {
  const { diagnostic, sources } = about(line, part);
  expect(markedIn(renderDiagnostics([diagnostic], sources, plain))).toBe(part);
});

test.each([10, 75, 100, 5000, 3_000_000])('shows the wrong part at column %i of a long line', (column) => {
  const { diagnostic, sources } = about(`${'x'.repeat(column)}wrong${'👩‍💻'.repeat(1000)}`, 'wrong');
  const text = renderDiagnostics([diagnostic], sources, plain);
  expect(markedIn(text)).toBe('wrong');
  for (const line of text.split('\n')) expect(displayWidth(line)).toBeLessThanOrEqual(80);
});

test('escapes characters that move the cursor or reorder the line', () => {
  const { diagnostic, sources } = about('a: "\u001b[2J\u202e" wrong', 'wrong');
  const text = renderDiagnostics(
    [{ ...diagnostic, message: 'bad \u001b[31m', address: 'teams/\u202e', suggestion: 'x\u0007' }],
    sources,
    plain,
  );
  expect(text.replaceAll('\n', '')).not.toMatch(unsafe);
  expect(text).toContain('\\u{1b}[2J');
  expect(markedIn(text)).toBe('wrong');
});

test('prints problems without a place or with a place outside of any text', () => {
  const at = { file: 'gone.yaml', line: 7, column: 3, endLine: 7, endColumn: 4 };
  const text = renderDiagnostics(
    [
      { severity: 'warning', code: 'yaml', message: 'nowhere' },
      { severity: 'warning', code: 'base', message: 'of an object', address: 'teams/a' },
      { severity: 'hint', code: 'file', message: 'no text', at },
    ],
    new Map(),
    plain,
  );
  expect(text).toBe(
    'warning[yaml]: nowhere\n\nwarning[base]: of an object\n  at teams/a\n\nhint[file]: no text\n  --> gone.yaml:7:3\n\n2 warnings, 1 hint\n',
  );
});

test('never fails or exceeds the width, for any text, place and width', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: anyCodePoint, maxLength: 200 }),
      fc.tuple(fc.nat(300), fc.nat(300), fc.integer({ min: 0, max: 3 }), fc.nat(220)),
      (source, [column, length, line, width]) => {
        const at = { file: 'f', line, column, endLine: line, endColumn: column + length };
        const text = renderDiagnostics(
          [{ severity: 'error', code: 'value', message: 'm', at }],
          new Map([['f', source]]),
          { color: false, width },
        );
        expect(text.replaceAll('\n', '')).not.toMatch(unsafe);
        for (const shown of text.split('\n')) expect(displayWidth(shown)).toBeLessThanOrEqual(200);
      },
    ),
    { ...tries(500) },
  );
});

test('lists the places of many warnings with one code, and prints errors in full', () => {
  const of = (severity: Diagnostic['severity'], line: number): Diagnostic => ({
    severity,
    code: 'unusual-value',
    message: 'odd',
    address: `teams/t${line}`,
    at: { file: 'a.yaml', line, column: 1, endLine: line, endColumn: 2 },
  });
  const lines = Array.from({ length: 9 }, (_none, at) => at + 1);
  const sources = new Map([['a.yaml', 'x\n'.repeat(9)]]);
  const warnings = renderDiagnostics(
    lines.map((line) => of('warning', line)),
    sources,
    plain,
  );
  expect(warnings.match(/odd/g)).toHaveLength(5);
  expect(warnings).toContain('warning[unusual-value]: 4 more like these\n   --> a.yaml:6:1 (teams/t6)\n');
  for (const line of lines) expect(warnings).toContain(`a.yaml:${line}:1 (teams/t${line})`);
  expect(warnings).toMatch(/\n\n9 warnings\n$/);
  const errors = renderDiagnostics(
    lines.map((line) => of('error', line)),
    sources,
    plain,
  );
  expect(errors.match(/odd/g)).toHaveLength(9);
});

test.each([
  [
    'members.list',
    403,
    'token lacks scope organization:members:read',
    'the scope organization:members:read:',
  ],
  ['shareLinks.create', 403, 'needs `site:auth:write`.', 'the scope site:auth:write:'],
  ['teams.create', 403, 'only administrators may', 'the token of an organization admin'],
  ['emailDomains.listOrgs', 401, 'internal', 'allow no user token'],
  ['teams.list', 401, 'internal', 'check OCTAVO_TOKEN'],
] as const)('suggests a token that may send %s (%d, %s)', (operation, status, serviceMessage, help) => {
  const error = new ApiError(`${operation} failed with status ${status}: ${serviceMessage}`, {
    type: 'status',
    operation,
    method: 'GET',
    path: '/v1',
    status,
    serviceMessage,
    attempt: 1,
    mayHaveHappened: false,
  });
  expect(apiErrorDiagnostic(error).suggestion).toContain(help);
});

test.each([
  ['self-signed certificate', 'NODE_EXTRA_CA_CERTS'],
  ['unable to verify the first certificate', 'NODE_EXTRA_CA_CERTS'],
  ['unable to get local issuer certificate', 'NODE_EXTRA_CA_CERTS'],
  ['certificate has expired', 'renew the certificate'],
  ['certificate is not yet valid', 'clock of this machine'],
  ["Hostname/IP does not match certificate's altnames: IP: 10.1.2.3", 'host name of the certificate'],
  ['wrong version number', 'port of the base URL'],
])('names the cause of a failed TLS connection: %s', (reason, help) => {
  const message = `orgs.list failed: TLS connection to https://api.acme.dev failed: ${reason}`;
  const about = {
    operation: 'orgs.list',
    method: 'GET',
    path: '/v1',
    attempt: 1,
    mayHaveHappened: false,
  } as const;
  const { suggestion } = apiErrorDiagnostic(new ApiError(message, { type: 'connection', ...about }));
  expect(suggestion).toContain(help);
});
