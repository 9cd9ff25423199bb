/** Diagnostics as text: message, place, the line with the range marked, and help. Pure. */

import { countOf } from '../../util/count.ts';
import type { Diagnostic, SourceRange } from '../../util/diagnostic.ts';
import { grouped } from '../../util/group.ts';
import { placeText, relatedOf } from '../../util/places.ts';
import { rememberedByText } from '../../util/remembered.ts';
import { type Block, faint, line, paragraph, strong, textOf } from '../blocks.ts';
import { displayWidth, firstColumns, lastColumns, safeText, wrap } from '../text/safe-text.ts';
import type { Style } from '../text/style.ts';
import type { TextOptions } from '../view.ts';

export type Sources = ReadonlyMap<string, string>;

export function renderDiagnostics(
  diagnostics: readonly Diagnostic[],
  sources: Sources,
  { color, width }: Pick<TextOptions, 'color' | 'width'>,
): string {
  const room = Math.min(200, Math.max(60, width));
  const linesOf = rememberedByText((file) => {
    return (sources.get(file) ?? '').replace(/^\uFEFF/, '').split(/\r\n|\n|\r/);
  });
  const lineAt: LineAt = (at) => linesOf(at.file)[at.line - 1];
  const groups = folded(diagnostics).map((group) => groupBlocks(group, lineAt, room));
  return textOf([...groups, [line(countLine(diagnostics))]], { color, room });
}

type LineAt = (at: SourceRange) => string | undefined;

/** Number of warnings with the same code that are shown in full; further ones become a list of places. Errors are never folded. */
const wholeOfOneCode = 5;

/** Returns each diagnostic separately, except the remaining ones of a code that has many. */
function folded(diagnostics: readonly Diagnostic[]): readonly (readonly Diagnostic[])[] {
  const counts = new Map<string, number>();
  const groups = grouped(diagnostics, ({ severity, code }) => {
    const key = `${severity} ${code}`;
    const count = (counts.get(key) ?? 0) + 1;
    counts.set(key, count);
    return severity === 'error' || count <= wholeOfOneCode ? `${key} ${count}` : key;
  });
  return [...groups.values()];
}

/** Example: `2 errors, 1 warning`. */
export function countLine(diagnostics: readonly Pick<Diagnostic, 'severity'>[]): string {
  const counts = (['error', 'warning', 'hint'] as const).flatMap((severity) => {
    const count = diagnostics.filter((diagnostic) => diagnostic.severity === severity).length;
    return count === 0 ? [] : [countOf(count, severity)];
  });
  return counts.length === 0 ? 'No problems' : counts.join(', ');
}

const styles = { error: 'removed', warning: 'changed', hint: 'faint' } as const;

function groupBlocks(group: readonly Diagnostic[], lineAt: LineAt, room: number): readonly Block[] {
  const [first] = group;
  if (first === undefined) return [];
  if (group.length === 1) return problemBlocks(first, lineAt, room);
  const head = { text: `${first.severity}[${first.code}]: `, as: styles[first.severity] };
  return [
    line(head, strong(`${group.length} more like these`)),
    ...group.map(({ at, address, message }) =>
      line(`   --> ${at === undefined ? message : placeText(at)}${ofText(address)}`),
    ),
  ];
}

function problemBlocks(diagnostic: Diagnostic, lineAt: LineAt, room: number): readonly Block[] {
  const { severity, code, message, at, address, suggestion } = diagnostic;
  const as = styles[severity];
  const head = `${severity}[${code}]: `;
  const [first = '', ...rest] = wrap(safeText(message), room - head.length);
  const place = (range: SourceRange, of: string, underline: keyof Style) => [
    line(
      ' '.repeat(`${range.line} `.length),
      faint('-->'),
      ` ${range.file}:${range.line}:${range.column}${of}`,
    ),
    ...excerpt(range, lineAt(range) ?? '', underline, room),
  ];
  return [
    line({ text: head, as }, strong(first)),
    ...rest.map((text) => line(`    ${text}`)),
    ...(at === undefined ? [] : place(at, ofText(address), as)),
    ...(at !== undefined || address === undefined ? [] : [line(`  at ${address}`)]),
    ...relatedOf(diagnostic).flatMap((other) => [
      line(`  note: ${other.message}`),
      ...(other.at === undefined ? [] : place(other.at, '', 'faint')),
    ]),
    ...(suggestion?.split('\n') ?? []).map((text, number) =>
      paragraph(text, { indent: 2, bullet: number === 0 ? 'help: ' : '      ' }),
    ),
  ];
}

function ofText(address: string | undefined): string {
  return address === undefined ? '' : ` (${address})`;
}

function excerpt(at: SourceRange, text: string, as: keyof Style, room: number): readonly Block[] {
  if (text.trim() === '') return [];
  const end = at.endLine === at.line ? at.endColumn : text.length + 1;
  const number = `${at.line} `;
  const shown = fitting(text, at.column - 1, Math.max(at.column, end - 1), room - number.length - 3);
  const underline = { text: '^'.repeat(shown.marked), as };
  return [
    line(number, faint('|'), ` ${shown.text}`),
    line(' '.repeat(number.length), faint('|'), ` ${' '.repeat(shown.before)}`, underline),
  ];
}

/** The part of a line around a range, cut to fit and made safe; marks are in terminal columns. */
function fitting(line: string, start: number, end: number, room: number) {
  // Only processes the visible part of a very long line; a character has at most a few code units.
  const most = room * 8;
  const plain = (from: number, to: number) => safeText(line.slice(from, to).replaceAll('\t', '  '));
  const lead = plain(Math.max(0, start - most), start);
  const isLong = start > most || displayWidth(lead) + Math.min(20, end - start) > room;
  const before = isLong ? `…${lastColumns(lead, Math.floor(room / 3))}` : lead;
  const space = room - displayWidth(before);
  const found = plain(start, Math.min(end, start + most));
  const rest = plain(end, Math.min(line.length, end + most));
  const isWhole = displayWidth(found + rest) <= space && end + most >= line.length;
  const marked = firstColumns(found, isWhole ? space : space - 1);
  const after = isWhole ? rest : `${firstColumns(rest, space - 1 - displayWidth(marked))}…`;
  return {
    text: `${before}${marked}${after}`.trimEnd(),
    before: displayWidth(before),
    marked: Math.max(1, displayWidth(marked)),
  };
}
