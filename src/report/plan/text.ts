/**
 * A plan as text for terminals: dangers, changes as a tree of addresses, refusals and omitted parts. A long plan is folded until
 * it fits a few screens; the dangers name every delete. Pure.
 */

import { isLosing, type ObjectChange } from '../../review/object-changes.ts';
import { shortDigest } from '../../review/plan-document.ts';
import { type ReviewedPlan, unmanagedByDanger } from '../../review/reviewed-plan.ts';
import { countOf } from '../../util/count.ts';
import { grouped } from '../../util/group.ts';
import { greatest } from '../../util/lists.ts';
import { type Block, faint, heading, line, note, strong, table, textLines } from '../blocks.ts';
import { type Annotation, githubLog } from '../text/github.ts';
import { displayWidth, padEnd, quote, safeText, wrap } from '../text/safe-text.ts';
import type { LongView, TextOptions } from '../view.ts';
import { actionSigns, actionsIn, changeBlocks, inBrief, type LineOptions } from './change-lines.ts';
import { alikeText, type ChangeEntry, countIn, foldAlike, type Likeness, longPlan } from './change-tree.ts';
import { countedUnmanaged } from './closing.ts';
import { cascadeTexts, conflictTexts, type Danger, foldEqual } from './dangers.ts';
import type { DigestedPlan } from './json.ts';
import type { PartDetail, ReviewPart } from './parts.ts';
import {
  type ChangeGroup,
  type OrganizationView,
  type PlanView,
  refusalBlocks,
  viewPlan,
} from './plan-view.ts';

/** Maximum lines of dangers and changes before changes are folded, and minimum lines of changes. */
const mostLines = 130;
const leastLines = 60;

/** Maximum width of addresses in the list of dangers. */
const widestDanger = 36;

export function renderPlan(plan: ReviewedPlan, options: TextOptions): string {
  return [...planPieces(plan, options)].join('');
}

/** Yields line by line, so that the text of a large plan is never a single string. */
export function* planPieces(
  plan: ReviewedPlan,
  options: TextOptions,
  digests?: DigestedPlan['digests'],
): Generator<string> {
  const width = Math.min(200, Math.max(80, options.width));
  const document = sectionsOf(viewPlan(plan), { ...options, width }, digests);
  for (const one of textLines(document, { color: options.color, room: width })) yield `${one}\n`;
}

export const planText: LongView<DigestedPlan> = ({ plan, digests }, options) =>
  planPieces(plan, options, digests);

function* sectionsOf(view: PlanView, options: TextOptions, digests: DigestedPlan['digests'] | undefined) {
  // Shown in the first and the last line, because many readers see only one of them.
  const partial = digests === undefined || view.partial === undefined ? [] : [line(view.partial)];
  yield partial;
  yield view.binding.map((text) => note(`! Approval ${text}`, 0, 'risk'));
  const several = view.organizations.length > 1;
  const left = { folded: 0, shortened: 0 };
  // Organizations without changes: no one reads hundreds of their heads.
  const empty: Head[] = [];
  for (const organization of view.organizations) {
    const head = headOf(organization, several);
    const sections = [...organizationSections(organization, options, left)];
    if (several && sections.length === 0) empty.push(head);
    else yield* [headBlocks(organization, head, several), ...sections];
  }
  const { does, earlier, leftOut } = view.closing;
  const quiet = several && empty.length === view.organizations.length ? quietLine(view, empty) : undefined;
  if (quiet !== undefined) {
    yield [quiet, ...partial];
    return;
  }
  for (const [{ who, facts }, ...more] of foldEqual(empty, (head) => JSON.stringify(head.facts))) {
    yield [line(...(more.length === 0 ? who : [strong(countOf(more.length + 1, 'organization'))]), ...facts)];
  }
  const folds = [
    ...(left.folded > 0 ? [`${countOf(left.folded, 'change')} folded`] : []),
    ...(left.shortened > 0 ? [`${countOf(left.shortened, 'change')} shortened`] : []),
  ];
  if (folds.length > 0) yield [line(faint(`${folds.join(', ')}: --show all shows every change.`))];
  if (view.missingBase !== undefined) yield [note(view.missingBase, 0, 'faint')];
  yield earlier.map((sentence) => note(sentence, 0));
  const [counts = '', ...more] = displayWidth(does.join(' ')) <= options.width ? [does.join(' ')] : does;
  const digest =
    digests === undefined || view.isEmpty || view.isDrift ? undefined : shortDigest(digests.digest);
  const about = [
    ...(digest === undefined ? [] : [`Digest: ${digest}`]),
    ...(view.requests === undefined ? [] : [view.requests]),
    ...leftOut,
  ];
  yield [
    // The counts share one line, because programs search for them.
    line(strong(counts)),
    ...(more.length === 0 ? [] : [note(more.join(' '), 0, 'strong')]),
    ...(about.length === 0 ? [] : [note(about.join('   '), 0)]),
    ...partial,
  ];
}

