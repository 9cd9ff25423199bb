import { safeText } from './safe-text.ts';

interface TestSuite {
  readonly name: string;
  readonly group: string;
  readonly cases: readonly TestCase[];
}

export interface TestCase {
  readonly name: string;
  /** Empty if the test passes. */
  readonly failures: readonly TestFailure[];
  readonly output?: readonly string[];
}

export interface TestFailure {
  readonly type: string;
  readonly message: string;
  readonly details: readonly string[];
}

/** Yields pieces; ends with a line break. */
export function* junitPieces(suites: readonly TestSuite[]): Generator<string> {
  yield '<?xml version="1.0" encoding="UTF-8"?>\n';
  yield `<testsuites name="octavo" ${countsOf(suites.flatMap(({ cases }) => cases))}>\n`;
  for (const { name, group, cases } of suites) {
    yield `  <testsuite name=${attribute(name)} ${countsOf(cases)}>\n`;
    for (const one of cases) yield caseText(group, one);
    yield '  </testsuite>\n';
  }
  yield '</testsuites>\n';
}

function countsOf(cases: readonly TestCase[]): string {
  const failed = cases.filter(({ failures }) => failures.length > 0).length;
  return `tests="${cases.length}" failures="${failed}" errors="0" skipped="0"`;
}

function caseText(group: string, { name, failures, output = [] }: TestCase): string {
  const open = `    <testcase classname=${attribute(group)} name=${attribute(name)}`;
  const inner = failures.map(({ type, message, details }) => {
    const text = details.map(escapeXml).join('\n');
    return `      <failure type=${attribute(type)} message=${attribute(message)}>${text}</failure>\n`;
  });
  if (output.length > 0) inner.push(`      <system-out>${output.map(escapeXml).join('\n')}</system-out>\n`);
  return inner.length === 0 ? `${open}/>\n` : `${open}>\n${inner.join('')}    </testcase>\n`;
}

function attribute(text: string): string {
  return `"${escapeXml(text)}"`;
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
};

/** Makes text safe for terminals, too: characters that XML cannot contain become escapes. */
function escapeXml(text: string): string {
  return safeText(text)
    .replace(/[\uFFFE\uFFFF]/g, '')
    .replace(/[&<>"']/g, (character) => entities[character] ?? '');
}
