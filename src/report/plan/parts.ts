/** The consequences of a plan for access, visitors and rules: each as a summary, with details below. Formats only decide how these look. Pure. */
import type { FieldChange, OrganizationPlan, RuleFinding } from '../../plan/plan.ts';
import type { changedGroups, ObjectChange } from '../../review/object-changes.ts';
import type { Access, LinkedObject, Review, WebAddress } from '../../review/reviewed-plan.ts';
import { keyOf } from '../../tree/addressing.ts';
import { rootAddress } from '../../tree/desired.ts';
import { countOf, someOf } from '../../util/count.ts';
import { grouped, type NonEmpty } from '../../util/group.ts';
import { compareTexts } from '../../util/lists.ts';
import { inline } from './values.ts';

export interface ReviewPart {
  readonly title: 'Access' | 'Addresses of visitors' | 'Rules' | 'Ends';
  /** Clauses for one line, for example `2 people gain edit on 3 spaces`. Never empty. */
  readonly summary: readonly string[];
  /** Shown with the summary. */
  readonly lines?: readonly string[];
  readonly details?: readonly PartDetail[];
}

/** Rows, or lines of a manifest. */
export interface PartDetail {
  readonly title: string;
  readonly rows?: readonly DetailRow[];
  readonly lines?: readonly string[];
  /** Number of rows or lines that a short report shows. */
  readonly atOnce: number;
  /** True if the summary says all of it. */
  readonly isSummed?: boolean;
}

/** A change of `names`: people, or a URL. */
interface DetailRow {
  readonly names: readonly string[];
  /** Example: `read → edit`; for a URL the new one, or `lost`. */
  readonly change: string;
  /** Addresses, or titles of objects without one; absent for a URL. */
  readonly on?: readonly string[];
}

/** Sorted from least to most; `none` and a guest have no rights of their own. */
const levels = ['none', 'guest', 'read', 'comment', 'edit', 'review', 'create', 'admin'];

type AccessChange = Access['changes'][number];

const isGain = ({ before, after }: AccessChange) => levels.indexOf(after) > levels.indexOf(before);
const isWhole = (on: AccessChange['on']) => on.every(({ whole }) => whole === true);

