/** Blocks as Markdown of GitHub and GitLab. Pure. */
import { type Block, type Report, unpainted } from '../blocks.ts';
import type { View } from '../view.ts';
import { cell, fenced, plain } from './markdown.ts';
import { safeText } from './safe-text.ts';

export function asMarkdown<T>({ document }: Pick<Report<T>, 'document'>): View<T> {
  return (result, { width }) => {
    const texts = document(result, width).flatMap((blocks) => blocks.map((block) => markdownLines(block)));
    return `${texts.flatMap((lines) => (lines.length === 0 ? [] : [lines.join('\n')])).join('\n\n')}\n`;
  };
}

export function markdownLines(block: Block): readonly string[] {
  switch (block.type) {
    case 'heading':
      return [`#### ${plain(block.text)}`];
    case 'paragraph':
      return [plain(block.text)];
    case 'line':
      return [plain(unpainted(block.line))];
    case 'list':
      return block.items.map(({ line: one, below = [] }) =>
        [`- ${plain(unpainted(one))}`, ...below.map((text) => `  ${plain(text)}`)].join('<br>\n'),
      );
    case 'code':
      return fenced(
        block.lines.map((one) => safeText(unpainted(one))),
        block.language,
      );
    case 'table': {
      const columns = block.rows[0]?.length ?? 0;
      const cellOf = (text: string, at: number) => {
        if (text === '') return '';
        return block.wraps === true && at === columns - 1
          ? text.split('\n').map(plain).join('<br>')
          : cell(text);
      };
      const rows = block.rows.map(
        (row) => `| ${row.map((one, at) => cellOf(unpainted(one), at)).join(' | ')} |`,
      );
      return columns === 0 ? [] : [`|${' |'.repeat(columns)}`, `|${'---|'.repeat(columns)}`, ...rows];
    }
  }
}
