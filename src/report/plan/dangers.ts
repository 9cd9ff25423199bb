import { isLosing, type ObjectChange } from '../../review/object-changes.ts';
import { countEach, countOf } from '../../util/count.ts';
import { grouped } from '../../util/group.ts';
import { shorten } from '../text/safe-text.ts';
import { inline } from './values.ts';

export interface Danger {
  readonly action: ObjectChange['action'];
  /** An address, or a number of objects of a kind. */
  readonly what: string;
  readonly texts: readonly string[];
  readonly type: 'lost' | 'risk' | 'conflict';
  readonly isGrave: boolean;
}

/** Grave risks, deletes and replacements one by one, then all other risks and conflicts. */
export function dangersOf(changes: readonly ObjectChange[]): readonly Danger[] {
  const shared = sharedRisks(changes);
  const own = changes.flatMap((change): readonly Danger[] => {
    const { action, address: what, isGrave: hasGrave = false } = change;
    const risks = ownRisks(change, shared);
    const texts = [...risks, ...conflictTexts(change)];
    const isGrave = hasGrave && risks.length > 0;
    if (isLosing(change)) {
      const lost = [...namedTexts(change), ...cascadeTexts(change), ...texts];
      return [{ action, what, texts: lost, type: 'lost', isGrave }];
    }
    const type = risks.length > 0 ? 'risk' : 'conflict';
    return texts.length === 0 ? [] : [{ action, what, texts, type, isGrave }];
  });
  const together = [...shared.values()].map(
    ({ noun, text, count, action, isGrave }): Danger => ({
      action,
      what: countOf(count, noun),
      texts: [text],
      type: 'risk',
      isGrave,
    }),
  );
  const all = [
    ...own.filter(({ type }) => type === 'lost'),
    ...own.filter(({ type }) => type !== 'lost'),
    ...together,
  ];
  return [...all.filter(({ isGrave }) => isGrave), ...all.filter(({ isGrave }) => !isGrave)];
}

/** Of each value of a conflict; the change below has them whole. */
const longestValue = 40;

/** For example `conflict in visibility: applied public, live unlisted, wanted share-link`. */
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

/** For an object whose address has only an id. */
function namedTexts({ noun, title }: ObjectChange): readonly string[] {
  return title === undefined ? [] : [`${noun} ${JSON.stringify(title)}`];
}

export interface SharedRisk {
  readonly noun: string;
  readonly text: string;
  readonly action: ObjectChange['action'];
  isGrave: boolean;
  count: number;
}

/** By kind and text; never risks of a delete or a replacement. */
export function sharedRisks(changes: readonly ObjectChange[]): ReadonlyMap<string, SharedRisk> {
  const all = new Map<string, SharedRisk>();
  for (const { action, noun, risks, isGrave = false } of changes) {
    if (isLosing({ action })) continue;
    for (const text of risks) {
      const known = all.get(keyOf(noun, text));
      if (known === undefined) all.set(keyOf(noun, text), { noun, text, action, isGrave, count: 1 });
      else {
        known.count += 1;
        known.isGrave ||= isGrave;
      }
    }
  }
  return new Map([...all].filter(([, { count }]) => count >= togetherFrom));
}

/** Risks that are shown with the object. */
export function ownRisks(
  { action, noun, risks }: ObjectChange,
  shared: ReadonlyMap<string, unknown>,
): readonly string[] {
  if (isLosing({ action })) return risks;
  return risks.filter((text) => !shared.has(keyOf(noun, text)));
}

/** For example `also deletes 3 spaces, 1 share link`. */
export function cascadeTexts({ cascade }: Pick<ObjectChange, 'cascade'>): readonly string[] {
  if (cascade.length === 0) return [];
  return [`also deletes ${countEach(cascade.map(({ noun }) => noun))}`];
}

/** For example `12 teams (10 create, 2 update), 3 sections (3 move)`. */
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

/** Fewer equal items are shown one by one. */
export const togetherFrom = 4;

/** In the order of their first item; groups that are too small are split. */
export function foldEqual<T>(items: Iterable<T>, keyOf: (item: T) => string): readonly (readonly T[])[] {
  return [...grouped(items, keyOf).values()].flatMap((group) =>
    group.length < togetherFrom ? group.map((one) => [one]) : [group],
  );
}
