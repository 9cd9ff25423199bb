/** The entries of docs/concepts.md, and the guards, for `octavo explain`. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The text of src/cli/explain/concepts.json. */
export function conceptsText(root) {
  const sections = (page) =>
    readFileSync(join(root, 'docs', page), 'utf8')
      .split(/^## /m)
      .slice(1)
      .map((part) => [part.slice(0, part.indexOf('\n')), part.slice(part.indexOf('\n'))]);
  const concepts = sections('concepts.md').flatMap(([title, text]) =>
    text.includes('\n|')
      ? rows(text).map(([words = '', meaning]) =>
          entry(
            words.match(/[a-z ]+(?=`)/g).filter((one) => one.trim()),
            'word of plans',
            meaning,
          ),
        )
      : [entry([title.toLowerCase()], 'concept', text)],
  );
  const guards = sections('reference/guards.md').map(([name, text]) => ({
    ...entry([name], 'guard', text),
    reference: `docs/reference/guards.md#${name}`,
  }));
  return `[\n${[...concepts, ...guards].map((one) => JSON.stringify(one)).join(',\n')}\n]\n`;
}

function rows(text) {
  return text
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .map((line) => line.split('|').slice(1, 3));
}

/** A page that the text links to has more. */
function entry(words, what, text) {
  const [, page] = /\]\(([^)]+)\)/.exec(text) ?? [];
  return {
    words,
    what,
    text: text
      .trim()
      .replace(/\s\(\[[^\]]*\]\([^)]*\)\)/g, '')
      .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .split(/\n{2,}|\n- /)
      .map((part) => part.replace(/^- /, '').replaceAll('\n', ' '))
      .join('\n'),
    reference: page === undefined ? 'docs/concepts.md#words-of-a-plan' : `docs/${page}`,
  };
}