/** The summary leaves out what a risk of `objects` says. `groups`: whose access is read only where manifests declare it. */
export function viewAccess(
  { changes, lost = [], audiences = [] }: Access,
  objects: readonly ObjectChange[],
  groups: ReturnType<typeof changedGroups> = [],
): ReviewPart | undefined {
  const roles = objects.flatMap(({ address, fields, riskFields }) =>
    fields
      .filter(({ reads }) => reads === 'role')
      .map((field) => ({ address, field, isReported: Object.values(riskFields).includes(field.field) })),
  );
  const joining = roles.find(({ address }) => address === rootAddress);
  const newcomers = joining === undefined ? [] : [newcomersOf(joining.field)];
  const reported = new Set(roles.flatMap(({ address, isReported }) => (isReported ? [keyOf(address)] : [])));
  const risky = new Set(
    objects.flatMap(({ address, riskFields }) => (Object.keys(riskFields).length > 0 ? [address] : [])),
  );
  const others = changes.map((one) =>
    isWhole(one.on) ? { ...one, people: one.people.filter((name) => !reported.has(name)) } : one,
  );
  const gains = others.filter(isGain);
  // People who leave lose everything.
  const unread = groups.flatMap(({ address, people }) =>
    people.every((name) => lost.includes(name)) ? [] : [address],
  );
  // People who leave are counted once, by name.
  const losses = others.filter((one) => !isGain(one) && !one.people.every((name) => lost.includes(name)));
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
    ...[...sides.values()].map(audienceText),
    ...(joining?.isReported === true ? [] : newcomers.map(({ change }) => `people who join: ${change}`)),
    ...gained,
    ...(lost.length === 0 ? [] : [lastAccess(lost)]),
    ...lessened,
    ...(unread.length === 0
      ? []
      : [`through ${someOf(unread, shownAddresses)}, only declared access was read`]),
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

type Clause = ReturnType<typeof sentences>[number];

/** A clause for each verb and kind of object; people who may only gain or lose have clauses of their own. */
function sentences(changes: readonly AccessChange[], verbOf: (change: AccessChange) => Verb) {
  const known = new Set(changes.flatMap(({ people, certain }) => (certain === true ? people : [])));
  const groups = grouped(
    changes
      .filter(({ people }) => people.length > 0)
      .toSorted((left, right) => Number(right.certain ?? false) - Number(left.certain ?? false)),
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
    const areNamed = objects.length <= shownAddresses && !isMore;
    const counted = `${isOne ? least : ''}${countOf(objects.length, first.on[0]?.kind ?? '')}`;
    const where = isWhole(first.on) ? 'in' : verb.in;
    const who = isOne ? people.join('') : `${least}${people.length} people`;
    const does = isOne ? verb.one : verb.many;
    return {
      people,
      who: `${who} ${certain.length > 0 ? does : `may ${verb.may ?? verb.many}`}`,
      where: verb.in === 'as' ? '' : `${where} ${areNamed ? objects.join(', ') : counted}`,
      /** False if it counts people or objects. */
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

function audienceText(some: NonNullable<Access['audiences']>): string {
  const [{ kind, opens, to } = { kind: '', opens: true, to: '' }] = some;
  const names = some.map(({ address }) => address).join(', ');
  const what = some.length <= shownAddresses ? names : countOf(some.length, kind);
  if (opens) return `${what} ${some.length === 1 ? 'opens' : 'open'} to ${to}`;
  return `! visitors lose ${what}: no longer open to ${to}`;
}

function lastAccess(lost: readonly string[]): string {
  const named = someOf(lost, shownAddresses);
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

export function viewAddresses(review: Review): ReviewPart | undefined {
  const { addresses = [], redirects = [], links = [] } = review;
  const missing = redirects.reduce((sum, { lines }) => sum + lines.length, 0);
  if (addresses.length + missing + links.length === 0) return undefined;
  const count = (isMeant: (one: WebAddress) => boolean) =>
    addresses.filter(isMeant).reduce((sum, { below = 0 }) => sum + 1 + below, 0);
  const counts = [
    [count(({ to, takenBy }) => to !== undefined && takenBy === undefined), 'changes', 'change'],
    [count(({ to, takenBy }) => to === undefined && takenBy === undefined), 'is lost', 'are lost'],
    [count(({ takenBy }) => takenBy !== undefined), 'leads elsewhere', 'lead elsewhere'],
  ] as const;
  const changes = counts.flatMap(([number, one, many]) =>
    number === 0 ? [] : [`${number} ${number === 1 ? one : many}`],
  );
  const least = links.some(({ unread }) => unread > 0) ? 'at least ' : '';
  const linked = linksIn(links) === 0 ? 'links not known in' : least + linkText(linksIn(links));
  const details: readonly PartDetail[] = [
    { title: 'before and after', rows: addresses.map(addressRow), atOnce: 5 },
    { title: 'links in other spaces:', lines: links.map(linkLine), atOnce: 10 },
    ...redirects.map(({ in: site, key, lines }) => ({
      title: `to keep former links working, add to ${key} of ${site}:`,
      lines,
      atOnce: 10,
    })),
  ];
  return {
    title: 'Addresses of visitors',
    summary: [
      ...changes,
      ...(missing === 0 ? [] : [`${countOf(missing, 'line')} to add`]),
      ...(links.length === 0 ? [] : [`${linked} other spaces`]),
    ],
    details: details.filter(({ rows = [], lines = [] }) => rows.length + lines.length > 0),
  };
}

/** Access that ends soon, or has ended and is still live. */
export function viewEndings({ expiring = [] }: Partial<Review> = {}): ReviewPart | undefined {
  const counts = [
    ['over', 'ended and still live'],
    ['soon', 'soon'],
  ] as const;
  const summary = counts.flatMap(([is, what]) => {
    const count = expiring.filter(({ ends }) => ends === is).length;
    return count === 0 ? [] : [`${count} ${what}`];
  });
  if (summary.length === 0) return undefined;
  const own = expiring.filter(({ ends }) => ends !== undefined);
  const details = [
    {
      title: 'to keep access, write a later day',
      lines: own.map(({ address, text }) => `${address}: ${text}`),
      atOnce: 20,
    },
  ];
  return { title: 'Ends', summary, details };
}

function linksIn(some: readonly LinkedObject[]): number {
  return some.flatMap(({ from }) => from).reduce((sum, { links }) => sum + links, 0);
}

function linkText(count: number): string {
  return `${count} ${count === 1 ? 'link in' : 'links in'}`;
}

/** Example: `spaces/api: 12 links in spaces/guides and 3 in spaces/faq point here`. Whether they work afterwards depends on the service. */
function linkLine(one: LinkedObject): string {
  const { from, to, unread } = one;
  const unseen = `the links of ${countOf(unread, 'other space')} were not read`;
  if (from.length === 0) return `${nameOf(one)}: not known which links lead to it, since ${unseen}`;
  const all = from.map(
    (space, at) => `${at > 0 ? `${space.links} in` : linkText(space.links)} ${nameOf(space)}`,
  );
  const others = all.splice(shownAddresses).length;
  if (others > 0) all.push(`more in ${countOf(others, 'other space')}`);
  const where = to === undefined ? 'here' : `to ${someOf(to.map(nameOf), shownAddresses)}, which it shows`;
  const point = linksIn([one]) === 1 ? 'points' : 'point';
  const line = `${new Intl.ListFormat('en-GB').format(all)} ${point} ${where}`;
  return `${nameOf(one)}: ${unread > 0 ? `at least ${line}; ${unseen}` : line}`;
}

function nameOf({ kind, title, address, whole }: Access['changes'][number]['on'][number]): string {
  return whole === true ? `the ${kind}` : (address ?? `${kind} "${title}"`);
}

function addressRow({ from, to, takenBy, below }: WebAddress): DetailRow {
  const parts = [
    to ?? 'lost',
    ...(takenBy === undefined ? [] : [`the former address is then that of ${takenBy}`]),
    ...(below === undefined ? [] : [`with ${below} below`]),
  ];
  return { names: [from], change: parts.join(', ') };
}

/** Maximum of names in a sentence; the others are counted. */
const shownNames = 10;
/** Maximum of people, and of addresses, in a line; the others are counted. */
const shownAddresses = 3;

/** Objections of rules, and warnings that refuse no change. */
export function viewRules({ refusals, findings = [] }: OrganizationPlan): ReviewPart | undefined {
  const names = [
    ['refuses', 'refuse', refusals.flatMap(({ rule }) => rule ?? [])],
    ['warns', 'warn', findings.flatMap(({ lifted, rule }) => (lifted === undefined ? [rule] : []))],
    ['is lifted', 'are lifted', findings.flatMap(({ lifted, rule }) => (lifted === undefined ? [] : [rule]))],
  ] as const;
  const summary = names.flatMap(([one, many, all]) => {
    const different = [...new Set(all)].sort();
    if (different.length === 0) return [];
    const does = different.length === 1 ? one : many;
    return [`${different.length} ${does}: ${someOf(different, shownNames)}`];
  });
  if (summary.length === 0) return undefined;
  const alike = grouped(findings, ({ rule, message, lifted }) => JSON.stringify([rule, message, lifted]));
  return { title: 'Rules', summary, lines: [...alike.values()].map(ruleLine) };
}

/** Example: `small-plans warns: more than 50 objects would change`. */
function ruleLine(alike: NonEmpty<RuleFinding>): string {
  const [first] = alike;
  const { rule, message, lifted } = first;
  const named = someOf(
    alike.map(({ address }) => address),
    shownAddresses,
  );
  const does = lifted === undefined ? 'warns' : `is lifted by ${lifted.by}, ${lifted.why}`;
  return `${rule} ${does}: ${message} (${named})`;
}
