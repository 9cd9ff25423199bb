/** What checking manifests found as a JUnit report: each file is a test case, and fails where it has errors. Pure. */
import { type Diagnostic, hasErrors } from '../util/diagnostic.ts';
import { attribute, escapeXml } from './junit.ts';
import type { Validation, ValidationView } from './validation.ts';

/** The document; ends with a line break. */
export const validationAsJunit: ValidationView = {
  result: (validation) => {
    const files = byFile(validation);
    const failed = [...files.values()].filter(hasErrors).length;
    const counts = `tests="${files.size}" failures="${failed}" errors="0" skipped="0"`;
    const cases = [...files].map(([file, diagnostics]) => caseText(file, diagnostics));
    return [
      '<?xml version="1.0" encoding="UTF-8"?>\n',
      `<testsuites name="octavo" ${counts}>\n`,
      `  <testsuite name="octavo validate" ${counts}>\n`,
      ...cases,
      '  </testsuite>\n',
      '</testsuites>\n',
    ].join('');
  },
};

/** All files; what has no place is about the workspace. */
function byFile({ diagnostics, sources }: Validation): ReadonlyMap<string, readonly Diagnostic[]> {
  const files = new Map<string, Diagnostic[]>([...sources.keys()].map((file) => [file, []]));
  for (const diagnostic of diagnostics) {
    const file = diagnostic.at?.file ?? 'workspace';
    files.set(file, [...(files.get(file) ?? []), diagnostic]);
  }
  return files;
}

function caseText(file: string, diagnostics: readonly Diagnostic[]): string {
  const open = `    <testcase classname="octavo" name=${attribute(file)}`;
  if (diagnostics.length === 0) return `${open}/>\n`;
  const failures = diagnostics
    .filter(({ severity }) => severity === 'error')
    .map(
      (one) =>
        `      <failure type=${attribute(one.code)} message=${attribute(one.message)}>${textOf(one)}</failure>\n`,
    );
  const others = diagnostics.filter(({ severity }) => severity !== 'error').map(textOf);
  const output = others.length === 0 ? '' : `      <system-out>${others.join('\n')}</system-out>\n`;
  return `${open}>\n${failures.join('')}${output}    </testcase>\n`;
}

function textOf({ severity, code, message, at, address, suggestion }: Diagnostic): string {
  const place = at === undefined ? '' : `${at.file}:${at.line}:${at.column}: `;
  const where = address === undefined ? '' : ` (${address})`;
  const lines = [
    `${place}${severity}[${code}]: ${message}${where}`,
    ...(suggestion === undefined ? [] : [`help: ${suggestion}`]),
  ];
  return lines
    .flatMap((line) => line.split('\n'))
    .map(escapeXml)
    .join('\n');
}
