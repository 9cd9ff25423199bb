import { isLosing, type ObjectChange } from '../../review/object-changes.ts';
import type { Review } from '../../review/reviewed-plan.ts';
import { countEach, countOf } from '../../util/count.ts';
import { grouped } from '../../util/group.ts';
import { quote, safeText, shorten } from '../text/safe-text.ts';
import { inline } from './values.ts';

export interface Danger {
  /** Absent if the danger does not belong to a change. */
  readonly action?: ObjectChange['action'];
  /** An address, or a number of objects of a kind. */
  readonly what: string;
  readonly texts: readonly string[];
  /** All objects of a group; empty for a single object, and for risks shared by very many objects. */
  readonly of: readonly { readonly address: string; readonly about: string }[];
  readonly type: 'lost' | 'risk' | 'conflict';
  readonly isSevere: boolean;
}

/** Sorted: severe risks, then deletes and replacements, then other risks and conflicts. */
export function dangersOf(
  changes: readonly ObjectChange[],
  expiring: Review['expiring'] = [],
): readonly Danger[] {
  const shared = sharedRisks(changes);
  const own = changes.flatMap((change): readonly Danger[] => {
    const { action, address: what, isSevere: hasSevere = false } = change;
    if (isLosing(change)) return [];
    const risks = ownRisks(change, shared);
    const texts = [...risks, ...conflictTexts(change)];
    const type = risks.length > 0 ? 'risk' : 'conflict';
    return texts.length === 0
      ? []
      : [{ action, what, texts, of: [], type, isSevere: hasSevere && risks.length > 0 }];
  });
  const together = [...shared.values()].map(
    ({ noun, text, addresses, action, isSevere }): Danger => ({
      action,
      what: countOf(addresses.length, noun),
      texts: [text],
      of: addresses.length > namedAtMost ? [] : addresses.map((address) => ({ address, about: '' })),
      type: 'risk',
      isSevere,
    }),
  );
  const ending = expiring.map(
    ({ address: what, text, severe: isSevere = false }): Danger => ({
      ...{ what, texts: [text], of: [], type: 'risk', isSevere },
    }),
  );
  const all = [
    ...ending,
    ...foldLosses(changes.filter(isLosing), (change) => change).map(lossOf),
    ...own,
    ...together,
  ];
  return [...all.filter(({ isSevere }) => isSevere), ...all.filter(({ isSevere }) => !isSevere)];
}

/** Maximum of objects to name in a shared risk. */
export const namedAtMost = 20;

/** Groups deletes, and replacements, of objects of a kind that lose exactly the same. */
export function foldLosses<T>(
  items: readonly T[],
  changeOf: (item: T) => ObjectChange,
): readonly (readonly T[])[] {
  return foldEqual(items, (item) => {
    const change = changeOf(item);
    return JSON.stringify([change.action, change.noun, lossTexts(change), change.isSevere]);
  });
}

function lossOf(alike: readonly ObjectChange[]): Danger {
  const [first] = alike as [ObjectChange];
  const { action, noun, address, isSevere = false } = first;
  const isOne = alike.length === 1;
  return {
    action,
    what: isOne ? address : countOf(alike.length, noun),
    texts: isOne ? [...namedTexts(first), ...cascadeNames(first), ...lostTexts(first)] : lossTexts(first),
    of: isOne ? [] : alike.map((one) => ({ address: one.address, about: aboutLoss(one) })),
    type: 'lost',
    isSevere,
  };
}

export function lossTexts(change: ObjectChange): readonly string[] {
  return [...cascadeTexts(change).map((text) => `each ${text}`), ...lostTexts(change)];
}

function lostTexts(change: ObjectChange): readonly string[] {
  return [...change.risks, ...conflictTexts(change)];
}

/** Example: ` "Status" (also deletes share link "Press")`. */
export function aboutLoss(change: ObjectChange): string {
  const title = change.title === undefined ? '' : ` ${quote(change.title)}`;
  const cascade = cascadeNames(change).map((text) => ` (${text})`);
  return `${title}${cascade.join('')}`;
}

