/** Merges the documents of one organization. A value that two of them declare is a problem. */
import type { DesiredData } from '../../tree/desired-tree.ts';
import type { SourceRange } from '../../util/diagnostic.ts';
import { push } from '../../util/group.ts';
import { nearest } from '../../util/nearest.ts';
import { rememberedIn } from '../../util/remembered.ts';
import {
  describe,
  entryOf,
  isBroken,
  type Located,
  type LocatedEntry,
  type LocatedMap,
  nameText,
  suggestForSecret,
} from '../../yaml/located.ts';
import type { Problems } from '../../yaml/problems.ts';
import { reportUnknownKey } from '../build/suggestion.ts';

export interface MergedOrganization
  extends Pick<DesiredData, 'label' | 'id' | 'match' | 'omitted' | 'endings'> {
  readonly content: LocatedMap;
}

export type FoundOrganization = Omit<MergedOrganization, 'content' | 'omitted' | 'endings'>;

const version = 1;

export function mergeDocuments(
  documents: readonly LocatedMap[],
  problems: Problems,
): ReadonlyMap<string, MergedOrganization> {
  const parts = new Map<string, { readonly found: FoundOrganization; readonly documents: LocatedMap[] }>();
  const named = documents.map((document): NamedDocument => {
    checkVersion(document, problems);
    return { document, found: findOrganization(document, problems) };
  });
  const misspelled = misspelledIn(named, problems);
  for (const { document, found } of named) {
    if (found === undefined || misspelled.has(document)) problems.lose();
    else rememberedIn(parts, found.label, () => ({ found, documents: [] })).documents.push(document);
  }
  return new Map(
    [...parts].flatMap(([label, { found, documents: own }]) => {
      const content = mergeContents(own, problems);
      return content === undefined ? [] : [[label, { ...found, content }]];
    }),
  );
}

type NamedDocument = { readonly document: LocatedMap; readonly found: FoundOrganization | undefined };

/** With fewer documents, either of the two names may be the wrong one. */
const documentsOfOne = 3;

/** Finds documents with a misspelled id: an id in only one document is a slip if several documents have a similar one. */
function misspelledIn(documents: readonly NamedDocument[], problems: Problems): ReadonlySet<LocatedMap> {
  const byLabel = new Map<string, LocatedMap[]>();
  for (const { found, document } of documents) if (found) push(byLabel, found.label, document);
  const many = [...byLabel].flatMap(([label, own]) => (own.length >= documentsOfOne ? [label] : []));
  const misspelled = new Set<LocatedMap>();
  for (const [label, [document, ...others]] of byLabel) {
    const value = document && entryOf(document, 'organization')?.value;
    if (document === undefined || others.length > 0 || nameText(value) === undefined) continue;
    const near = nearest(label, many, 2);
    if (near === undefined) continue;
    misspelled.add(document);
    problems.error(
      'organization',
      `organization ${JSON.stringify(label)} is declared nowhere else`,
      value?.at,
      { suggestion: `did you mean ${near}? Write organization: { id: ${label} } if it is another one` },
    );
  }
  return misspelled;
}

export function mergeContents(documents: readonly LocatedMap[], problems: Problems): LocatedMap | undefined {
  const [first, ...others] = documents.map(normalized);
  if (first === undefined || others.length === 0) return first;
  const content = growing(first);
  for (const other of others) add(content, other, '');
  const isForm = ({ form }: DuplicateEntry) => form !== undefined;
  for (const one of content.duplicates.filter(isForm)) refuseForm(one, problems);
  reportTwice(
    content.duplicates.filter((one) => !isForm(one)),
    problems,
  );
  return grown(content);
}

