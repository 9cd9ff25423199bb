/** Gained and lost access, as sentences and person by person. Pure. */
import type { FieldChange } from '../../plan/plan.ts';
import type { Access } from '../../review/reviewed-plan.ts';
import { countOf, someOf } from '../../util/count.ts';
import { grouped } from '../../util/group.ts';
import { compareTexts } from '../../util/lists.ts';
import { type DetailRow, nameOf, type ReviewPart } from './parts.ts';
import { inline } from './values.ts';

/** Sorted from least to most; `none` and a guest have no rights of their own. */
const order = ['none', 'guest', 'read', 'comment', 'edit', 'review', 'create', 'admin'];

/** Maximum of names, and of objects, in the summary; the rest are counted. */
const namesAtMost = 3;

type AccessChange = Access['changes'][number];

const isGain = ({ before, after }: AccessChange) => order.indexOf(after) > order.indexOf(before);
const isWhole = (on: AccessChange['on']) => on.every(({ whole }) => whole === true);

/** `joining`: a change of the role of people who join. */
export function viewAccess(access: Access, joining: FieldChange | undefined): ReviewPart | undefined {
  const { changes, lost = [], audiences = [] } = access;
  const gains = changes.filter(isGain);
  // People who leave are counted once, by name.
  const losses = changes.filter((one) => !isGain(one) && !one.people.every((name) => lost.includes(name)));
  const sides = [...grouped(audiences, ({ opens, to }) => `${!opens} ${to}`)].sort(([left], [right]) =>
    compareTexts(left, right),
  );
  const named = new Set<AccessChange>();
  const newcomers = joining === undefined ? [] : [newcomersOf(joining)];
  const summary = [
    ...newcomers.map(({ change }) => `people who join: ${change}`),
    ...sentences(
      gains,
      ({ before, after, on }) =>
        before === 'none' && isWhole(on)
          ? { many: `join as ${after}`, one: `joins as ${after}`, in: 'as' }
          : { many: `gain ${after}`, one: `gains ${after}`, in: 'on' },
      named,
    ),
    ...(lost.length === 0 ? [] : [lastAccess(lost)]),
    ...sentences(
      losses,
      ({ after }) =>
        after === 'none'
          ? { many: 'lose access', one: 'loses access', in: 'to' }
          : { many: 'can do less', one: 'can do less', may: 'be able to do less', in: 'on' },
      named,
    ),
    ...sides.map(([, own]) => audienceText(own)),
  ];
  if (summary.length === 0) return undefined;
  const rows = [...newcomers, ...changes.map(rowOf)];
  const isSummed = changes.every((one) => isWhole(one.on) || named.has(one));
  const details = [{ title: 'who gains and who loses', rows, atOnce: 0, isSummed }];
  return { title: 'Access', summary, details };
}

function newcomersOf({ before, after, ...reading }: FieldChange): DetailRow {
  const [was, is] = [before, after].map((role) => inline(role ?? null, reading) ?? '');
  return { names: ['people who join'], on: ['the organization'], change: `${was} → ${is}` };
}

interface Verb {
  readonly many: string;
  readonly one: string;
  /** Verb after `may`, if it differs from the plural form. */
  readonly may?: string;
  readonly in: 'as' | 'on' | 'to';
}

/** Makes a sentence for each verb and kind of object. Adds changes that a sentence names completely to `named`. */
function sentences(
  changes: readonly AccessChange[],
  verbOf: (change: AccessChange) => Verb,
  named: Set<AccessChange>,
): readonly string[] {
  const groups = grouped(changes, (one) => `${verbOf(one).many} ${one.on[0]?.kind ?? ''}`);
  return [...groups.values()].flatMap((own) => {
    const certain = own.filter((one) => one.certain === true);
    const shown = certain.length === 0 ? own : certain;
    const [first] = shown;
    if (first === undefined) return [];
    const verb = verbOf(first);
    const people = [...new Set(shown.flatMap((one) => one.people))];
    const objects = [...new Set(shown.flatMap(({ on }) => on.map(nameOf)))];
    const isOne = people.length === 1;
    const isMore = certain.length > 0 && certain.length < own.length;
    const least = isMore ? 'at least ' : '';
    const isNamed = objects.length <= namesAtMost && !isMore;
    if (isNamed && isOne) for (const one of own) named.add(one);
    const counted = `${isOne ? least : ''}${countOf(objects.length, first.on[0]?.kind ?? '')}`;
    const where = placeText(verb, first.on, isNamed ? objects.join(', ') : counted);
    const who = isOne ? people.join('') : `${least}${people.length} people`;
    const does = isOne ? verb.one : verb.many;
    return [`${who} ${certain.length > 0 ? does : mayText(verb)}${where}`];
  });
}

function mayText({ may, many }: Verb): string {
  return `may ${may ?? many}`;
}

function placeText({ in: preposition }: Verb, on: AccessChange['on'], objects: string): string {
  if (preposition === 'as') return '';
  return isWhole(on) ? ` in ${on.map(nameOf).join('')}` : ` ${preposition} ${objects}`;
}

function audienceText(some: NonNullable<Access['audiences']>): string {
  const [{ kind, opens, to } = { kind: '', opens: true, to: '' }] = some;
  const [one, many] = opens ? ['opens', 'open'] : ['is no longer open', 'are no longer open'];
  const names = some.map(({ address }) => address).join(', ');
  const what = some.length <= namesAtMost ? names : countOf(some.length, kind);
  return `${what} ${some.length === 1 ? one : many} to ${to}`;
}

function lastAccess(lost: readonly string[]): string {
  const named = someOf(lost, namesAtMost);
  return lost.length === 1
    ? `${named} loses the last access`
    : `${lost.length} people lose their last access (${named})`;
}

/** With a word of doubt if the result depends on the service. */
function rowOf({ people, on, before, after, certain }: AccessChange): DetailRow {
  return {
    names: people,
    on: on.map(nameOf),
    change: `${before} → ${after}${certain === true ? '' : ' (depends)'}`,
  };
}
