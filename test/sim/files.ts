/** The files of an author: a document in several files, with a comment above each entry. */
import { parse } from 'yaml';
import type { Document } from '../support/arbitrary.ts';
import { listsOf, type Objects } from '../support/commit-edits.ts';

const head = { octavo: 1, organization: 'org_acme' };

/** Spreads a document over files, so that work on different parts can be merged. */
export function filesOf(document: Document): ReadonlyMap<string, string> {
  const { octavo: _version, organization: _id, settings, spaces, collections, sites, ...rest } = document;
  return new Map([
    ['docs/acme.yaml', textOf({ ...head, settings, ...rest })],
    ['docs/spaces.yaml', textOf({ ...head, spaces, collections })],
    ['docs/sites.yaml', textOf({ ...head, sites })],
    ['.gitignore', '.octavo/\n'],
  ]);
}

/** Undefined for a text that a merge has broken. */
export function documentIn(text: string): Document | undefined {
  try {
    const value: unknown = parse(text);
    return typeof value === 'object' && value !== null ? (value as Document) : undefined;
  } catch {
    return undefined;
  }
}

/** Each entry has a comment, and space around it, so that edits of two entries can be merged. */
export function textOf(document: Document): string {
  const entries = new Set<object>(listsOf(document).flatMap(({ list }) => Object.values(list)));
  return `${lines(document, '', entries).join('\n')}\n`;
}

function lines(value: object, indent: string, entries: ReadonlySet<object>): readonly string[] {
  return Object.entries(value).flatMap(([key, inner]: [string, unknown]) => {
    if (inner === undefined) return [];
    const name = /^\w[\w-]*$/.test(key) ? key : JSON.stringify(key);
    if (
      typeof inner !== 'object' ||
      inner === null ||
      Array.isArray(inner) ||
      Object.keys(inner).length === 0
    )
      return [`${indent}${name}: ${JSON.stringify(inner)}`];
    const below = lines(inner, `${indent}  `, entries);
    const own = [`${indent}${name}:`, ...below];
    return entries.has(inner) ? [`${indent}# about ${key}`, ...own, `${indent}#`, `${indent}#`] : own;
  });
}

/** All files of a checkout as one document, as the tool reads them; undefined if one is broken. */
export function mergedDocument(files: ReadonlyMap<string, string>): Document | undefined {
  const all: Record<string, Record<string, unknown>> = {};
  for (const [name, text] of files) {
    if (!name.startsWith('docs/')) continue;
    const document = documentIn(text);
    if (document === undefined) return undefined;
    for (const [key, value] of Object.entries(document))
      all[key] = typeof value === 'object' ? { ...all[key], ...(value as Objects) } : (value as never);
  }
  return all;
}

/** The comments of a text, sorted. */
export function commentsIn(text: string): readonly string[] {
  return text
    .split('\n')
    .filter((line) => line.trim().startsWith('# about '))
    .map((line) => line.trim())
    .sort();
}
