/** Gained and lost access, as sentences and person by person. Pure. */
import type { FieldChange } from '../../plan/plan.ts';
import type { ObjectChange } from '../../review/object-changes.ts';
import type { Access } from '../../review/reviewed-plan.ts';
import { keyOf } from '../../tree/addressing.ts';
import { rootAddress } from '../../tree/desired.ts';
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

/** The summary leaves out what a risk of `objects` tells. */
export function viewAccess(
  { changes, lost = [], audiences = [] }: Access,
  objects: readonly ObjectChange[],
): ReviewPart | undefined {
  const roles = objects.flatMap(({ address, fields, riskFields }) =>
    fields
      .filter(({ reads }) => reads === 'role')
      .map((field) => ({ address, field, isTold: Object.values(riskFields).includes(field.field) })),
  );
  const joining = roles.find(({ address }) => address === rootAddress);
  const newcomers = joining === undefined ? [] : [newcomersOf(joining.field)];
  const told = new Set(roles.flatMap(({ address, isTold }) => (isTold ? [keyOf(address)] : [])));
  const risky = new Set(objects.filter(({ risks }) => risks.length > 0).map(({ address }) => address));
  const untold = changes.map((one) =>
    isWhole(one.on) ? { ...one, people: one.people.filter((name) => !told.has(name)) } : one,
  );
  const gains = untold.filter(isGain);
  // People who leave are counted once, by name.
  const losses = untold.filter((one) => !isGain(one) && !one.people.every((name) => lost.includes(name)));
  const sides = grouped(
    audiences
      .filter(({ opens, address }) => !opens || !risky.has(address))
      .toSorted((left, right) => Number(right.opens) - Number(left.opens) || compareTexts(left.to, right.to)),
    ({ opens, to }) => `${opens} ${to}`,
  );
  const clauses = [
    sentences(gains, ({ before, after, on }) =>
      before === 'none' && isWhole(on)
        ? { many: `join as ${after}`, one: `joins as ${after}`, in: 'as' }
        : { many: `gain ${after}`, one: `gains ${after}`, in: 'on' },
    ),
    sentences(losses, ({ after }) =>
      after === 'none'
        ? { many: 'lose access', one: 'loses access', in: 'to' }
        : { many: 'can do less', one: 'can do less', may: 'be able to do less', in: 'on' },
    ),
  ];
  const [gained = [], lessened = []] = clauses.map(joined);
  const summary = [
    ...(joining?.isTold === true ? [] : newcomers.map(({ change }) => `people who join: ${change}`)),
    ...gained,
    ...(lost.length === 0 ? [] : [lastAccess(lost)]),
    ...lessened,
    ...[...sides.values()].map(audienceText),
  ];
  if (summary.length === 0) return undefined;
  const rows = [...newcomers, ...changes.map(rowOf)];
  const isSummed =
    gains.length + losses.length === changes.length && clauses.flat().every(({ isNamed }) => isNamed);
  const details = [{ title: 'who gains and who loses', rows, atOnce: 0, isSummed }];
  return { title: 'Access', summary, ...(rows.length === 0 ? {} : { details }) };
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

interface Clause {
  readonly people: readonly string[];
  readonly who: string;
  readonly where: string;
  /** False if it counts people or objects. */
  readonly isNamed: boolean;
}

/** A clause for each verb and kind of object; people who may only gain or lose have clauses of their own. */
function sentences(
  changes: readonly AccessChange[],
  verbOf: (change: AccessChange) => Verb,
): readonly Clause[] {
  const known = new Set(changes.flatMap(({ people, certain }) => (certain === true ? people : [])));
  const groups = grouped(
    changes.filter(({ people }) => people.length > 0),
    (one) => {
      const isCertain = one.people.some((name) => known.has(name));
      return `${verbOf(one).many} ${one.on[0]?.kind ?? ''} ${isCertain}`;
    },
  );
  return [...groups.values()].map((own) => {
    const certain = own.filter((one) => one.certain === true);
    const shown = certain.length === 0 ? own : certain;
    const [first] = own;
    const verb = verbOf(first);
    const people = [...new Set(shown.flatMap((one) => one.people))];
    const objects = [...new Set(shown.flatMap(({ on }) => on.map(nameOf)))];
    const isOne = people.length === 1;
    const isMore = certain.length > 0 && certain.length < own.length;
    const least = isMore ? 'at least ' : '';
    const areNamed = objects.length <= namesAtMost && !isMore;
    const counted = `${isOne ? least : ''}${countOf(objects.length, first.on[0]?.kind ?? '')}`;
    const who = isOne ? people.join('') : `${least}${people.length} people`;
    const does = isOne ? verb.one : verb.many;
    return {
      people,
      who: `${who} ${certain.length > 0 ? does : `may ${verb.may ?? verb.many}`}`,
      where: placeText(verb, first.on, areNamed ? objects.join(', ') : counted),
      isNamed: isWhole(first.on) || (areNamed && isOne),
    };
  });
}

/** Example: `bob@acme.dev gains edit in the organization and on 3 spaces`. */
function joined(clauses: readonly Clause[]): readonly string[] {
  const alike = grouped(clauses, ({ people, who }) => JSON.stringify([who, people]));
  const places = new Intl.ListFormat('en-GB');
  return [...alike.values()].map((own) =>
    `${own[0].who} ${places.format(own.map(({ where }) => where))}`.trimEnd(),
  );
}

function placeText({ in: preposition }: Verb, on: AccessChange['on'], objects: string): string {
  if (preposition === 'as') return '';
  return isWhole(on) ? `in ${on.map(nameOf).join('')}` : `${preposition} ${objects}`;
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
