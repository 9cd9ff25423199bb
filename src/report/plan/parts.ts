/** The consequences of a plan for access, visitors and rules: each as a summary, with details below. Formats only decide how these look. Pure. */
import type { OrganizationPlan, RuleFinding } from '../../plan/plan.ts';
import type { Access, LinkedObject, Review, WebAddress } from '../../review/reviewed-plan.ts';
import { countOf, someOf } from '../../util/count.ts';
import { grouped, type NonEmpty } from '../../util/group.ts';

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
export interface DetailRow {
  readonly names: readonly string[];
  /** Example: `read → edit`; for a URL the new one, or `lost`. */
  readonly change: string;
  /** Addresses, or titles of objects without one; absent for a URL. */
  readonly on?: readonly string[];
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

export function nameOf({ kind, title, address, whole }: Access['changes'][number]['on'][number]): string {
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
/** Maximum of addresses in a line; the others are counted. */
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
