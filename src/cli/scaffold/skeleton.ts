/**
 * The skeleton of an object as a separate document: required fields as lines, all others as comments. Derived from the kinds, so
 * it is always valid. Pure.
 */
import type { Field } from '../../kinds/field.ts';
import type { Kind } from '../../kinds/kind.ts';
import { neededToCreate, whyNotCreated } from '../../kinds/probe.ts';
import type { Registry } from '../../kinds/registry.ts';
import { sampleKeyOf } from '../../kinds/sample-key.ts';
import { wrap } from '../../report/text/safe-text.ts';
import { dataOf } from '../../yaml/data.ts';
import { entryText } from '../../yaml/print.ts';
import { plain } from '../explain/example.ts';
import { valueText } from '../explain/field-topic.ts';

export interface SkeletonRequest {
  readonly registry: Registry;
  readonly kind: Kind;
  readonly key: string;
  /** From the top of the document: `['sites', 'hub', 'sections']`. */
  readonly path: readonly string[];
  /** Value of `organization:`. */
  readonly organization: unknown;
  /** For references; undefined if no object of the kind is declared. */
  readonly declaredKey: (kind: string) => string | undefined;
}

/** A comment that fits this width is on the same line, a longer one above. */
const lineWidth = 96;

/** Ends with a line break. */
export function skeletonText(request: SkeletonRequest): string {
  const { registry, kind, key, path, organization } = request;
  const refusal = whyNotCreated(registry, kind);
  const head = [
    `# ${plain(kind.description)}`,
    ...(refusal === undefined || kind === registry.root
      ? []
      : [`# It must exist: ${refusal.unsupported}; ${refusal.suggestion}.`]),
    `# What each line means: octavo explain ${kind.noun.toLowerCase().replaceAll(' ', '-')}`,
    'octavo: 1',
  ];
  if (kind === registry.root) return textOf([...head, '', 'organization:', ...rootLines(request)]);
  const above = path.map((step, depth) => `${'  '.repeat(depth)}${keyLine(step)}`);
  const isSingle = kind.manifest.places.every(({ shape }) => shape === 'single');
  const own = isSingle ? [] : [`${'  '.repeat(path.length)}${keyLine(key)}`];
  const depth = path.length + own.length;
  const named = lines(entryText('organization', dataOf(organization), 0));
  // Like octavo fmt: a key of several lines is set apart.
  return textOf([
    ...head,
    ...(named.length > 1 ? [''] : []),
    ...named,
    '',
    ...above,
    ...own,
    ...objectLines(request, request, depth),
  ]);
}

function rootLines(request: SkeletonRequest): readonly string[] {
  const { organization } = request;
  const identity = typeof organization === 'string' ? { id: organization } : (organization as object);
  const named = Object.entries(identity).flatMap(([name, value]) => lines(entryText(name, dataOf(value), 2)));
  return [...named, ...objectLines(request, request, 1)];
}

function objectLines(
  request: SkeletonRequest,
  owner: SkeletonField['owner'],
  depth: number,
): readonly string[] {
  const { registry } = request;
  const { kind } = owner;
  const whole = kind.manifest.whole === undefined ? undefined : kind.fields[kind.manifest.whole];
  if (kind.manifest.whole !== undefined && whole !== undefined) {
    const entries = Object.entries(whole.example as object);
    return entries.flatMap(([name, value]) => lines(entryText(name, dataOf(value), depth * 2)));
  }
  const main = mainFields(registry, kind);
  const fields = Object.entries(kind.fields).filter(([name]) => !isKey(kind, name));
  const names = fields.map(([name]) => name);
  const last = names.findLast((name) => main.includes(name)) ?? '';
  const linesFor = ([name, field]: readonly [string, Field]) => {
    const isMain = main.includes(name);
    const above = names[names.indexOf(name) - 1] ?? '';
    return fieldLines(request, { owner, name, field, depth, isMain, above, last });
  };
  const written = fields.filter(([name]) => main.includes(name)).flatMap(linesFor);
  const optional = fields.filter(([name]) => !main.includes(name)).flatMap(linesFor);
  const collections = kind === registry.root ? [] : registry.collectionsOf(kind.name);
  const needed = neededToCreate(registry, kind);
  const inside = collections.flatMap((collection) => {
    const isNeeded = needed.includes(collection) || kind.manifest.marker === collection;
    return isNeeded
      ? childLines(request, { kind, collection, depth })
      : [pointerLine(request, { kind, collection, depth })];
  });
  return [...written, ...inside.filter((line) => !isComment(line)), ...optional, ...inside.filter(isComment)];
}

interface ChildPlace {
  readonly kind: Kind;
  readonly collection: string;
  readonly depth: number;
}

/** One child of an object that requires children. */
function childLines(request: SkeletonRequest, { kind, collection, depth }: ChildPlace): readonly string[] {
  const child = request.registry
    .at(kind.name, collection)
    .find((one) => one.kind.manifest.marker === undefined)?.kind;
  if (child === undefined) return [];
  const indent = '  '.repeat(depth);
  // A child in a skeleton has only required fields.
  const key = sampleKeyOf(child);
  const own = objectLines(request, { kind: child, key }, depth + 2).filter((line) => !isComment(line));
  return [`${indent}${keyLine(collection)}`, `${indent}  ${keyLine(key)}`, ...own];
}

