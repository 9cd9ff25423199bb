/** HTML as plain Markdown, in one pass whose time grows with the text only: it is read from strangers. */

const entities: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
};

/** Elements whose text is not shown. */
const hidden = new Set(['head', 'script', 'style', 'template']);
const blocks = new Set(['p', 'div', 'ul', 'ol', 'br', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6']);

/** Headings, links, images, list items and paragraphs of a page; everything else is its text. */
export function markdownOf(html: string): string {
  let markdown = '';
  let title = '';
  let link: string | null = null;
  for (const { tag, text } of tokensOf(html)) {
    if (tag === null) {
      markdown += decoded(text);
      continue;
    }
    const { name, closing } = tag;
    if (name === 'title' && !closing) title = decoded(text).trim();
    else if (/^h[1-6]$/.test(name) && !closing) markdown += `\n\n${'#'.repeat(Number(name[1]))} `;
    else if (name === 'li' && !closing) markdown += '\n- ';
    else if (name === 'img') markdown += `![](${attribute(tag.source, 'src')})`;
    else if (name === 'a' && !closing && link === null) {
      link = attribute(tag.source, 'href');
      markdown += '[';
    } else if (name === 'a' && closing && link !== null) {
      markdown += `](${link})`;
      link = null;
    } else if (blocks.has(name)) markdown += '\n';
  }
  if (link !== null) markdown += `](${link})`;
  const body = markdown.replace(/\n{3,}/g, '\n\n').trim();
  return title === '' || /^#\s/m.test(body) ? body : `# ${title}\n\n${body}`;
}

/** A piece of text, or a tag; the text of a title comes with its tag. */
interface Token {
  readonly tag: { readonly name: string; readonly closing: boolean; readonly source: string } | null;
  readonly text: string;
}

function* tokensOf(html: string): Generator<Token> {
  const lower = html.toLowerCase();
  for (let at = 0; at < html.length; ) {
    const open = html.indexOf('<', at);
    if (open === -1 || open > at) {
      yield { tag: null, text: html.slice(at, open === -1 ? html.length : open) };
      if (open === -1) return;
    }
    if (html.startsWith('<!--', open)) {
      at = after(lower, '-->', open);
      continue;
    }
    const end = html.indexOf('>', open);
    if (end === -1) return;
    const source = html.slice(open, end + 1);
    const name = /^<\/?([a-z][a-z0-9]*)/i.exec(source)?.[1]?.toLowerCase() ?? '';
    const closing = source[1] === '/';
    at = end + 1;
    if (name === 'head' && !closing) yield* titleIn(html, lower, at);
    if (hidden.has(name) && !closing) at = after(lower, '>', after(lower, `</${name}`, at));
    else yield { tag: { name, closing, source }, text: '' };
  }
}

/** The title that stands in a page's head. */
function* titleIn(html: string, lower: string, from: number): Generator<Token> {
  const end = lower.indexOf('</head', from);
  const open = lower.indexOf('<title', from);
  if (open === -1 || (end !== -1 && open > end)) return;
  const start = after(lower, '>', open);
  const stop = lower.indexOf('<', start);
  const text = html.slice(start, stop === -1 ? html.length : stop);
  yield { tag: { name: 'title', closing: false, source: '' }, text };
}

/** The place after the next `what`, or the end of the text. */
function after(text: string, what: string, from: number): number {
  const found = text.indexOf(what, from);
  return found === -1 ? text.length : found + what.length;
}

function attribute(source: string, name: string): string {
  const found = new RegExp(`\\s${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)'|([^\\s>]+))`, 'i').exec(source);
  return decoded(found?.[1] ?? found?.[2] ?? found?.[3] ?? '');
}

function decoded(text: string): string {
  return text.replace(/&(\w+);/g, (all, name: string) => entities[name] ?? all);
}
