import { safeText } from './safe-text.ts';

/** RFC 4180, with a header. A cell that a spreadsheet would compute gets a leading apostrophe; control characters are escaped. */
export function csvText<Column extends string>(
  columns: readonly Column[],
  rows: readonly Readonly<Partial<Record<Column, string>>>[],
): string {
  const lines = rows.map((row) => columns.map((name) => cell(row[name] ?? '')).join(','));
  return [columns.join(','), ...lines].map((one) => `${one}\r\n`).join('');
}

function cell(text: string): string {
  // Includes full-width characters and leading spaces, which some spreadsheets also compute.
  const safe = safeText(/^\s*[=+\-@＝＋－＠]|^[\t\r\n]/.test(text) ? `'${text}` : text);
  return /[",]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
