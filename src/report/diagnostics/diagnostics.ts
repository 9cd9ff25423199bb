/** Diagnostics as text: message, place, the line with the range marked, and help. Pure. */

import { countOf } from '../../util/count.ts';
import { defined } from '../../util/defined.ts';
import type { Diagnostic, Severity, SourceRange } from '../../util/diagnostic.ts';
import { append } from '../../util/lists.ts';
import { placeText, relatedOf } from '../../util/places.ts';
import { displayWidth, firstColumns, lastColumns, safeText, wrap } from '../text/safe-text.ts';
import { makeStyle, type Paint, type Style } from '../text/style.ts';

export interface DiagnosticOptions {
  readonly color: boolean;
  readonly width: number;
}

/** Texts of files, by the names that ranges use. */
export type Sources = ReadonlyMap<string, string>;

export function renderDiagnostics(
  diagnostics: readonly Diagnostic[],
  sources: Sources,
  options: DiagnosticOptions,
): string {
  const renderer = new DiagnosticRenderer(sources, options);
  const blocks = folded(diagnostics).map((group) => renderer.renderGroup(group).join('\n'));
  return `${[...blocks, countLine(diagnostics)].join('\n\n')}\n`;
}

/** So many warnings of one code are shown whole, further ones as a list of places. Errors are never folded. */
const wholeOfOneCode = 5;

/** Each diagnostic separately, except the remaining ones of a code that has many. */
function folded(diagnostics: readonly Diagnostic[]): readonly (readonly Diagnostic[])[] {
  const groups: Diagnostic[][] = [];
  const byCode = new Map<string, { count: number; rest?: Diagnostic[] }>();
  for (const diagnostic of diagnostics) {
    const { severity, code } = diagnostic;
    const key = `${severity} ${code}`;
    const seen = byCode.get(key) ?? { count: 0 };
    byCode.set(key, seen);
    seen.count += 1;
    if (severity === 'error' || seen.count <= wholeOfOneCode) groups.push([diagnostic]);
    else if (seen.rest !== undefined) seen.rest.push(diagnostic);
    else {
      seen.rest = [diagnostic];
      groups.push(seen.rest);
    }
  }
  return groups;
}

/** Unknown fields are absent. */
export function diagnosticsToJson(diagnostics: readonly Diagnostic[]): {
  readonly diagnostics: readonly Diagnostic[];
  readonly summary: Readonly<Record<Severity, number>>;
} {
  const count = (severity: Severity) =>
    diagnostics.filter((diagnostic) => diagnostic.severity === severity).length;
  return {
    diagnostics: diagnostics.map(({ severity, code, message, address, at, related, suggestion }) => ({
      severity,
      code,
      message,
      ...defined({ address, at, related, suggestion }),
    })),
    summary: { error: count('error'), warning: count('warning'), hint: count('hint') },
  };
}

/** For example `2 errors, 1 warning`. */
export function countLine(diagnostics: readonly Pick<Diagnostic, 'severity'>[]): string {
  const counts = (['error', 'warning', 'hint'] as const).flatMap((severity) => {
    const count = diagnostics.filter((diagnostic) => diagnostic.severity === severity).length;
    return count === 0 ? [] : [countOf(count, severity)];
  });
  return counts.length === 0 ? 'No problems' : counts.join(', ');
}

class DiagnosticRenderer {
  readonly #style: Style;
  readonly #width: number;
  readonly #lines = new Map<string, readonly string[]>();
  readonly #sources: Sources;

  constructor(sources: Sources, options: DiagnosticOptions) {
    this.#style = makeStyle(options);
    this.#width = Math.min(200, Math.max(60, options.width));
    this.#sources = sources;
  }

  renderGroup(group: readonly Diagnostic[]): readonly string[] {
    const [first] = group;
    if (first === undefined) return [];
    if (group.length === 1) return this.render(first);
    const paint = this.#paintOf(first.severity);
    const places = group.map(({ at, address, message }) => {
      const of = address === undefined ? '' : ` (${safeText(address)})`;
      return at === undefined ? `${safeText(message)}${of}` : `${safeText(placeText(at))}${of}`;
    });
    return [
      `${paint(`${first.severity}[${first.code}]: `)}${this.#style.strong(`${group.length} more like these`)}`,
      ...places.map((place) => `   --> ${place}`),
    ];
  }

  render(diagnostic: Diagnostic): string[] {
    const { severity, code, message, at, address, suggestion } = diagnostic;
    const paint = this.#paintOf(severity);
    const head = `${severity}[${code}]: `;
    const [first = '', ...rest] = wrap(safeText(message), this.#width - head.length);
    const lines = [`${paint(head)}${this.#style.strong(first)}`, ...rest.map((line) => `    ${line}`)];
    const of = address === undefined ? '' : ` (${safeText(address)})`;
    if (at !== undefined) append(lines, this.#place(at, of, paint));
    else if (of !== '') lines.push(`  at ${safeText(address ?? '')}`);
    for (const other of relatedOf(diagnostic)) {
      lines.push(`  note: ${safeText(other.message)}`);
      if (other.at !== undefined) append(lines, this.#place(other.at, '', this.#style.faint));
    }
    if (suggestion !== undefined) append(lines, this.#help(suggestion));
    return lines;
  }

  #help(suggestion: string): string[] {
    const label = '  help: ';
    return suggestion.split('\n').flatMap((part, index) => {
      const pieces = wrap(safeText(part), this.#width - label.length);
      return pieces.map(
        (piece, number) => `${index === 0 && number === 0 ? label : ' '.repeat(label.length)}${piece}`,
      );
    });
  }

  #place(at: SourceRange, of: string, paint: Paint): string[] {
    const number = String(at.line);
    const gutter = ' '.repeat(number.length);
    const lines = [`${gutter} ${this.#style.faint('-->')} ${safeText(at.file)}:${at.line}:${at.column}${of}`];
    const text = this.#lineOf(at);
    if (text === undefined || text.trim() === '') return lines;
    const end = at.endLine === at.line ? at.endColumn : text.length + 1;
    const shown = excerpt(text, at.column - 1, Math.max(at.column, end - 1), this.#width - number.length - 4);
    const bar = this.#style.faint('|');
    lines.push(
      `${number} ${bar} ${shown.text}`,
      `${gutter} ${bar} ${' '.repeat(shown.before)}${paint('^'.repeat(shown.marked))}`,
    );
    return lines;
  }

  #lineOf(at: SourceRange): string | undefined {
    let lines = this.#lines.get(at.file);
    if (lines === undefined) {
      lines = (this.#sources.get(at.file) ?? '').replace(/^\uFEFF/, '').split(/\r\n|\n|\r/);
      this.#lines.set(at.file, lines);
    }
    return lines[at.line - 1];
  }

  #paintOf(severity: Severity): Paint {
    if (severity === 'error') return this.#style.removed;
    return severity === 'warning' ? this.#style.changed : this.#style.faint;
  }
}

/** The part of a line around a range that fits, made safe; marks are in columns of the terminal. */
function excerpt(
  line: string,
  start: number,
  end: number,
  room: number,
): { readonly text: string; readonly before: number; readonly marked: number } {
  // Only the visible part of a very long line is processed; no character takes more than a few code units.
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
