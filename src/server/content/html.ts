/** Converts HTML to plain Markdown, in one pass of linear time: the text is untrusted. */

const entities = ['amp', 'lt', 'gt', 'quot', 'apos', 'nbsp'];
const hidden = /^(?:head|script|style|template)$/;
const blocks = /^\/?(?:p|div|ul|ol|br|h[1-6])$/;

export function markdownOf(html: string): string {
  const [start = '', ...parts] = html.split('<');
  let markdown = decoded(start);
  let title = '';
  let link: string | undefined;
  let until: string | undefined;
  for (const part of parts) {
    const [was, { name, tag, text, end }] = [until, partOf(part, until)];
    if (was === '/head' && name === 'title') title = text.trim();
    until = end;
    if (until !== undefined) continue;
    if (name === 'a') link ??= attribute(tag, 'href');
    markdown += (was === undefined ? shown(name, tag, link) : '') + text;
    if (name === '/a') link = undefined;
  }
  const body = `${markdown}${shown('/a', '', link)}`.replace(/\n{3,}/g, '\n\n').trim();
  return title === '' || /^#\s/m.test(body) ? body : `# ${title}\n\n${body}`;
}

/** The text after a `<`. A comment has no name. */
function partOf(part: string, until: string | undefined) {
  const isComment = until === '-->' || (until === undefined && part.startsWith('!--'));
  const stop = isComment ? '-->' : '>';
  const at = part.indexOf(stop);
  const [tag, text] = [part.slice(0, at), at < 0 ? '' : decoded(part.slice(at + stop.length))];
  if (isComment) return { name: '', tag, text, end: at < 0 ? stop : undefined };
  const [name = ''] = /^\/?[a-z][a-z0-9]*/.exec(tag.slice(0, 20).toLowerCase()) ?? [];
  const opened = hidden.test(name) ? `/${name}` : undefined;
  return { name, tag, text, end: until === undefined || until === name ? opened : until };
}

function shown(name: string, tag: string, link: string | undefined): string {
  if (name === 'a') return '[';
  if (name === '/a') return link === undefined ? '' : `](${link})`;
  if (name === 'img') return `![](${attribute(tag, 'src')})`;
  if (name === 'li') return '\n- ';
  if (/^h[1-6]$/.test(name)) return `\n\n${'#'.repeat(Number(name[1]))} `;
  return blocks.test(name) ? '\n' : '';
}

function attribute(source: string, name: string): string {
  const found = new RegExp(`\\s${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)'|([^\\s>]+))`, 'i').exec(source);
  return decoded(found?.[1] ?? found?.[2] ?? found?.[3] ?? '');
}

function decoded(text: string): string {
  return text.replace(/&(\w+);/g, (all, name: string) => `&<>"' `[entities.indexOf(name)] ?? all);
}
