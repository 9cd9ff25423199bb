/** Reads XML strictly enough to check that it is well-formed: every tag closed, every entity known, no stray sign. */

/** A tag with its attributes, and the text directly inside of it. */
export interface XmlElement {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly text: string;
}

/** All elements of a document, in order. Throws if it is not well-formed. */
export function xmlElements(xml: string): readonly XmlElement[] {
  const found: (XmlElement & { text: string })[] = [];
  const open: (XmlElement & { text: string })[] = [];
  const rest = xml.replace(/^<\?xml version="1\.0" encoding="UTF-8"\?>\n/, '');
  const tag = /<(\/?)([a-zA-Z-]+)((?: [a-zA-Z:-]+="[^"<]*")*)(\/?)>|([^<]+)/gy;
  let end = 0;
  for (const match of rest.matchAll(tag)) {
    const [whole, closes, name = '', attributes = '', alone, text = ''] = match;
    end = match.index + whole.length;
    const last = open.at(-1);
    if (name === '') {
      if (last !== undefined) last.text += decoded(text);
    } else if (closes === '/') {
      if (open.pop()?.name !== name) throw new Error(`closes ${name}`);
    } else {
      const pairs = [...attributes.matchAll(/ ([a-zA-Z:-]+)="([^"]*)"/g)];
      const element = {
        name,
        attributes: Object.fromEntries(pairs.map(([, key = '', value = '']) => [key, decoded(value)])),
        text: '',
      };
      found.push(element);
      if (alone !== '/') open.push(element);
    }
  }
  if (end !== rest.length || open.length > 0)
    throw new Error(`not well-formed at ${end}: ${rest.slice(end, end + 40)}`);
  return found;
}

const entities: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  '#39': "'",
};

function decoded(text: string): string {
  return text.replace(/&([a-z]+|#39)?;?/g, (whole, name = '') => {
    const character = entities[name];
    if (character === undefined || !whole.endsWith(';')) throw new Error(`entity in ${text}`);
    return character;
  });
}
