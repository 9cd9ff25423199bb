import { greatest } from '../util/lists.ts';

/** Pads columns to their widest cell, as formatters require. */
export function markdownTable(
  head: readonly string[],
  rows: readonly (readonly string[])[],
): readonly string[] {
  const safe = rows.map((row) => row.map((cell) => cell.replaceAll('|', '\\|').replace(/\s*\n\s*/g, ' ')));
  const widths = head.map((cell, at) =>
    greatest(
      safe.map((row) => row[at]?.length ?? 0),
      Math.max(3, cell.length),
    ),
  );
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join(' | ')} |`;
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...safe.map(line)];
}
