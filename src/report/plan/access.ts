/** Who gains and who loses access, in a sentence and line by line. Pure. */
import type { Access } from '../../review/reviewed-plan.ts';
import { countOf, someOf } from '../../util/count.ts';
import { grouped } from '../../util/group.ts';
import { compareTexts } from '../../util/lists.ts';

export interface AccessView {
  /** For example `2 people gain edit on 3 spaces`; at least one. */
  readonly summary: readonly string[];
  readonly entries: readonly AccessEntry[];
  /** The summary does not name the objects. */
  readonly hasMore: boolean;
}

export interface AccessEntry {
  readonly people: readonly string[];
  /** Addresses; titles where there is none. */
  readonly on: readonly string[];
  /** For example `read → edit`, with a word of doubt if it depends. */
  readonly change: string;
}

/** From the least: `none` and a guest have no rights of their own. */
const order = ['none', 'guest', 'read', 'comment', 'edit', 'review', 'create', 'admin'];

/** Names in the summary; more are counted. */
const namesAtMost = 3;

type AccessChange = Access['changes'][number];

const isGain = ({ before, after }: AccessChange) => order.indexOf(after) > order.indexOf(before);
const isWhole = (on: AccessChange['on']) => on.every(({ whole }) => whole === true);

export function viewAccess(access: Access): AccessView {
  const { changes, lost = [], audiences = [] } = access;
  const gains = changes.filter(isGain);
  // Whoever leaves is counted once, by name.
  const losses = changes.filter((one) => !isGain(one) && !one.people.every((name) => lost.includes(name)));
  const sides = [...grouped(audiences, ({ opens, to }) => `${!opens} ${to}`)].sort(([left], [right]) =>
    compareTexts(left, right),
  );
  const summary = [
    ...sentences(gains, ({ before, after, on }) =>
      before === 'none' && isWhole(on)
        ? { many: `join as ${after}`, one: `joins as ${after}`, in: 'as' }
        : { many: `gain ${after}`, one: `gains ${after}`, in: 'on' },
    ),
    ...(lost.length === 0 ? [] : [lastAccess(lost)]),
    ...sentences(losses, ({ after }) =>
      after === 'none'
        ? { many: 'lose access', one: 'loses access', in: 'to' }
        : { many: 'can do less', one: 'can do less', may: 'be able to do less', in: 'on' },
    ),
    ...sides.map(([, own]) => audienceText(own)),
  ];
  return { summary, entries: changes.map(entryOf), hasMore: !changes.every(({ on }) => isWhole(on)) };
}

interface Verb {
  readonly many: string;
  readonly one: string;
  /** After `may`, if it is not as of many. */
  readonly may?: string;
  readonly in: 'as' | 'on' | 'to';
}

/** One for each verb and kind of object. */
function sentences(
  changes: readonly AccessChange[],
  verbOf: (change: AccessChange) => Verb,
): readonly string[] {
  const groups = grouped(changes, (one) => `${verbOf(one).many} ${one.on[0]?.kind ?? ''}`);
  return [...groups.values()].flatMap((own) => {
    const certain = own.filter((one) => one.certain === true);
    const shown = certain.length === 0 ? own : certain;
    const [first] = shown;
    if (first === undefined) return [];
    const verb = verbOf(first);
    const people = [...new Set(shown.flatMap((one) => one.people))];
    const objects = new Set(shown.flatMap(({ on }) => on.map(({ address, title }) => address ?? title)));
    const [name = ''] = people;
    const who = people.length === 1 ? name : `${people.length} people`;
    const does = people.length === 1 ? verb.one : verb.many;
    const isMore = certain.length > 0 && certain.length < own.length;
    const [object] = first.on;
    const where = isWhole(first.on)
      ? ` in the ${object?.kind ?? ''}`
      : ` ${verb.in} ${isMore && people.length === 1 ? 'at least ' : ''}${countOf(objects.size, object?.kind ?? '')}`;
    return [
      `${isMore && people.length > 1 ? 'at least ' : ''}${who} ${certain.length > 0 ? does : `may ${verb.may ?? verb.many}`}${verb.in === 'as' ? '' : where}`,
    ];
  });
}

function audienceText(some: NonNullable<Access['audiences']>): string {
  const [{ kind, opens, to } = { kind: '', opens: true, to: '' }] = some;
  const [one, many] = opens ? ['opens', 'open'] : ['is no longer open', 'are no longer open'];
  return `${countOf(some.length, kind)} ${some.length === 1 ? one : many} to ${to}`;
}

function lastAccess(lost: readonly string[]): string {
  const named = someOf(lost, namesAtMost);
  return lost.length === 1
    ? `${named} loses the last access`
    : `${lost.length} people lose their last access (${named})`;
}

function entryOf({ people, on, before, after, certain }: AccessChange): AccessEntry {
  const names = on.map(({ kind, address, title, whole }) =>
    whole === true ? `the ${kind}` : (address ?? `${kind} "${title}"`),
  );
  return { people, on: names, change: `${before} → ${after}${certain === true ? '' : ' (depends)'}` };
}