export function checkVersion(document: LocatedMap, problems: Problems): void {
  const entry = entryOf(document, 'octavo');
  if (entry === undefined) {
    problems.error('version', 'no "octavo:" key', document.at, {
      suggestion: `start it with octavo: ${version}`,
    });
  } else if (!isBroken(entry.value) && (entry.value.type !== 'scalar' || entry.value.value !== version)) {
    problems.error('version', `unsupported version: this program reads octavo: ${version}`, entry.value.at, {
      suggestion: `write octavo: ${version}, or run the version of Octavo that the document is written for`,
    });
  }
}

export function findOrganization(document: LocatedMap, problems: Problems): FoundOrganization | undefined {
  const entry = entryOf(document, 'organization');
  const name = nameText(entry?.value);
  if (entry !== undefined && isBroken(entry.value) && name === undefined) return undefined;
  if (entry === undefined)
    return problems.error('organization', 'no organization', document.at, {
      suggestion: 'add organization: { id: org_… }',
    });
  if (name !== undefined && name !== '') return { label: name, id: name };
  if (entry.value.type !== 'map') {
    const message = `organization must be an id or a mapping, is ${name === '' ? 'empty' : describe(entry.value)}`;
    return problems.error('organization', message, entry.value.at, {
      suggestion: suggestForSecret(entry.value) ?? 'write organization: org_… or organization: { id: org_… }',
    });
  }
  const id = entryOf(entry.value, 'id');
  const match = entryOf(entry.value, 'match');
  if ((id === undefined) === (match === undefined)) {
    const message =
      id === undefined ? 'organization without id or match' : 'organization with both id and match';
    return problems.error('organization', message, match?.keyAt ?? entry.keyAt, {
      suggestion: 'write either id: org_… or match: { hostname: … } or match: { title: … }',
    });
  }
  if (id === undefined) return match === undefined ? undefined : organizationByMatch(match, problems);
  const text = nameIn('organization.id', id.value, problems);
  return text === undefined ? undefined : { label: text, id: text };
}

/** The text of a value that names the organization; other values are reported. */
function nameIn(key: string, value: Located, problems: Problems): string | undefined {
  const text = nameText(value);
  if (text || isBroken(value)) return text || undefined;
  const message = `${key} must be text, is ${text === '' ? 'empty' : describe(value)}`;
  return problems.error('organization', message, value.at, { suggestion: suggestForSecret(value) });
}

function organizationByMatch(match: LocatedEntry, problems: Problems): FoundOrganization | undefined {
  const known = ['hostname', 'title'];
  // A variable is text, never a mapping, so its value does not matter.
  if (isBroken(match.value) && nameText(match.value) === undefined) return undefined;
  if (match.value.type !== 'map' || match.value.entries.length === 0)
    return problems.error('organization', 'match without a hostname or a title', match.value.at, {
      suggestion: 'write match: { hostname: … } or match: { title: … }',
    });
  const isUnnamed = (value: Located) => isBroken(value) && nameText(value) === undefined;
  if (match.value.entries.some(({ key, value }) => known.includes(key) && isUnnamed(value))) return undefined;
  const values = match.value.entries.flatMap((entry) => {
    const { key, value } = entry;
    if (!known.includes(key)) reportUnknownKey({ entry, noun: 'key', owner: 'match', known }, problems);
    const text = known.includes(key) ? nameIn(`match.${key}`, value, problems) : undefined;
    return text === undefined ? [] : [[key, text] as const];
  });
  if (values.length === 0) return undefined;
  const label = values.map(([key, value]) => `${key}=${value}`).join(',');
  return { label, match: Object.fromEntries(values) };
}

/** Makes `organization` a mapping, so that a bare id merges with further keys, and removes `overlay`. */
export function normalized(document: LocatedMap): LocatedMap {
  const entries = document.entries
    .filter(({ key }) => key !== 'overlay')
    .map((entry): LocatedEntry => {
      if (entry.key !== 'organization' || entry.value.type === 'map') return entry;
      const id = { key: 'id', keyAt: entry.value.at, value: entry.value };
      return { ...entry, value: { type: 'map', entries: [id], at: entry.value.at } };
    });
  return { ...document, entries };
}

