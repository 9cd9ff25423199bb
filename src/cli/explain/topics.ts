/** Topics of `octavo explain`: kinds, their fields, settings, and the words of plans. Pure. */
import type { z } from 'zod';
import type { Kind } from '../../kinds/kind.ts';
import { describeFields, exampleEntry, kindFacts, kindWord } from '../../kinds/parts/describe-kind.ts';
import type { Registry } from '../../kinds/registry.ts';
import { schemaAt } from '../../manifest/schema/schema-part.ts';
import { settingTexts, settingTopics } from '../../manifest/schema/setting-topics.ts';
import type { ExplainedPart, Explanation } from '../../report/results/explanation.ts';
import type { DiagnosticError } from '../../util/diagnostic.ts';
import { nearest } from '../../util/nearest.ts';
import { userError } from '../../util/user-error.ts';
import { dataOf, isDataMap } from '../../yaml/data.ts';
import { entriesText } from '../../yaml/print.ts';
import { isCommandName } from '../line/names.ts';
import concepts from './concepts.json' with { type: 'json' };

export function topicNames(registry: Registry): readonly string[] {
  const ofKinds = registry.kinds.flatMap((kind) => [
    kindWord(kind),
    ...Object.keys(kind.fields)
      .filter((name) => kind.manifest.whole !== name)
      .map((name) => `${kindWord(kind)}.${name}`),
  ]);
  const ofSettings = settingTopics.flatMap(({ name, schema }) => [name, ...namesIn(schema, name)]);
  return [...ofKinds, ...ofSettings, ...concepts.flatMap(({ words }) => words)];
}

function namesIn(schema: z.ZodType, path: string): readonly string[] {
  return settingTexts(schema).flatMap(({ name }) => {
    const part = schemaAt(schema, [name]);
    return [`${path}.${name}`, ...(part === undefined ? [] : namesIn(part, `${path}.${name}`))];
  });
}

export function overview(registry: Registry): Explanation {
  const kinds = registry.kinds.map((kind) => rowOf(kindWord(kind), '', kind.description));
  const settings = settingTopics.map(({ name, where }) => rowOf(name, '', where));
  const main = concepts.filter(({ what }) => what === 'concept');
  return {
    topic: 'manifests',
    what: 'kinds of objects, settings and concepts',
    description:
      'octavo explain KIND lists the fields of a kind, KIND.FIELD explains one of them, and WORD any word that a plan prints.',
    facts: [],
    parts: [
      { title: 'Kinds', rows: kinds },
      { title: 'Settings', rows: settings },
      {
        title: 'Concepts',
        rows: main.map(({ words, text }) => rowOf(words.join(), '', text.replace(/\. .*/, '.'))),
      },
    ],
    reference: 'docs/reference/kinds.md',
  };
}

export function explanationOf(registry: Registry, written: string): Explanation {
  const words = written.trim().split('.');
  const found = explainSetting(words) ?? explainKind(registry, words) ?? explainWord(written);
  if (found !== undefined) return found;
  if (isCommandName(written)) throw unknownTopic(written, `octavo ${written} --help explains the command`);
  const near = nearest(written, topicNames(registry));
  const other = 'octavo explain lists the kinds, settings and concepts';
  throw unknownTopic(written, near === undefined ? other : `did you mean ${near}?`);
}

function explainSetting([first = '', ...rest]: readonly string[]): Explanation | undefined {
  const topic = settingTopics.find(({ name }) => name === first);
  if (topic === undefined) return undefined;
  const siblings = settingTexts(schemaAt(topic.schema, rest.slice(0, -1)));
  const own = siblings.find(({ name }) => name === rest.at(-1));
  if (rest.length > 0 && own === undefined) {
    const known = siblings.map(({ name }) => name);
    throw unknownPart([first, ...rest.slice(0, -1)], rest.at(-1) ?? '', known);
  }
  const rows = settingTexts(schemaAt(topic.schema, rest)).map(({ name, value, meaning }) =>
    rowOf(name, value, meaning),
  );
  return {
    topic: [first, ...rest].join('.'),
    what: 'setting',
    description: plain(own?.meaning ?? topic.where),
    facts: own === undefined ? [] : facts({ Value: own.value, Where: topic.where }),
    parts: rows.length === 0 ? [] : [{ title: 'Keys', rows }],
    reference: `docs/reference/settings.md#${topic.heading.replaceAll('.', '')}`,
  };
}

