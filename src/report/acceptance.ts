/** What was written back into manifests, what was not and why, and the difference of their texts. Pure. */
import { structuredPatch } from 'diff';
import { countOf } from '../util/count.ts';
import type { SourceRange } from '../util/diagnostic.ts';
import { stableStringify } from '../util/json.ts';
import { greatest } from '../util/lists.ts';
import type { TextOptions } from './plan-text.ts';
import { displayWidth, padEnd, safeJson, safeText } from './safe-text.ts';
import { makeStyle, type Style } from './style.ts';

/** One difference, and where it is written. */
interface WrittenChange {
  readonly label: string;
  readonly address: string;
  readonly what: string;
  readonly at?: SourceRange | undefined;
}

/** What accepting drift did, or would do. */
export interface Acceptance {
  readonly dryRun: boolean;
  /** True where addresses are led by their organization. */
  readonly several: boolean;
  readonly files: readonly { readonly name: string; readonly before: string; readonly after: string }[];
  readonly accepted: readonly WrittenChange[];
  readonly refused: readonly (WrittenChange & {
    /** A clause without a final period. */
    readonly reason: string;
    readonly help?: string | undefined;
  })[];
}

/** The changes by file, what is left, and a sentence that sums up; of a dry run, the differences of the files first. */
export function acceptanceText(acceptance: Acceptance, { color }: Pick<TextOptions, 'color'>): string {
  const style = makeStyle({ color });
  const lines = [...changeLines(acceptance, style, 'Not accepted'), style.strong(closing(acceptance))];
  return `${lines.join('\n')}\n`;
}

/** The same without the sentence. `notDone`: the heading of what is left. */
export function changeLines(acceptance: Acceptance, style: Style, notDone: string): readonly string[] {
  return [
    ...(acceptance.dryRun ? acceptance.files.flatMap((file) => [...patchLines(file, style), '']) : []),
    ...acceptedLines(acceptance, style),
    ...refusedLines(acceptance, style, notDone),
  ];
}

/** The same as JSON, with keys in a fixed order; ends with a line break. */
export function acceptanceJson({ files, ...rest }: Acceptance): string {
  const counts = { accepted: rest.accepted.length, refused: rest.refused.length, files: files.length };
  const { several: _several, ...document } = rest;
  const named = files.map((file) => ({ name: file.name, diff: patchText(file) }));
  return safeJson(`${stableStringify({ format: 1, ...document, files: named, counts }, 2)}\n`);
}

/** The difference of a file as git shows it. */
export function patchText(file: Acceptance['files'][number]): string {
  return patchLines(file, makeStyle({ color: false })).join('\n');
}

function patchLines({ name, before, after }: Acceptance['files'][number], style: Style): readonly string[] {
  const { hunks } = structuredPatch(name, name, before, after, undefined, undefined, { context: 3 });
  const body = hunks.flatMap(({ oldStart, oldLines, newStart, newLines, lines }) => [
    style.faint(`@@ -${oldStart},${oldLines} +${newStart},${newLines} @@`),
    ...lines.map((line) => paint(safeText(line.replace(/\r$/, '')), style)),
  ]);
  return [style.strong(`--- ${safeText(name)}`), style.strong(`+++ ${safeText(name)}`), ...body];
}

function paint(line: string, style: Style): string {
  if (line.startsWith('+')) return style.added(line);
  return line.startsWith('-') ? style.removed(line) : line;
}

function acceptedLines({ accepted, several }: Acceptance, style: Style): readonly string[] {
  const files = [...new Set(accepted.map(({ at }) => at?.file ?? ''))].sort();
  return files.flatMap((file) => {
    const own = accepted.filter(({ at }) => (at?.file ?? '') === file).sort(byLine);
    const width = greatest(own.map((one) => displayWidth(addressOf(one, several))));
    const rows = own.map(
      (one) => `  ${style.added('✓')} ${padEnd(addressOf(one, several), width)}  ${safeText(one.what)}`,
    );
    return [style.strong(safeText(file)), ...rows, ''];
  });
}

function refusedLines({ refused, several }: Acceptance, style: Style, notDone: string): readonly string[] {
  if (refused.length === 0) return [];
  const lines = refused.flatMap((one) => {
    const place = one.at === undefined ? '' : ` (${one.at.file}:${one.at.line}:${one.at.column})`;
    return [
      `  ${style.removed('✗')} ${addressOf(one, several)}  ${safeText(one.what)}`,
      `      ${safeText(`${one.reason}${place}`)}`,
      ...(one.help === undefined ? [] : [`      → ${safeText(one.help)}`]),
    ];
  });
  return [`${notDone}:`, ...lines, ''];
}

function addressOf({ label, address }: WrittenChange, several: boolean): string {
  return safeText(several ? `${label}/${address}` : address);
}

function byLine(left: WrittenChange, right: WrittenChange): number {
  return (left.at?.line ?? 0) - (right.at?.line ?? 0) || (left.at?.column ?? 0) - (right.at?.column ?? 0);
}

function closing({ accepted, refused, files, dryRun }: Acceptance): string {
  const left = refused.length === 0 ? '' : `; ${countOf(refused.length, 'difference')} not accepted`;
  if (accepted.length === 0) return refused.length === 0 ? 'Nothing to accept.' : `Nothing accepted${left}.`;
  const done = dryRun ? 'Would accept' : 'Accepted';
  return `${done} ${countOf(accepted.length, 'difference')} in ${countOf(files.length, 'file')}${left}.`;
}