/** One line for several organizations of the same kind without changes. */
function quietLine({ closing, missingBase }: PlanView, empty: readonly Head[]): Block | undefined {
  const { does, earlier, leftOut } = closing;
  const [about = '', ...others] = new Set(empty.map((head) => head.about));
  if (others.length + earlier.length + leftOut.length > 0 || missingBase !== undefined) return undefined;
  const facts = [countOf(empty.length, 'organization'), ...(about === '' ? [] : [about])];
  return line(strong(does.join(' ')), '   ', faint(facts.join('   ')));
}

/** Sections without content are empty. */
function* organizationSections(
  view: OrganizationView,
  { width, full = false, showUnmanaged, showUnchanged }: TextOptions,
  left: LineOptions['left'],
): Generator<Iterable<Block>> {
  const { groups, plan } = view;
  const unchanged = showUnchanged === true ? view.unchanged : [];
  const listed = [
    ...view.parts.map((part) => partBlocks(part, full)),
    // Diagnostics above the plan name the other dangers.
    dangerBlocks(
      view.dangers.filter(({ action, isSevere }) => action !== undefined || isSevere),
      width,
    ),
  ].filter((blocks) => blocks.length > 0);
  yield* listed;
  const lines = [...textLines(listed, { color: false, room: width })].length;
  // The list ends with an empty line.
  const room = Math.max(leastLines, mostLines - (lines === 0 ? 0 : lines + 1));
  const folding = full ? ({ detail: 'full' } as const) : foldingOf(groups, width, room);
  yield* treeSections(groups, folding, { width, left });
  if (view.policy.length > 0)
    yield [heading('Management changes (no requests)'), ...view.policy.map((text) => note(text, 2))];
  if (plan.unmanaged.length > 0 && showUnmanaged === true)
    yield [
      line('Unmanaged: live in declared collections, but in no manifest'),
      ...unmanagedByDanger(plan).map(({ address, noun, title, risk = '' }) =>
        note(`${noun} ${quote(title)}  ${address}${risk && `  ! ${risk}`}`, 4),
      ),
    ];
  if (unchanged.length > 0)
    yield [
      line(`Unchanged: ${countOf(unchanged.length, 'object')}`),
      ...unchanged.map((address) => line(`    ${address}`)),
    ];
  if (view.refusals.length > 0) yield [line(`${view.refusalTitle}:`)];
  yield* view.refusals.map(refusalBlocks);
}

type Head = ReturnType<typeof headOf>;

function headOf(view: OrganizationView, several: boolean) {
  const { name, service, overlay, base, changed, plan } = view;
  const count = changed.change + changed.drift;
  const left = plan.leftovers?.length ?? 0;
  const waiting = plan.pending?.length ?? 0;
  const still = plan.shows === 'drift' ? 'no drift' : 'no changes';
  const earlier = left > 0 ? `${left} left over` : waiting > 0 ? `${waiting} pending` : '';
  const facts = [
    ...(service === undefined ? [] : [`service ${service}`]),
    ...(overlay === undefined ? [] : [`overlay ${overlay}`]),
    ...(base === undefined ? [] : [`base ${base}`]),
    ...(changed.change > 0 ? [countOf(changed.change, 'change')] : []),
    ...(changed.drift > 0 ? [`${changed.drift} drift`] : []),
    ...(count === 0 && (several || base === undefined) ? [earlier || countedUnmanaged([plan]) || still] : []),
    ...(changed.conflicts > 0 ? [countOf(changed.conflicts, 'conflict')] : []),
    ...(plan.refusals.length > 0 ? [`${plan.refusals.length} refused`] : []),
  ];
  return {
    who: [several ? 'Organization ' : '', strong(name)],
    /** Facts, without the absence of changes. */
    about: facts.filter((fact) => fact !== still).join('   '),
    facts: count === 0 && base === undefined ? [`: ${facts.join(', ')}`] : ['   ', faint(facts.join('   '))],
  };
}

/** The name of the organization and a legend; for a long plan, its size. */
function headBlocks(view: OrganizationView, { who, facts }: Head, several: boolean): readonly Block[] {
  const { base, service, overlay, changed, counts, kinds, policy } = view;
  const count = changed.change + changed.drift;
  if (!several && count + policy.length === 0 && (base ?? service ?? overlay) === undefined) return [];
  const signs = actionsIn(counts).flatMap((action) => [
    '  ',
    actionSigns[action],
    ` ${counts[action]} ${action}`,
  ]);
  return [
    line(...who, ...facts),
    ...(count === 0 ? [] : [line(...signs)]),
    ...(count > longPlan ? [note(kinds, 2)] : []),
  ];
}