/** Accepts `site-space.condition`, or the keys of manifests: `sites.sections.condition`. */
function explainKind(registry: Registry, [first = '', ...rest]: readonly string[]): Explanation | undefined {
  let kind = kindNamed(registry, first);
  if (kind === undefined) return undefined;
  let depth = 0;
  for (const word of rest) {
    const inside = unmarked(registry.at(kind.name, word).map((one) => one.kind));
    if (inside === undefined) break;
    kind = inside;
    depth += 1;
  }
  const name = rest.slice(depth).join('.');
  const fields = describeFields(kind, registry);
  const reference = `docs/reference/kinds.md#${kindWord(kind)}`;
  const field = fields.find((one) => one.name === name);
  if (field !== undefined) {
    return {
      topic: `${kindWord(kind)}.${name}`,
      what: `field of ${kind.noun}`,
      description: plain(field.description),
      facts: facts({
        Value: field.value,
        Required: field.required ? 'for new objects' : '',
        null: field.null === '' ? 'not allowed; leave the line out instead' : field.null,
        Change: field.change,
      }),
      parts: [],
      example: exampleText(registry, kind, name),
      reference,
    };
  }
  // Several fields in one mapping: `customization.styling`.
  const shown = name === '' ? fields : fields.filter((one) => one.name.startsWith(`${name}.`));
  if (shown.length === 0) {
    const known = [...fields.map((one) => one.name), ...registry.collectionsOf(kind.name)];
    throw unknownPart([first, ...rest.slice(0, depth)], name, known);
  }
  return {
    topic: [kindWord(kind), ...rest.slice(depth)].join('.'),
    what: 'kind of objects',
    description: plain(kind.description),
    facts: [{ label: 'Facts', texts: kindFacts(kind, registry).map(plain) }],
    parts: [
      {
        title: 'Fields',
        rows: shown.map(({ label, value, description }) => rowOf(label, value, description)),
      },
    ],
    example: exampleText(registry, kind),
    reference,
  };
}

/** Accepts words as plans print them, too: `Conflicts`, `left over`. */
function explainWord(written: string): Explanation | undefined {
  const word = written.trim().toLowerCase().replace(/[_-]/g, ' ');
  for (const topic of [word, word.replaceAll(' ', '-'), word.replace(/s$/, '')]) {
    const found = concepts.find(({ words }) => words.includes(topic));
    if (found === undefined) continue;
    const { what, text, reference } = found;
    const command = isCommandName(topic) ? `octavo ${topic} --help` : '';
    return {
      topic,
      what,
      description: plain(text),
      facts: facts({ Command: command }),
      parts: [],
      reference,
    };
  }
  return undefined;
}

function kindNamed({ kinds }: Registry, word: string): Kind | undefined {
  const same = (name: string) =>
    name.toLowerCase().replace(/[ _-]/g, '') === word.toLowerCase().replace(/[ _-]/g, '');
  return (
    kinds.find(({ name, noun }) => same(name) || same(noun)) ??
    unmarked(kinds.filter(({ manifest: { places } }) => places.some(({ key }) => same(key))))
  );
}

/** A kind with a marker shares its place with a plain kind; the plain one is meant. */
function unmarked(kinds: readonly Kind[]): Kind | undefined {
  return kinds.find(({ manifest: { marker } }) => marker === undefined) ?? kinds[0];
}

function unknownPart(path: readonly string[], word: string, known: readonly string[]): DiagnosticError {
  const near = nearest(word, known);
  const parent = path.join('.');
  return unknownTopic(
    `${parent}.${word}`,
    near === undefined ? `octavo explain ${parent} lists what there is` : `did you mean ${parent}.${near}?`,
  );
}

function unknownTopic(written: string, help: string): DiagnosticError {
  return userError('unknown-topic', `nothing is named ${JSON.stringify(written)}`, help);
}

/** The entry, nested in its parent objects. */
function placed(registry: Registry, kind: Kind, [key, value]: readonly [string, unknown]): unknown {
  const [place] = kind.manifest.places;
  if (place === undefined) return { [kind.name]: value };
  const held = { [place.key]: place.shape === 'map' ? { [key]: value } : value };
  if (place.parent === registry.root.name) return held;
  const parent = registry.byName(place.parent);
  return placed(registry, parent, [exampleEntry(parent, registry)[0], held]);
}

function exampleText(registry: Registry, kind: Kind, field?: string): string {
  const data = dataOf(placed(registry, kind, exampleEntry(kind, registry, field)));
  return isDataMap(data) ? entriesText(data, 0) : '';
}

function facts(all: Readonly<Record<string, string>>): Explanation['facts'] {
  return Object.entries(all)
    .filter(([, text]) => text !== '')
    .map(([label, text]) => ({ label, texts: [plain(text)] }));
}

function rowOf(name: string, value: string, meaning: string): ExplainedPart {
  return { name: plain(name), value: plain(value), description: plain(meaning) };
}

function plain(markdown: string): string {
  return markdown.replaceAll('`', '');
}
