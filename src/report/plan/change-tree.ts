/**
 * Changes as a tree of addresses, so that each is written once: objects are inside of their parents, and long chains share a label.
 * Shows one of many equal changes and counts the others, even deletes, because the list of dangers names those. Pure.
 *
 * Example: sites/hub           updated     ~ sites/hub
 *          sites/hub/…/api     moved           sections
 *          sites/hub/…/guides  deleted           - guides
 *                                                ↕ api
 */

import type { ObjectChange } from '../../review/object-changes.ts';
import { countOf } from '../../util/count.ts';
import { grouped } from '../../util/group.ts';
import { templateAt } from '../../util/places.ts';
import { rememberedIn } from '../../util/remembered.ts';
import { togetherFrom } from './dangers.ts';

/** Folded entries are equal but for what follows from their keys, or equal only in action and noun. */
export type Likeness = 'value' | 'action';

const inWord = /[\p{L}\p{N}]/u;

export interface ChangeEntry {
  /** Rest of the address, after the part shown in the entries around it. */
  readonly label: string;
  /** Absent if the entry only contains others. */
  readonly change?: ObjectChange;
  readonly children: readonly ChangeEntry[];
  /** Further entries of the same size and likeness, which are only counted. */
  readonly alike: readonly ChangeEntry[];
  readonly likeness?: Likeness;
}

interface Branch {
  readonly changes: ObjectChange[];
  readonly children: Map<string, Branch>;
}

/** Siblings are in the order of the changes. */
export function changeTree(changes: readonly ObjectChange[]): readonly ChangeEntry[] {
  const root: Branch = { changes: [], children: new Map() };
  for (const change of changes) branchOf(root, change.address).changes.push(change);
  return entriesOf(root);
}

export function foldAlike(entries: readonly ChangeEntry[], likeness: Likeness): readonly ChangeEntry[] {
  const signatures = new Map(entries.map((entry) => [entry, signatureOf(entry, likeness)]));
  const together = grouped(entries, (entry) => signatures.get(entry) ?? '');
  const folded: ChangeEntry[] = [];
  for (const entry of entries) {
    const alike = together.get(signatures.get(entry) ?? '') ?? [];
    const isFolded = alike.length >= (likeness === 'value' ? togetherFrom : 2);
    if (isFolded && alike[0] !== entry) continue;
    const children = foldAlike(entry.children, likeness);
    folded.push({ ...entry, children, alike: isFolded ? alike.slice(1) : [], likeness });
  }
  return oddFirst(folded);
}

/** Updates stand first that differ from many equal ones. */
function oddFirst(entries: readonly ChangeEntry[]): readonly ChangeEntry[] {
  const updated = ({ change }: ChangeEntry) => (change?.action === 'update' ? change.noun : '');
  const folded = new Set(entries.filter(({ alike }) => alike.length > 0).map(updated));
  const isOdd = (one: ChangeEntry) =>
    one.alike.length === 0 && updated(one) !== '' && folded.has(updated(one));
  return [...entries.filter(isOdd), ...entries.filter((one) => !isOdd(one))];
}

/** Example: `46 more sections of template api alike`. */
export function alikeText([first, ...others]: readonly (ObjectChange | undefined)[]): string {
  if (first === undefined) return `${others.length} more alike`;
  const name = templateAt(first.at);
  const isOfOne = name !== undefined && others.every((one) => templateAt(one?.at) === name);
  return `${countOf(others.length, `more ${first.noun}`)}${isOfOne ? ` of template ${name}` : ''} alike`;
}

/** A plan with more changes may be folded. */
export const longPlan = 20;

/** Number of changes of an entry, its children and the entries alike. */
export function countIn({ change, children, alike }: ChangeEntry): number {
  return [...children, ...alike].reduce((sum, one) => sum + countIn(one), change === undefined ? 0 : 1);
}

function branchOf(root: Branch, address: string): Branch {
  let branch = root;
  for (const segment of address.split('/'))
    branch = rememberedIn(branch.children, segment, () => ({ changes: [], children: new Map() }));
  return branch;
}

function entriesOf({ children }: Branch): readonly ChangeEntry[] {
  return [...children].flatMap(([segment, child]) => entriesAt(segment, child));
}

/** An address may have two changes: a delete, and the object that takes the address. Children belong to the last one. */
function entriesAt(segment: string, branch: Branch): readonly ChangeEntry[] {
  const { changes } = branch;
  const children = entriesOf(branch);
  const [only] = children;
  // A single child is merged into its parent's label.
  if (changes.length === 0 && children.length === 1 && only !== undefined)
    return [{ ...only, label: `${segment}/${only.label}` }];
  if (changes.length === 0) return [{ label: segment, children, alike: [] }];
  return changes.map((change, at) => ({
    label: segment,
    change,
    children: at === changes.length - 1 ? children : [],
    alike: [],
  }));
}

/** Equal for similar entries. */
function signatureOf(entry: ChangeEntry, likeness: Likeness, keys = entry.label.split('/')): string {
  const { change, children } = entry;
  const signatures = children.map((child) => {
    const label = likeness === 'value' ? withoutKeys(child.label, keys) : '';
    return label + signatureOf(child, likeness, keys);
  });
  const own = change === undefined ? '' : ownSignature(change, likeness, keys);
  const inside = likeness === 'value' ? signatures : [...new Set(signatures)].sort();
  return `${own}(${inside.join(' ')})`;
}

function ownSignature(change: ObjectChange, likeness: Likeness, keys: readonly string[]): string {
  const { action, noun, cause, fields, risks, cascade, place } = change;
  const isConflict = cause === 'conflict' || fields.some((field) => field.cause === 'conflict');
  if (likeness === 'action') return JSON.stringify([action, noun, isConflict]);
  const values = fields.map((field) => [field.field, field.cause, field.before, field.after]);
  // Neighbours differ in each place.
  const into = place?.replace(/,? ?(?:before|after) .*/, '');
  return withoutKeys(JSON.stringify([action, noun, isConflict, values, risks, cascade.length, into]), keys);
}

/** Values that follow from the keys, such as titles of a template, become equal. */
function withoutKeys(text: string, keys: readonly string[]): string {
  const words = keys.flatMap((key) => [key, key.charAt(0).toUpperCase() + key.slice(1)]);
  return words.reduce((rest, word, at) => {
    if (word === '') return rest;
    return rest.split(word).reduce((before, after) => {
      const isWhole = !inWord.test(before.at(-1) ?? '') && !inWord.test(after.at(0) ?? '');
      return before + (isWhole ? `\0${at}` : word) + after;
    });
  }, text);
}