interface Growing {
  readonly at: SourceRange;
  readonly entries: Map<string, { readonly entry: LocatedEntry; inner?: Growing }>;
  readonly duplicates: DuplicateEntry[];
}

interface DuplicateEntry {
  readonly name: string;
  readonly at: SourceRange;
  readonly before: SourceRange;
  /** The value of the two that is not a mapping. */
  readonly form?: Located;
}

function growing(map: LocatedMap, duplicates: DuplicateEntry[] = []): Growing {
  return { at: map.at, duplicates, entries: new Map(map.entries.map((entry) => [entry.key, { entry }])) };
}

/** A value may be declared only once, except the organization's name. */
function add(into: Growing, map: LocatedMap, path: string): void {
  for (const entry of map.entries) {
    const before = into.entries.get(entry.key);
    const name = path === '' ? entry.key : `${path}/${entry.key}`;
    if (before === undefined) into.entries.set(entry.key, { entry });
    else if (before.entry.value.type === 'map' && entry.value.type === 'map') {
      before.inner ??= growing(before.entry.value, into.duplicates);
      add(before.inner, entry.value, name);
    } else if (before.entry.value.type !== entry.value.type && [before.entry, entry].some(isMapping)) {
      const [map, other] = isMapping(entry) ? [entry, before.entry] : [before.entry, entry];
      into.entries.set(entry.key, { entry: map });
      if (!isBroken(other.value))
        into.duplicates.push({ name, at: other.value.at, before: map.keyAt, form: other.value });
    } else if (!/^(?:octavo|\$schema|x-.*|organization\/(?:id|match\/.*))$/s.test(name)) {
      into.duplicates.push({ name, at: entry.keyAt, before: before.entry.keyAt });
    }
  }
}

function isMapping({ value }: LocatedEntry): boolean {
  return value.type === 'map';
}

function refuseForm({ name, at, before, form }: DuplicateEntry, problems: Problems): void {
  if (form === undefined) return;
  const isNull = form.type === 'scalar' && form.value === null;
  const key = name.slice(name.lastIndexOf('/') + 1);
  problems.error('value', `${name} must be a mapping, is ${describe(form)}`, at, {
    suggestion: isNull ? 'remove the line: it is declared elsewhere' : `write ${key}: { some-key: { … } }`,
    related: [{ message: 'the mapping that it is merged with', at: before }],
  });
  // The declarations in it are unknown.
  if (!isNull) problems.lose();
}

/** Two files that share more declarations than this are reported together: one file is probably a copy. */
const fewTwice = 2;

function reportTwice(duplicates: readonly DuplicateEntry[], problems: Problems): void {
  const byFiles = new Map<string, DuplicateEntry[]>();
  for (const one of duplicates) push(byFiles, `${one.at.file}\0${one.before.file}`, one);
  for (const [first, ...others] of byFiles.values()) {
    if (first === undefined) continue;
    const { at, before } = first;
    if (others.length < fewTwice || at.file === before.file) {
      for (const one of [first, ...others]) refuseTwice(one, problems);
      continue;
    }
    const message = `${at.file} declares ${others.length + 1} objects or settings that ${before.file} also declares`;
    problems.error('declared-twice', message, at, {
      suggestion: 'remove one of the files if it is a copy; else keep each thing in one of them',
      related: [{ message: 'the first one', at: before }],
    });
  }
}

function refuseTwice({ name, at, before }: DuplicateEntry, problems: Problems): void {
  problems.error('declared-twice', `${name} is declared twice`, at, {
    suggestion: 'keep one of the two, or use an overlay to change a value for an environment',
    related: [{ message: 'the first one', at: before }],
  });
}

function grown({ at, entries }: Growing): LocatedMap {
  return {
    type: 'map',
    at,
    entries: [...entries.values()].map(({ entry, inner }) =>
      inner === undefined ? entry : { ...entry, value: grown(inner) },
    ),
  };
}
