import { safeText } from './safe-text.ts';

/** RFC 4180, with a header. A cell that a spreadsheet would compute begins with an apostrophe; control characters are escaped. */
export function csvText<Column extends string>(
  columns: readonly Column[],
  rows: readonly Readonly<Partial<Record<Column, string>>>[],
): string {
  const lines = rows.map((row) => columns.map((name) => cell(row[name] ?? '')).join(','));
  return [columns.join(','), ...lines].map((one) => `${one}\r\n`).join('');
}

function cell(text: string): string {
  // Also the full-width characters, and after spaces: some spreadsheets compute these.
  const safe = safeText(/^\s*[=+\-@＝＋－＠]|^[\t\r\n]/.test(text) ? `'${text}` : text);
  return /[",]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