function pointerLine({ registry }: SkeletonRequest, { kind, collection, depth }: ChildPlace): string {
  const nouns = registry
    .at(kind.name, collection)
    .map((one) => one.kind.noun.toLowerCase().replaceAll(' ', '-'));
  return `${'  '.repeat(depth)}# ${collection}: see octavo scaffold ${nouns.join(' and octavo scaffold ')}`;
}

interface SkeletonField {
  readonly owner: { readonly kind: Kind; readonly key: string };
  readonly name: string;
  readonly field: Field;
  readonly depth: number;
  readonly isMain: boolean;
  /** The field before it, which may be in the same mapping. */
  readonly above: string;
  /** The last field that is not a comment. */
  readonly last: string;
}

function fieldLines(request: SkeletonRequest, skeleton: SkeletonField): readonly string[] {
  const { field, depth, isMain, above, last } = skeleton;
  const groups = skeleton.name.split('.');
  const name = groups.pop() ?? '';
  // Comments are in one column, unless they go on in a mapping that is written.
  const open = groups.filter((_, level) =>
    last.startsWith(`${groups.slice(0, level + 1).join('.')}.`),
  ).length;
  const indent = '  '.repeat(depth + (isMain ? groups.length : open));
  const lead = (level: number) =>
    isMain ? '  '.repeat(depth + level) : `${indent}# ${'  '.repeat(level - open)}`;
  const heads = groups.flatMap((group, level) =>
    above.startsWith(`${groups.slice(0, level + 1).join('.')}.`) ? [] : [`${lead(level)}${keyLine(group)}`],
  );
  const value = dataOf(valueFor(request, skeleton));
  const own = lines(entryText(name, value, 0)).map((line) => `${lead(groups.length)}${line}`);
  const about = `${plain(field.description).replace(/\.$/, '')}: ${valueText(request.registry, field)}`;
  const [line = ''] = own;
  if (own.length === 1 && line.length + about.length + 4 <= lineWidth)
    return [...heads, `${line}  # ${about}`];
  const remarks = wrap(about, lineWidth - indent.length - 2).map((text) => `${indent}# ${text}`);
  return [...heads, ...remarks, ...own];
}

/** A reference names a declared object, or an object by its id: a skeleton is valid as it is. */
function valueFor({ declaredKey }: SkeletonRequest, { owner, name, field }: SkeletonField): unknown {
  const sample = field.example;
  if (field.type !== 'reference')
    return typeof sample === 'string' ? (nameFrom(owner, name, field) ?? sample) : sample;
  const kind = field.kinds[0] ?? '';
  const reference = declaredKey(kind) ?? { id: `${kind}-id` };
  const isNested = sample !== null && typeof sample === 'object';
  return isNested ? Object.fromEntries(Object.keys(sample).map((key) => [key, reference])) : reference;
}

/**
 * Fields that identify an object are derived from its key, since fixed samples would be equal. Undefined if the result does not
 * fit.
 */
function nameFrom({ kind, key }: SkeletonField['owner'], name: string, field: Field): string | undefined {
  if (!kind.identity.by.some((identity) => identity.field === name) || field.type !== 'value')
    return undefined;
  const words = key.replace(/[-_]+/g, ' ');
  const isExact = kind.identity.unique?.some((one) => one.field === name) === true;
  const text = isExact ? key : words.slice(0, 1).toUpperCase() + words.slice(1);
  return field.schema().safeParse(text).success && field.remark?.(text) === undefined ? text : undefined;
}

/** Required fields and those that identify the object; the first field if nothing is required. */
function mainFields(registry: Registry, kind: Kind): readonly string[] {
  // The organization exists: a sample value would rename it.
  if (kind === registry.root) return [];
  const own = Object.keys(kind.fields).filter((name) => !isKey(kind, name));
  const first = kind.identity.by.map(({ field }) => field).find((name) => own.includes(name));
  const needed = neededToCreate(registry, kind).filter((name) => own.includes(name));
  const main = [
    ...needed,
    ...(first === undefined ? [] : [first]),
    ...own.filter((name) => name === 'title'),
  ];
  return main.length > 0 ? main : own.slice(0, 1);
}

function isKey(kind: Kind, name: string): boolean {
  return kind.manifest.key?.is === 'field' && kind.manifest.key.field === name;
}

function isComment(line: string): boolean {
  return line.trimStart().startsWith('#');
}

/** Quoted if YAML requires it. */
function keyLine(key: string): string {
  return entryText(key, new Map([['x', null]]), 0).split('\n')[0] ?? '';
}

function lines(text: string): readonly string[] {
  return text.replace(/\n$/, '').split('\n');
}

function textOf(all: readonly string[]): string {
  return `${all.join('\n')}\n`;
}
