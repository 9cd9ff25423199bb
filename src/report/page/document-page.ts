/** A result as a page of its own: one file, no script, no network. Pure. */
import type { Block, Line, Report } from '../blocks.ts';
import { safeText } from '../text/safe-text.ts';
import type { View } from '../view.ts';

const style = `
:root{color-scheme:light dark}
body{font:15px/1.5 system-ui,sans-serif;margin:24px auto;max-width:1100px;padding:0 16px}
.table{overflow-x:auto}
table{border-collapse:collapse;width:100%}
td{border-bottom:1px solid #8884;padding:4px 12px 4px 0;text-align:left;vertical-align:top;overflow-wrap:anywhere}
pre{overflow-x:auto}
@media print{body{margin:0;max-width:none}}
`;

export function asPage<T>({ document }: Report<T>, title: string): View<T> {
  return (result, { width }) => {
    const blocks = document(result, width).flat();
    return [
      '<!doctype html>',
      '<html lang="en">',
      '<head>',
      '<meta charset="utf-8">',
      '<meta name="viewport" content="width=device-width, initial-scale=1">',
      `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">`,
      `<title>${escaped(title)}</title>`,
      `<style>${style}</style>`,
      '</head>',
      '<body>',
      `<h1>${escaped(title)}</h1>`,
      ...blocks.map(htmlOf),
      '</body>',
      '</html>',
      '',
    ].join('\n');
  };
}

function htmlOf(block: Block): string {
  switch (block.type) {
    case 'heading':
      return `<h2>${escaped(block.text)}</h2>`;
    case 'paragraph':
      return `<p>${escaped(block.text)}</p>`;
    case 'line':
      return `<p>${spans(block.line)}</p>`;
    case 'list': {
      const items = block.items.map(
        ({ line, below = [] }) => `<li>${[spans(line), ...below.map(escaped)].join('<br>')}</li>`,
      );
      return `<ul>${items.join('')}</ul>`;
    }
    case 'code':
      return `<pre>${block.lines.map(spans).join('\n')}</pre>`;
    case 'table': {
      const rows = block.rows.map(
        (row) => `<tr>${row.map((cell) => `<td>${spans(cell)}</td>`).join('')}</tr>`,
      );
      return `<div class="table"><table>${rows.join('\n')}</table></div>`;
    }
  }
}

function spans(line: Line): string {
  const parts = typeof line === 'object' && !('as' in line) ? line : [line];
  return parts
    .map((part) =>
      typeof part === 'string'
        ? escaped(part)
        : part.as === 'strong'
          ? `<strong>${escaped(part.text)}</strong>`
          : escaped(part.text),
    )
    .join('');
}

function escaped(text: string): string {
  return safeText(text).replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
}
