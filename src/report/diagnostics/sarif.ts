/** Diagnostics as SARIF 2.1.0, which GitHub code scanning and others show next to lines. Pure. */
import type { Location, Log, ReportingDescriptor, Result } from 'sarif';
import { defined } from '../../util/defined.ts';
import type { Diagnostic, Severity, SourceRange } from '../../util/diagnostic.ts';
import { relatedOf } from '../../util/places.ts';
import { version } from '../../util/version.ts';
import { wholeMessage } from '../text/github.ts';
import { safeText } from '../text/safe-text.ts';
import type { ValidationView } from './validation.ts';

const levels = { error: 'error', warning: 'warning', hint: 'note' } as const satisfies Record<
  Severity,
  Result.level
>;

export const validationAsSarif: ValidationView = {
  result: ({ diagnostics, sources }) => renderSarif(diagnostics, [...sources.keys()][0] ?? 'octavo.yaml'),
};

/** Ends with a line break. `fallback`: the file of diagnostics without a place, since each must have one. */
function renderSarif(diagnostics: readonly Diagnostic[], fallback: string): string {
  const codes = [...new Set(diagnostics.map(({ code }) => code))].sort();
  const rules = codes.flatMap((code) => diagnostics.find((one) => one.code === code) ?? []).map(ruleOf);
  const log: Log = {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: { driver: { name: 'Octavo', semanticVersion: version, rules } },
        columnKind: 'utf16CodeUnits',
        results: diagnostics.map((diagnostic) =>
          resultOf(diagnostic, codes.indexOf(diagnostic.code), fallback),
        ),
      },
    ],
  };
  return `${JSON.stringify(log, undefined, 2)}\n`;
}

/** GitHub requires texts for each rule, so the first result of the rule provides them. */
function ruleOf({ code, message, suggestion }: Diagnostic): ReportingDescriptor {
  const description = { text: code.replaceAll('-', ' ') };
  const help = { text: safeLines(suggestion ?? message) };
  return { id: code, shortDescription: description, fullDescription: description, help };
}

function resultOf(diagnostic: Diagnostic, ruleIndex: number, fallback: string): Result {
  const { code, severity, at } = diagnostic;
  const related = relatedOf(diagnostic);
  const place = at ?? related.find((one) => one.at !== undefined)?.at;
  const others = related.flatMap((one) =>
    one.at === undefined ? [] : [{ ...locationOf(one.at), message: { text: safeLines(one.message) } }],
  );
  return {
    ruleId: code,
    ruleIndex,
    level: levels[severity],
    message: { text: safeLines(wholeMessage(diagnostic)) },
    locations: [
      place === undefined
        ? { physicalLocation: { artifactLocation: { uri: uriOf(fallback) }, region: { startLine: 1 } } }
        : locationOf(place),
    ],
    ...defined({ relatedLocations: others.length === 0 ? undefined : others }),
  };
}

function locationOf({ file, line, column, endLine, endColumn }: SourceRange): Location {
  const region = { startLine: line, startColumn: column, endLine, endColumn };
  return { physicalLocation: { artifactLocation: { uri: uriOf(file) }, region } };
}

/** A relative reference with forward slashes. No file name can turn it into another scheme. */
function uriOf(file: string): string {
  const path = file.replaceAll('\\', '/').split('/').map(encodeURIComponent).join('/');
  return path.startsWith('/') ? `file://${path}` : path;
}

function safeLines(text: string): string {
  return text.split('\n').map(safeText).join('\n');
}
