import { operationIds } from '../../contract/index.ts';
import type { Kind } from '../../kinds/kind.ts';
import type { Registry } from '../../kinds/registry.ts';
import { shippedRules } from '../../kinds/rules.ts';
import type { Explanation } from '../../report/results/explanation.ts';
import { type Diagnostic, DiagnosticError } from '../../util/diagnostic.ts';
import { nearest } from '../../util/nearest.ts';
import { isCommandName } from '../line/names.ts';
import { anchorOf, plain } from './example.ts';
import { explainField, partsOf } from './field-topic.ts';
import { explainKinds, type TopicOptions, treeOf } from './kind-topic.ts';
import {
  allCodes,
  documentKeys,
  explainCode,
  explainDocumentKey,
  explainExitCode,
  explainInterpolation,
  explainOperation,
  explainRule,
  guardNames,
} from './other-topics.ts';
import { explainSchema, schemaTopicNames } from './schema-topics.ts';
import {
  type FieldSpot,
  fieldsOf,
  follow,
  type ManifestSpot,
  pathOfKind,
  type UnknownSpot,
  walk,
} from './walk.ts';

export interface TopicSource extends TopicOptions {
  readonly registry: Registry;
}

/** Throws a DiagnosticError that suggests the nearest topic. */
export function findTopic(source: TopicSource, given: string): Explanation {
  const written = given.trim();
  const found: Explanation[] = [];
  let astray: UnknownSpot | undefined;
  for (const explain of interpreters) {
    const one = explain(source, written);
    if (one === undefined) continue;
    if ('facts' in one) found.push(one);
    else astray ??= one;
  }
  const [first, ...others] = found;
  if (first === undefined) throw unknownTopic(source, written, astray);
  const also = [...new Set(others.map(({ topic }) => topic))].filter((topic) => topic !== first.topic);
  return also.length === 0 ? first : { ...first, also: also.map(shellWord) };
}

/** In this order: manifests take precedence over codes of the same name. */
const interpreters: readonly ((
  source: TopicSource,
  written: string,
) => Explanation | UnknownSpot | undefined)[] = [
  inManifests,
  byKind,
  (_, written) => explainSchema(written),
  (_, written) => explainDocumentKey(written),
  (_, written) => explainOperation(written),
  (_, written) => explainRule(written),
  (_, written) => explainCode(written),
  (_, written) => explainExitCode(written),
  (_, written) => explainInterpolation(written),
  byFieldName,
];

function inManifests(source: TopicSource, written: string): Explanation | UnknownSpot | undefined {
  return explainSpot(source, walk(source.registry, written));
}

/** `site-space`, `siteSpace.condition`. */
function byKind(source: TopicSource, written: string): Explanation | UnknownSpot | undefined {
  const { registry } = source;
  const [name = '', ...words] = written.split('.');
  const kind = registry.kinds.find((one) => isNamed(one, name));
  if (kind === undefined) return undefined;
  return explainSpot(source, follow(registry, [kind], { words, path: pathOfKind(registry, kind) }));
}

function isNamed(kind: Kind, word: string): boolean {
  const same = (name: string) => name.toLowerCase().replace(/[ _-]/g, '');
  return [kind.name, kind.noun].some((name) => same(name) === same(word));
}

/** A field that only one kind has needs no path. */
function byFieldName({ registry }: TopicSource, written: string): Explanation | undefined {
  const kinds = registry.kinds.filter((kind) => fieldsOf(kind).includes(written));
  const [first] = kinds;
  if (first === undefined) return undefined;
  const paths = kinds.map((kind) => `${pathOfKind(registry, kind)}.${written}`);
  const [path = ''] = paths;
  if (kinds.length === 1) {
    return explainField(registry, { type: 'field', kind: first, others: [], name: written, rest: [], path });
  }
  return {
    topic: written,
    what: 'field of several kinds',
    description: 'Several kinds of objects have a field of this name. Name the one that is meant.',
    facts: [],
    parts: {
      title: 'Fields',
      rows: kinds.map(({ fields }, at) => ({
        name: paths[at] ?? '',
        depth: 0,
        value: '',
        description: plain(fields[written]?.description ?? ''),
      })),
    },
  };
}

function explainSpot(
  source: TopicSource,
  spot: ManifestSpot | undefined,
): Explanation | UnknownSpot | undefined {
  const { registry } = source;
  if (spot === undefined) return undefined;
  switch (spot.type) {
    case 'unknown':
      return spot;
    case 'kinds':
      return explainKinds(registry, spot, source);
    case 'common':
      return explainSchema([spot.name, ...spot.rest].join('.')) ?? explainDocumentKey(spot.name);
    default:
      return spot.rest.length === 0 ? explainField(registry, spot) : explainPart(registry, spot);
  }
}

