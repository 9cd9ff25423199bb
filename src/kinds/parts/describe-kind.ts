/**
 * Describes kinds and their fields, as markdown. The reference pages, `octavo explain` and the JSON Schema for editors print these
 * descriptions and add none. Pure.
 */
import * as z from 'zod';
import { describeSchema } from '../../contract/describe-schema.ts';
import { needsText } from '../../contract/form.ts';
import { unwrapped } from '../../util/data-schema.ts';
import { nested } from '../../util/nested.ts';
import { isKeyField, type Kind } from '../kind.ts';
import type { Registry } from '../registry.ts';
import { canEnd, type Field, isExactList, referenceForms, referenceOf } from './field.ts';
import { neededToCreate, sampleKeyOf } from './probe.ts';

/** Texts are markdown. */
export interface FieldText {
  readonly name: string;
  readonly label: string;
  readonly value: string;
  /** Effect of `null`; empty if it is not allowed. */
  readonly null: string;
  readonly change: string;
  readonly description: string;
  readonly example: unknown;
  /** True if new objects need the field. */
  readonly required: boolean;
}

/** Example: `site-space`. Used in commands, and as the heading of the reference page. */
export function kindWord({ noun }: Kind): string {
  return noun.toLowerCase().replaceAll(' ', '-');
}

/** The parents of a kind and the keys that contain it, in order. Example: `sections` of site. */
export function placesText({ manifest: { places } }: Kind, registry: Registry): string {
  if (places.length === 0) return 'none (it is the document itself)';
  return places
    .map(
      ({ parent, key, ordered }) =>
        `\`${key}\` of ${registry.byName(parent).noun}${ordered ? ', in order' : ''}`,
    )
    .join('; ');
}

/** Explains how the live object is found. */
function identitiesText({ identity: { by: identities }, manifest: { key } }: Kind): string {
  const fields = [...new Set(identities.map(({ field }) => field))];
  const natural = key?.is === 'id' ? ['its key, which is its id'] : fields;
  return natural.length === 0 ? 'its parent, which has only one' : ['`id`', ...natural].join(', then ');
}

/** Further facts about objects of a kind, one sentence each. */
export function kindFacts(kind: Kind, registry: Registry): readonly string[] {
  const inside = kind === registry.root ? [] : registry.collectionsOf(kind.name);
  const needed = neededToCreate(registry, kind).map((name) => `\`${name}\``);
  return [
    `Parent: ${placesText(kind, registry)}.`,
    ...(inside.length === 0 ? [] : [`Inside: ${inside.map((key) => `\`${key}\``).join(', ')}.`]),
    ...(needed.length === 0 ? [] : [`A new one needs ${needed.join(', ')}.`]),
    `Matched by: ${identitiesText(kind)}.`,
    ...(kind.deletion.protected === true
      ? ['Protected against deletion, unless the manifests lift the protection.']
      : []),
    ...(kind.deletion.cost === undefined || kind.calls.delete === undefined
      ? []
      : [`When it is deleted: ${kind.deletion.cost}.`]),
    ...(kind.calls.delete === undefined ? ['Cannot be deleted through the API.'] : []),
    ...(kind.manifest.ends === true ? ['`until: 2027-01-31` is its last day (UTC).'] : []),
  ];
}

/** Fields in the order of the kind. */
export function describeFields(kind: Kind, registry: Registry): readonly FieldText[] {
  const needed = neededToCreate(registry, kind);
  return Object.entries(kind.fields).map(([name, field]) => ({
    name,
    label:
      kind.manifest.whole === name
        ? '(the object itself)'
        : `\`${name}\`${isKeyField(kind, name) ? ' (the key)' : ''}`,
    value: `${valueText(field, registry)}${isExactList(field) ? ', or `{ add: … }`' : ''}`,
    null: nullText(field),
    change: { update: 'in place', replace: 'makes a new object', create: 'only at creation' }[
      field.change ?? 'update'
    ],
    description: [
      field.description,
      ...(field.needs === undefined ? [] : [needsText(field.needs)]),
      ...lastDayText(field),
    ].join(' '),
    example: field.example,
    required: needed.includes(name) && !isKeyField(kind, name),
  }));
}

function lastDayText(field: Field): readonly string[] {
  return canEnd(field) ? [`With a last day (UTC): \`{ ${field.valueKey}: …, until: 2027-01-31 }\`.`] : [];
}

/** Notes for editors, in addition to the description, one sentence each. */
export function fieldNotes(field: Field): readonly string[] {
  const { change, absent } = field;
  const nulls = nullText(field);
  return [
    ...(absent === undefined ? [] : [`New objects have \`${JSON.stringify(absent)}\`.`]),
    ...(change === 'replace' ? ['A change makes a new object.'] : []),
    ...(change === 'create' ? ['Used only when the object is created.'] : []),
    ...lastDayText(field),
    `Leave it out to leave it unmanaged${nulls === '' ? '' : `; \`null\` ${nulls}`}.`,
  ];
}

/**
 * A key and an entry, with the given field or else with all fields that a new object needs, its title, its audience, and child
 * objects. References point to an object such as `existing-space`.
 */
export function exampleEntry(
  kind: Kind,
  registry: Registry,
  field?: string,
): readonly [key: string, value: unknown] {
  const whole = kind.manifest.whole === undefined ? undefined : kind.fields[kind.manifest.whole];
  if (whole !== undefined) return [sampleKeyOf(kind), whole.example];
  const own = Object.entries(kind.fields).filter(([name]) => !isKeyField(kind, name));
  const wanted = field === undefined ? [...neededToCreate(registry, kind), kind.manifest.marker] : [field];
  const shown = own.filter(
    ([name, { trait }]) =>
      wanted.includes(name) || (field === undefined && (trait?.is === 'title' || trait?.is === 'audience')),
  );
  const fields = (shown.length === 0 ? own.slice(0, 1) : shown).map(([name, one]) => {
    const [target] = field === undefined && one.type === 'reference' ? one.kinds : [];
    return [
      name,
      target === undefined ? one.example : `existing-${kindWord(registry.byName(target))}`,
    ] as const;
  });
  const inside = registry.collectionsOf(kind.name).flatMap((key) => {
    const plain = registry.at(kind.name, key).find((one) => one.kind.manifest.marker === undefined)?.kind;
    if (plain === undefined || !wanted.includes(key)) return [];
    return [[key, Object.fromEntries([exampleEntry(plain, registry)])] as const];
  });
  return [sampleKeyOf(kind), { ...nested(fields), ...Object.fromEntries(inside) }];
}

function nullText({ nullable }: Field): string {
  if (nullable === undefined) return '';
  return nullable === 'removes' ? 'clears it' : 'is a value of its own';
}

function valueText(field: Field, registry: Registry): string {
  const text = describeSchema(field.schema());
  const reference = referenceOf(field);
  if (reference === undefined) return field.type === 'set' ? `${text}, in any order` : text;
  const nouns = reference.kinds.map((kind) => registry.byName(kind).noun).join(' or ');
  if (field.type !== 'reference') return `${text}; each key names a ${nouns}`;
  const isPlain = unwrapped(field.schema()) instanceof z.ZodUnion;
  if (!isPlain) return `${text}, where it names a ${nouns}`;
  return referenceForms(`key of a ${nouns}`, field).replace(/\{.*?\}/g, '`$&`');
}
