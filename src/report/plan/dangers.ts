import { isLosing, type ObjectChange } from '../../review/object-changes.ts';
import type { Review } from '../../review/reviewed-plan.ts';
import { countEach, countOf } from '../../util/count.ts';
import { grouped, type NonEmpty, push } from '../../util/group.ts';
import { quote, safeText, shorten } from '../text/safe-text.ts';
import { inline } from './values.ts';

export type Danger = ReturnType<typeof dangerOf>;

/** Sorted: severe risks, then deletes and replacements, then other risks and conflicts. */
export function dangersOf(
  changes: readonly ObjectChange[],
  expiring: Review['expiring'] = [],
): readonly Danger[] {
  const risky = changes.filter((change) => !isLosing(change));
  const keyOf = ({ noun }: ObjectChange, text: string) => `${noun}\n${text}`;
  const alike = new Map<string, ObjectChange[]>();
  for (const change of risky) for (const text of change.risks) push(alike, keyOf(change, text), change);
  const shared = new Map([...alike].filter(([, { length }]) => length >= togetherFrom));
  const own = risky.flatMap((change): readonly Danger[] => {
    const risks = change.risks.filter((text) => !shared.has(keyOf(change, text)));
    const texts = [...risks, ...conflictTexts(change)];
    return texts.length === 0 ? [] : [dangerOf(risks.length > 0 ? 'risk' : 'conflict', [change], texts)];
  });
  const together = [...shared].map(([key, members]) =>
    dangerOf('risk', members, [key.slice(key.indexOf('\n') + 1)]),
  );
  const ending = expiring.map(
    ({ address, text, severe = false }): Danger => ({
      ...dangerOf('risk', [], [text]),
      ...{ what: address, isSevere: severe },
    }),
  );
  const all = [...ending, ...lossesOf(changes), ...own, ...together];
  return [...all.filter(({ isSevere }) => isSevere), ...all.filter(({ isSevere }) => !isSevere)];
}

/** `about`: the loss of each object, all of which are then named. */
function dangerOf(
  type: 'delete' | 'replace' | 'risk' | 'conflict',
  changes: readonly ObjectChange[],
  texts: readonly string[],
  about?: (change: ObjectChange) => string,
) {
  const [first] = changes;
  const isNamed = changes.length > 1 && (about !== undefined || changes.length <= namedAtMost);
  return {
    ...{ type, texts, changes },
    /** Undefined if the danger does not belong to a change. */
    action: first?.action,
    /** An address, or a number of objects of a kind. */
    what: changes.length > 1 ? countOf(changes.length, first?.noun ?? '') : (first?.address ?? ''),
    /** All objects of a group; empty for a single object, and for risks shared by very many objects. */
    of: isNamed ? changes.map((one) => ({ address: one.address, about: about?.(one) ?? '' })) : [],
    isSevere: changes.some(({ isSevere }) => isSevere === true),
  };
}

/** Maximum of objects to name in a danger of several. */
export const namedAtMost = 20;

/** Deletes, and replacements, with those of a kind together that lose exactly the same. */
function lossesOf(changes: readonly ObjectChange[]): readonly Danger[] {
  const groups = foldEqual(changes.filter(isLosing), (change) =>
    JSON.stringify([change.action, change.noun, lossTexts(change), change.isSevere]),
  );
  return groups.map((alike): Danger => {
    const [first] = alike;
    const { action, noun, title } = first;
    const type = action === 'replace' ? 'replace' : 'delete';
    if (alike.length > 1) return dangerOf(type, alike, lossTexts(first), aboutLoss);
    // The address of an object may only have an id.
    const named = title === undefined ? [] : [`${noun} ${JSON.stringify(title)}`];
    const texts = [...named, ...cascadeNames(first), ...first.risks, ...conflictTexts(first)];
    return dangerOf(type, alike, texts);
  });
}

function lossTexts(change: ObjectChange): readonly string[] {
  const cascade = cascadeTexts(change).map((text) => `each ${text}`);
  return [...cascade, ...change.risks, ...conflictTexts(change)];
}

/** Example: ` "Status" (also deletes share link "Press")`. */
function aboutLoss(change: ObjectChange): string {
  const title = change.title === undefined ? '' : ` ${quote(change.title)}`;
  const cascade = cascadeNames(change).map((text) => ` (${text})`);
  return `${title}${cascade.join('')}`;
}

/** Length limit for each value of a conflict; the change below shows full values. */
const longestValue = 48;

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
  const kinds = [...grouped(changes, ({ noun }) => noun)].map(([noun, members]) => {
    const actions = [...grouped(members, ({ action }) => action)].map(
      ([action, { length }]) => `${length} ${action}`,
    );
    const count = new Set(members.map(({ address }) => address)).size;
    return `${countOf(count, noun)} (${actions.join(', ')})`;
  });
  return kinds.join(', ');
}

/** Smaller groups of equal items are shown one by one. */
export const togetherFrom = 4;

/** Sorted by their first item; splits small groups. */
export function foldEqual<T>(items: Iterable<T>, keyOf: (item: T) => string): readonly NonEmpty<T>[] {
  return [...grouped(items, keyOf).values()].flatMap((group): readonly NonEmpty<T>[] =>
    group.length < togetherFrom ? group.map((one): NonEmpty<T> => [one]) : [group],
  );
}
