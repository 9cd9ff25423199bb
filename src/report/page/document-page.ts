/** Blocks as markup, and a result as a page of its own: one file, no script, no network. Pure. */
import { type Block, type Line, type Report, spansOf } from '../blocks.ts';
import type { View } from '../view.ts';
import { type HtmlPart, html, type Markup, pageStart } from './html.ts';

export function asPage<T>({ document }: Report<T>, title: string): View<T> {
  return (result, { width }) => {
    const blocks = document(result, width).flat();
    return `${pageStart(title)}<main><h1>${html`${title}`}</h1>\n${blocks.map((block) => blockHtml(block)).join('\n')}\n</main>\n</body>\n</html>\n`;
  };
}

/** Returns the place of an address on the page; undefined for other texts. */
export type LinkOf = (text: string) => string | undefined;

export function blockHtml(block: Block, linkOf: LinkOf = () => undefined): Markup {
  const shown = (line: Line) => lineHtml(line, linkOf);
  switch (block.type) {
    case 'heading':
      return html`<h2>${block.text}</h2>`;
    case 'paragraph':
      return html`<p>${block.text}</p>`;
    case 'line':
      return html`<p>${shown(block.line)}</p>`;
    case 'list': {
      const items = block.items.map(
        ({ line, below = [] }) => html`<li>${shown(line)}${below.map((text) => html`<br>${text}`)}</li>`,
      );
      return html`<ul>${items}</ul>`;
    }
    case 'code':
      return html`<pre>${block.lines.map((line) => html`${shown(line)}\n`)}</pre>`;
    case 'table': {
      const rows = block.rows.map(
        (row) => html`<tr>${row.map((cell) => html`<td>${shown(cell)}</td>`)}</tr>\n`,
      );
      return html`<div class="table"><table>${rows}</table></div>`;
    }
  }
}

function lineHtml(line: Line, linkOf: LinkOf): readonly HtmlPart[] {
  return spansOf(line).map((span) => {
    const text = typeof span === 'string' ? span : span.text;
    const link = linkOf(text);
    if (link !== undefined) return html`<a href="${link}"><bdi>${text}</bdi></a>`;
    return typeof span === 'string' ? text : html`<span class="${span.as}">${text}</span>`;
  });
}