/** Details in full mode are complete; otherwise the summary and a few of them should fit the first screen. */
function partBlocks({ title, summary, lines = [], details = [] }: ReviewPart, full: boolean) {
  return [
    // A longer title would leave too little room at 80 columns.
    table([[strong(title.split(' ')[0] ?? ''), summary.join(' · ')]], { wraps: true }),
    ...lines.map((text) => note(text, 4)),
    ...details.flatMap((detail) => detailBlocks(detail, full)),
  ];
}

function detailBlocks({ title, rows = [], lines = [], atOnce, isSummed }: PartDetail, full: boolean) {
  const more = full ? 0 : Math.max(0, rows.length + lines.length - atOnce);
  const most = full ? Number.POSITIVE_INFINITY : atOnce;
  const indent = lines.length > 0 ? 6 : 4;
  const rest = atOnce > 0 ? `and ${more} more` : `${title}: --show all`;
  return [
    ...rows
      .slice(0, most)
      .flatMap(({ names, change, on }) => [
        note(`${names.join(', ')}${on === undefined ? ' →' : ':'} ${change}`, indent),
        ...(on === undefined ? [] : [note(on.join(', '), 8, 'faint')]),
      ]),
    ...(lines.length > 0 ? [note(title, 4)] : []),
    ...lines.slice(0, most).map((text) => note(text, indent)),
    ...(more > 0 && isSummed !== true ? [line(faint(`${' '.repeat(indent)}${rest}`))] : []),
  ];
}

function dangerBlocks(dangers: readonly Danger[], width: number): readonly Block[] {
  const widths = dangers.map(({ what }) => displayWidth(safeText(what)));
  // The text of a long address is below it and does not indent the others.
  const column = greatest(widths.filter((one) => one <= widestDanger));
  const blocks = dangers.flatMap(({ action, what, texts, of }) => {
    const text = safeText(texts.join('; '));
    const shown = padEnd(safeText(what), column);
    const sign = action === undefined ? ({ text: '!', as: 'risk' } as const) : actionSigns[action];
    const head = ['    ', sign, ` ${shown}`];
    const named = of.length === 0 ? [] : [note(of.map((one) => one.address + one.about).join(', '), 8)];
    if (8 + displayWidth(shown + text) <= width) return [line(...head, '  ', { text, as: 'risk' }), ...named];
    return [line(...head), note(text, 8, 'risk'), ...named];
  });
  return blocks.length === 0 ? [] : [line('  ', strong('Dangerous')), ...blocks];
}

interface Folding {
  readonly detail: LineOptions['detail'];
  /** `action` also omits deletes, because the list of dangers names each. */
  readonly alike?: Likeness;
}

/** Sorted from most to least detail. */
const foldings: readonly Folding[] = [
  { detail: 'whole', alike: 'value' },
  { detail: 'line', alike: 'value' },
];
const tightest: Folding = { detail: 'line', alike: 'action' };

/** The first folding that fits; `room`: lines for the changes. */
function foldingOf(groups: readonly ChangeGroup[], width: number, room: number): Folding {
  const count = groups.reduce((sum, { changes }) => sum + changes.length, 0);
  if (count <= longPlan) return { detail: 'whole' };
  const fitting = foldings.find((folding) => {
    const left = { folded: 0, shortened: 0 };
    let used = 0;
    for (const _ of textLines(treeSections(groups, folding, { width, left }), {
      color: false,
      room: width,
    })) {
      used += 1;
      if (used >= room) return false;
    }
    return true;
  });
  return fitting ?? tightest;
}

type TreeOptions = Pick<LineOptions, 'width' | 'left'>;

function* treeSections(
  groups: readonly ChangeGroup[],
  folding: Folding,
  options: TreeOptions,
): Generator<Iterable<Block>> {
  for (const group of groups) {
    if (group.heading !== undefined) yield [heading(group.heading)];
    yield groupBlocks(group, folding, options);
  }
}

function* groupBlocks(
  { changes, entries }: ChangeGroup,
  { alike, detail }: Folding,
  options: TreeOptions,
): Generator<Block> {
  const kept = alike === 'action' ? withoutDeletes(entries) : entries;
  const dropped = alike === 'action' ? changes.filter(({ action }) => action === 'delete').length : 0;
  if (dropped > 0)
    yield line('  ', actionSigns.delete, ` ${countOf(dropped, 'deleted object')}, listed above`);
  yield* entryBlocks(alike === undefined ? kept : foldAlike(kept, alike), 2, { ...options, detail });
}

