/** Converts HTML to plain Markdown, in one pass of linear time: the text is untrusted. */

const entities: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
};

const hidden = new Set(['head', 'script', 'style', 'template']);
const blocks = new Set(['p', 'div', 'ul', 'ol', 'br', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6']);

export function markdownOf(html: string): string {
  const writer = new MarkdownWriter();
  for (const { tag, text } of tokensOf(html)) {
    if (tag === null) writer.text(text);
    else if (tag.name === 'title') writer.title = tag.closing ? writer.title : decoded(text).trim();
    else if (tag.name === 'a') writer.anchor(tag);
    else writer.element(tag);
  }
  return writer.finish();
}

interface Tag {
  readonly name: string;
  readonly closing: boolean;
  readonly source: string;
}

class MarkdownWriter {
  #markdown = '';
  #link: string | null = null;
  title = '';

  text(text: string): void {
    this.#markdown += decoded(text);
  }

  anchor({ closing, source }: Tag): void {
    if (closing) this.#closeLink();
    else if (this.#link === null) {
      this.#link = attribute(source, 'href');
      this.#markdown += '[';
    }
  }

  element({ name, closing, source }: Tag): void {
    if (/^h[1-6]$/.test(name) && !closing) this.#markdown += `\n\n${'#'.repeat(Number(name[1]))} `;
    else if (name === 'li' && !closing) this.#markdown += '\n- ';
    else if (name === 'img') this.#markdown += `![](${attribute(source, 'src')})`;
    else if (blocks.has(name)) this.#markdown += '\n';
  }

  finish(): string {
    this.#closeLink();
    const body = this.#markdown.replace(/\n{3,}/g, '\n\n').trim();
    return this.title === '' || /^#\s/m.test(body) ? body : `# ${this.title}\n\n${body}`;
  }

  #closeLink(): void {
    if (this.#link !== null) this.#markdown += `](${this.#link})`;
    this.#link = null;
  }
}

interface Token {
  readonly tag: Tag | null;
  readonly text: string;
}

function* tokensOf(html: string): Generator<Token> {
  // Lowercasing other letters may change the length.
  const lower = html.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
  for (let at = 0; at < html.length; ) {
    const next = html.indexOf('<', at);
    const open = next === -1 ? html.length : next;
    if (open > at) yield { tag: null, text: html.slice(at, open) };
    at = open === html.length ? open : yield* markupAt(html, lower, open);
  }
}

function* markupAt(html: string, lower: string, open: number): Generator<Token, number> {
  if (html.startsWith('<!--', open)) return after(lower, '-->', open);
  const end = html.indexOf('>', open);
  if (end === -1) return html.length;
  const tag = tagOf(html.slice(open, end + 1));
  if (tag.closing || !hidden.has(tag.name)) {
    yield { tag, text: '' };
    return end + 1;
  }
  if (tag.name === 'head') yield* titleIn(html, lower, end + 1);
  return after(lower, '>', after(lower, `</${tag.name}`, end + 1));
}

function tagOf(source: string): Tag {
  const name = /^<\/?([a-z][a-z0-9]*)/i.exec(source)?.[1]?.toLowerCase() ?? '';
  return { name, closing: source[1] === '/', source };
}

function* titleIn(html: string, lower: string, from: number): Generator<Token> {
  const end = lower.indexOf('</head', from);
  const head = lower.slice(from, end === -1 ? undefined : end);
  const open = head.indexOf('<title');
  if (open === -1) return;
  const start = after(head, '>', open);
  const stop = head.indexOf('<', start);
  const text = html.slice(from + start, from + (stop === -1 ? head.length : stop));
  yield { tag: { name: 'title', closing: false, source: '' }, text };
}

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