/** Length limit for each value of a conflict; the change below shows full values. */
const longestValue = 40;

/** Example: `conflict in visibility: applied public, live unlisted, wanted share-link`. */
export function conflictTexts({ fields }: Pick<ObjectChange, 'fields'>): readonly string[] {
  return fields
    .filter(({ cause }) => cause === 'conflict')
    .map(({ field, base, before, after, ...reading }) => {
      const values = [base, before, after].map((value) => inline(value, reading));
      if (values.includes(undefined)) return `conflict in ${field}: changed in the manifests and in the app`;
      const [applied, live, wanted] = values.map((value = '') => shorten(value, longestValue));
      return `conflict in ${field}: applied ${applied}, live ${live}, wanted ${wanted}`;
    });
}

/** Names an object whose address only has an id. */
function namedTexts({ noun, title }: ObjectChange): readonly string[] {
  return title === undefined ? [] : [`${noun} ${JSON.stringify(title)}`];
}

export interface SharedRisk {
  readonly noun: string;
  readonly text: string;
  readonly action: ObjectChange['action'];
  isSevere: boolean;
  readonly addresses: string[];
}

/** Risks by kind and text; excludes risks of a delete or a replacement. */
export function sharedRisks(changes: readonly ObjectChange[]): ReadonlyMap<string, SharedRisk> {
  const all = new Map<string, SharedRisk>();
  for (const { action, address, noun, risks, isSevere = false } of changes) {
    if (isLosing({ action })) continue;
    for (const text of risks) {
      const known = all.get(keyOf(noun, text));
      if (known === undefined)
        all.set(keyOf(noun, text), { noun, text, action, isSevere, addresses: [address] });
      else {
        known.addresses.push(address);
        known.isSevere ||= isSevere;
      }
    }
  }
  return new Map([...all].filter(([, { addresses }]) => addresses.length >= togetherFrom));
}

export function ownRisks(
  { action, noun, risks }: ObjectChange,
  shared: ReadonlyMap<string, unknown>,
): readonly string[] {
  if (isLosing({ action })) return risks;
  return risks.filter((text) => !shared.has(keyOf(noun, text)));
}

/** Example: `also deletes 3 spaces, 1 share link`. */
export function cascadeTexts({ cascade }: Pick<ObjectChange, 'cascade'>): readonly string[] {
  if (cascade.length === 0) return [];
  return [`also deletes ${countEach(cascade.map(({ noun }) => noun))}`];
}

/** Longer lists of cascaded deletes are cut, with the number of the others. */
const namedCascade = 3;

/** Example: `also deletes space "Docs"`: a few by name; many are counted. */
export function cascadeNames({ cascade }: Pick<ObjectChange, 'cascade'>): readonly string[] {
  if (cascade.length === 0 || cascade.length > namedCascade) return cascadeTexts({ cascade });
  return [`also deletes ${cascade.map(({ noun, title }) => `${safeText(noun)} ${quote(title)}`).join(', ')}`];
}

/** Example: `12 teams (10 create, 2 update), 3 sections (3 move)`. */
export function countsByKind(changes: readonly ObjectChange[]): string {
  const nouns = [...new Set(changes.map(({ noun }) => noun))];
  return nouns
    .map((noun) => {
      const members = changes.filter((change) => change.noun === noun);
      const actions = [...new Set(members.map(({ action }) => action))].map(
        (action) => `${members.filter((change) => change.action === action).length} ${action}`,
      );
      const count = new Set(members.map(({ address }) => address)).size;
      return `${countOf(count, noun)} (${actions.join(', ')})`;
    })
    .join(', ');
}

function keyOf(noun: string, text: string): string {
  return `${noun}\n${text}`;
}

/** Smaller groups of equal items are shown one by one. */
export const togetherFrom = 4;

/** Sorted by their first item; splits small groups. */
export function foldEqual<T>(items: Iterable<T>, keyOf: (item: T) => string): readonly (readonly T[])[] {
  return [...grouped(items, keyOf).values()].flatMap((group) =>
    group.length < togetherFrom ? group.map((one) => [one]) : [group],
  );
}