function* entryBlocks(
  entries: readonly ChangeEntry[],
  indent: number,
  options: LineOptions,
): Generator<Block> {
  const own = entries.filter(({ change }) => change !== undefined);
  const widths = own.map(({ label }) => displayWidth(safeText(label)));
  const column = Math.min(28, greatest(widths.filter((width) => width <= 28)));
  for (const entry of entries) {
    const { change, children, label, alike } = entry;
    if (change === undefined) yield line(' '.repeat(indent), faint(label));
    else yield* changeBlocks(change, { label, indent, column }, options);
    yield* entryBlocks(children, indent + (change === undefined ? 2 : 4), options);
    if (alike.length > 0) yield alikeBlock(entry, indent, options);
  }
}

/** Example: `~ 46 more sections alike: s2, s3, s4, …`. */
function alikeBlock({ alike, change, likeness }: ChangeEntry, indent: number, options: TreeOptions): Block {
  for (const entry of alike) options.left.folded += countIn(entry);
  const what =
    likeness === 'value'
      ? alikeText([change, ...alike.map((one) => one.change)])
      : `${change === undefined ? `${alike.length} more` : countOf(alike.length, `more ${change.noun}`)}, not shown`;
  const room = options.width - indent - displayWidth(what) - 4;
  const labels = alike.map((entry) => safeText(entry.label));
  const sign = change === undefined ? ' ' : actionSigns[change.action];
  const [first = '', ...rest] = wrap(labels.join(', '), room - 3);
  const some = rest.length === 0 ? first : `${first} …`;
  return line(' '.repeat(indent), sign, ' ', strong(what), ': ', faint(some));
}

/** Removes deleted objects; keeps their children that are not deleted. */
function withoutDeletes(entries: readonly ChangeEntry[]): readonly ChangeEntry[] {
  return entries.flatMap((entry) => {
    const children = withoutDeletes(entry.children);
    if (entry.change?.action === 'delete') return children;
    return entry.change === undefined && children.length === 0 ? [] : [{ ...entry, children }];
  });
}

export const planGithub: LongView<DigestedPlan> = function* (digested, options) {
  const view = viewPlan(digested.plan);
  const annotations = view.organizations.flatMap(annotationsOf);
  const title = view.isDrift ? 'octavo drift' : 'octavo plan';
  yield* githubLog(title, planText(digested, options), annotations, options);
  yield `${view.closing.does.join(' ')}\n`;
};

function annotationsOf({ plan, groups }: OrganizationView): readonly Annotation[] {
  const places = new Map(plan.steps.map(({ address, at }) => [address, at]));
  const refused = plan.refusals.map(
    ({ address, message, suggestion, skipped, guard }): Annotation => ({
      level: skipped === true ? 'warning' : 'error',
      title: `octavo: refused (${guard})`,
      message: `${address}: ${message}\n${suggestion}`,
      at: places.get(address),
    }),
  );
  const changes = groups.flatMap((group) => group.changes);
  const sorted = changes.toSorted(
    (left, right) => Number(right.isSevere ?? false) - Number(left.isSevere ?? false),
  );
  const unmanaged = (plan.countsUnmanaged === true ? plan.unmanaged : []).map(
    ({ address, noun, title }): Annotation => ({
      level: 'warning',
      title: 'octavo: unmanaged',
      message: `${address}: ${noun} "${title}" is live, but in no manifest`,
      at: undefined,
    }),
  );
  return [...refused, ...sorted.flatMap(warningsOf), ...unmanaged, ...sorted.flatMap(noticesOf)];
}

/** Notices for harmless changes of a commit, at their lines. */
function noticesOf(change: ObjectChange): readonly Annotation[] {
  const { group, action, address, noun, fields, place } = change;
  if (group !== 'change' || warningsOf(change).length > 0) return [];
  const whole = `${action} of the ${noun}${place === undefined ? '' : ` ${place}`}`;
  const message = `${address}: ${action === 'update' ? inBrief(change) : whole}`;
  return [{ level: 'notice', title: `octavo: ${action}`, message, at: fields[0]?.at ?? change.at }];
}

/** A warning for each place: risks of a field are shown at its line. */
function warningsOf(change: ObjectChange): readonly Annotation[] {
  const { action, address, noun, risks, riskFields, fields } = change;
  const placeOf = (name: string | undefined) => fields.find(({ field }) => field === name)?.at ?? change.at;
  const texts = [
    ...(isLosing(change) ? [{ text: `${action}s the ${noun}`, at: change.at }] : []),
    ...cascadeTexts(change).map((text) => ({ text, at: change.at })),
    ...risks.map((text) => ({ text, at: placeOf(riskFields[text]) })),
    ...fields.flatMap((field) =>
      conflictTexts({ fields: [field] }).map((text) => ({ text, at: placeOf(field.field) })),
    ),
  ];
  return [...grouped(texts, ({ at }) => JSON.stringify(at ?? null)).values()].map(
    (own): Annotation => ({
      level: 'warning',
      title: `octavo: ${action}`,
      message: `${address}: ${own.map(({ text }) => text).join('\n')}`,
      at: own[0]?.at,
    }),
  );
}