/** A key inside the value of a field. For a mapping with free keys, only the field is explained. */
function explainPart(registry: Registry, spot: FieldSpot): Explanation | UnknownSpot {
  const whole = explainField(registry, spot);
  const field = spot.kind.fields[spot.name];
  const rows = field === undefined ? [] : partsOf(field);
  const [word = ''] = spot.rest;
  const part = rows.find(({ name }) => name === word);
  const isMapping = field?.type === 'map' || field?.type === 'members';
  if (part === undefined && isMapping) return whole;
  if (part === undefined)
    return { type: 'unknown', word, path: spot.path, known: rows.map(({ name }) => name) };
  const { parts: _parts, ...rest } = whole;
  const value = { label: 'Value', texts: [part.value] };
  const others = rest.facts.filter(({ label }) => label !== 'Value');
  return { ...rest, topic: `${spot.path}.${word}`, what: `part of ${spot.path}`, facts: [value, ...others] };
}

function unknownTopic(
  source: TopicSource,
  written: string,
  astray: UnknownSpot | undefined,
): DiagnosticError {
  const problem: Diagnostic = {
    severity: 'error',
    code: 'unknown-topic',
    message:
      astray === undefined
        ? `nothing is named ${JSON.stringify(written)}`
        : `${astray.path} has no ${JSON.stringify(astray.word)}`,
    suggestion: suggestionFor(source, written, astray),
  };
  return new DiagnosticError([problem]);
}

function suggestionFor({ registry }: TopicSource, written: string, astray: UnknownSpot | undefined): string {
  if (astray !== undefined) {
    const near = nearest(astray.word, astray.known);
    if (near !== undefined) return `did you mean ${astray.path}.${near}?`;
    const other = nearest(written, topicNames(registry));
    if (other !== undefined) return `did you mean ${shellWord(other)}?`;
    if (astray.known.length > 0) return `use one of ${astray.known.join(', ')}`;
    return `octavo explain ${astray.path} shows all that there is`;
  }
  if (isCommandName(written)) return `octavo ${written} --help explains the command`;
  const near = nearest(written, topicNames(registry));
  return near === undefined ? 'octavo explain lists the topics' : `did you mean ${shellWord(near)}?`;
}

export function topicNames(registry: Registry): readonly string[] {
  const ofKinds = registry.kinds.flatMap((kind) => {
    const path = pathOfKind(registry, kind);
    return [anchorOf(kind.noun), path, ...fieldsOf(kind).map((name) => `${path}.${name}`)];
  });
  return [
    ...new Set([
      ...ofKinds,
      ...schemaTopicNames(),
      ...Object.keys(documentKeys),
      'interpolation',
      'exit-codes',
      ...allCodes().map(([code]) => code),
      ...guardNames(),
      ...Object.keys(shippedRules),
      ...operationIds,
    ]),
  ];
}

export function overview({ registry, isRecursive }: TopicSource): Explanation {
  const keys = registry.collectionsOf(registry.root.name).map((key) => {
    const places = registry.at(registry.root.name, key);
    return { key, kinds: places.map(({ kind }) => kind) };
  });
  const rows = [{ key: registry.root.name, kinds: [registry.root] }, ...keys].flatMap(({ key, kinds }) => [
    {
      name: key,
      depth: 0,
      value: '',
      description: kinds.map(({ description }) => plain(description)).join(' '),
    },
    ...(isRecursive
      ? kinds.flatMap((kind) => treeOf(registry, kind, { isRecursive, depth: 1, above: [registry.root] }))
      : []),
  ]);
  return {
    topic: 'manifest',
    what: 'the keys of a document',
    description:
      'octavo explain KEY says more of a key; a path such as sites.sections.condition leads to a field.',
    facts: [
      {
        label: 'Also',
        texts: ['settings, lifecycle, was, id, overlay, templates, interpolation, config, exit-codes'],
      },
      { label: 'Codes', texts: ['of diagnostics, as in error[unknown-key]: octavo explain unknown-key'] },
      { label: 'Guards', texts: ['as in guard: rename, which plans name: octavo explain rename'] },
      { label: 'Rules', texts: [`that ship, off by default: ${Object.keys(shippedRules).join(', ')}`] },
      { label: 'API', texts: ['operations by name: octavo explain sites.update'] },
    ],
    parts: { title: 'Keys', rows },
    reference: 'docs/reference/kinds.md',
  };
}

/** Shells interpret brackets and dollars. */
function shellWord(topic: string): string {
  return /^[\w.-]+$/.test(topic) ? topic : `'${topic}'`;
}
