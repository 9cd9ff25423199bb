/**
 * A plan as a comment on a pull request: dangers, addresses by action, folded details, within the size limits of forges. Omitted
 * parts are counted, but deletes are always listed. Pure.
 */

import type { Action, FieldChange } from '../../plan/plan.ts';
import { isLosing, type ObjectChange } from '../../review/object-changes.ts';
import { shortDigest } from '../../review/plan-document.ts';
import { countOf } from '../../util/count.ts';
import { grouped } from '../../util/group.ts';
import { list } from '../blocks.ts';
import {
  bytesOf,
  cell,
  code,
  countAddresses,
  cutNotice,
  fenced,
  fitBlocks,
  fitTexts,
  footLine,
  htmlCode,
  type MarkdownBlock,
  mostBytes,
  plain,
} from '../text/markdown.ts';
import { markdownLines } from '../text/markdown-blocks.ts';
import { safeText, shorten } from '../text/safe-text.ts';
import type { LongView, ReportContext, TextOptions } from '../view.ts';
import { actionSigns, inBrief, undecidedText, valuesOf } from './change-lines.ts';
import { foldChanges } from './change-tree.ts';
import { countedUnmanaged } from './closing.ts';
import {
  aboutLoss,
  cascadeNames,
  conflictTexts,
  foldLosses,
  lossTexts,
  namedAtMost,
  ownRisks,
  type SharedRisk,
  sharedRisks,
} from './dangers.ts';
import type { DigestedPlan } from './json.ts';
import {
  accessRows,
  addressRows,
  expiringLines,
  fitting,
  rehearsalLines,
  viewBanners,
} from './markdown-views.ts';
import {
  type OrganizationView,
  type PlanView,
  type RefusalGroup,
  requestsText,
  viewPlan,
} from './plan-view.ts';
import { type DiffLine, type ShownChange, showWhole } from './values.ts';

export const planMarkdown: LongView<DigestedPlan> = function* (digested, options) {
  yield markdownOf(digested, options);
};

/** Size in bytes for refusals. */
const roomForRefusals = 12_000;
/** Longer tables of harmless changes are folded. */
const shownRows = 12;

function markdownOf(digested: DigestedPlan, options: TextOptions): string {
  const { plan, digests } = digested;
  const { context = {} } = options;
  const view = viewPlan(plan);
  const placed = view.organizations.map((one) => placedIn(one, view.organizations.length > 1));
  const shared = placed.flatMap((one) => one.shared);
  const all = placed.flatMap((one) => one.changes).sort((left, right) => left.rank - right.rank);
  const { lines: dangers, reported } = banners(all, shared, expiringLines(view));
  const changes = all.map((one) => (reported.has(one) ? withoutLosses(one) : one));
  const head = [
    titleLine(view),
    '',
    ...rehearsalLines(digested, options),
    ...viewBanners(view),
    ...dangers,
    ...refusalLines(view),
  ];
  const { rows: deletes, lists } = deleteRows(changes.filter(isDelete));
  const access = accessRows(view);
  const addresses = addressRows(view);
  const foot = [...noteLines(view), footOf(view, shortDigest(digests.digest), context)];
  const fixed = bytesOf([
    ...head,
    ...access,
    ...addresses,
    ...deletes,
    ...lists.flatMap(({ items }) => items),
    ...foot,
  ]);
  const rest = changes.filter((one) => !isDelete(one));
  const blocks: MarkdownBlock[] = [
    ...foldPlaced(rest).flatMap(rowsOf),
    ...changes.map(({ change, name }) => ({
      part: `${groupOf(change)} details`,
      text: changeDetails(change, name),
    })),
  ];
  const { shown, left } = fitBlocks(blocks, mostBytes - fixed - frameBytes);
  const folded = (texts: readonly string[], summary: string) =>
    texts.length === 0 ? [] : [`<details><summary>${summary}</summary>`, '', ...texts, '</details>', ''];
  const table = (part: 'change' | 'drift', first: readonly string[]) => {
    const dangerous = [...first, ...(shown.get(`${part} dangers`) ?? [])];
    const others = shown.get(`${part} rows`) ?? [];
    if (others.length <= shownRows) return tableOf([...dangerous, ...others]);
    const count =
      rest.filter((one) => partOf(one) === `${part} rows`).length - (left.get(`${part} rows`) ?? 0);
    const more = `${count} more ${part === 'drift' ? 'drifted objects' : 'changes'}`;
    return [
      ...tableOf(dangerous),
      ...folded(tableOf(others), dangerous.length === 0 ? more.replace(' more', '') : more),
    ];
  };
  const drift = table('drift', []);
  const changed = shown.get('change details') ?? [];
  const drifted = shown.get('drift details') ?? [];
  const lines = [
    ...head,
    ...table('change', deletes),
    ...lists.flatMap(({ title, items }) => folded([...items, ''], title)),
    ...folded(access, 'Access: who gains and who loses'),
    ...folded(addresses, 'Addresses of visitors'),
    ...folded(changed, `${countOf(changed.length, 'change')} in full`),
    ...(drift.length === 0 ? [] : [driftTitle(view), '', ...drift]),
    ...folded(drifted, `Drift in full: ${countOf(drifted.length, 'object')}`),
    ...cutLines(left, context.run),
    ...foot,
  ];
  return `${lines.join('\n')}\n`;
}

function driftTitle({ isDrift, organizations }: PlanView): string {
  if (!isDrift) return '**Drift**: changed outside git, will be reverted';
  return organizations.every(({ plan }) => plan.withBase)
    ? '**Drift**: changed outside git; `octavo apply` reverts it'
    : '**Differences** from the manifests; `octavo apply` reverts them';
}

/** Size in bytes of tables, summaries and notices around the parts that may be cut. */
const frameBytes = 1500;

function titleLine(view: PlanView): string {
  const { counts, organizations } = view;
  const sum = (of: (organization: OrganizationView) => number) =>
    organizations.reduce((total, organization) => total + of(organization), 0);
  const drift = sum(({ changed }) => changed.drift);
  const changes = sum(({ changed }) => changed.change);
  const conflicts = sum(({ changed }) => changed.conflicts);
  const refused = sum(({ plan }) => plan.refusals.length);
  const wider = sum(({ dangers }) => dangers.filter(({ type }) => type === 'risk').length);
  const lostCount = counts.delete + counts.replace;
  const lost = [
    ...(counts.delete > 0 ? [countOf(counts.delete, 'delete')] : []),
    ...(counts.replace > 0 ? [countOf(counts.replace, 'replacement')] : []),
    ...(wider > 0 ? [countOf(wider, lostCount === 0 ? 'risk' : 'other risk')] : []),
  ];
  const parts = [
    view.isDrift ? 'octavo drift' : 'octavo plan',
    organizations.length === 1
      ? plain(organizations[0]?.name ?? '')
      : countOf(organizations.length, 'organization'),
    ...(organizations[0]?.service === undefined ? [] : [`service ${plain(organizations[0].service)}`]),
    ...(organizations[0]?.overlay === undefined ? [] : [`overlay ${plain(organizations[0].overlay)}`]),
    ...countParts(view, changes, drift),
    ...(conflicts > 0 ? [`⚠ ${countOf(conflicts, 'conflict')}`] : []),
    ...(lost.length > 0 ? [`⚠ ${lost.join(', ')}`] : []),
    ...(refused > 0 ? [`✗ ${refused} refused`] : []),
  ];
  return `### ${parts.join(' · ')}`;
}

function countParts({ isDrift, organizations }: PlanView, changes: number, drift: number): readonly string[] {
  const drifted = drift > 0 ? [`${drift} drift`] : [];
  const counted = countedUnmanaged(organizations.map(({ plan }) => plan));
  const found = [...drifted, ...(counted === '' ? [] : [counted])];
  if (isDrift) return found.length > 0 ? found : ['no drift'];
  return [changes + drift === 0 ? 'no changes' : countOf(changes, 'change'), ...drifted];
}

/** `reported`: changes whose losses and risks are only in the banners. */
function banners(
  changes: readonly PlacedChange[],
  shared: readonly SharedRisk[],
  expiring: readonly string[],
) {
  const reported = new Set<PlacedChange>();
  const line = (
    title: string,
    groups: readonly (readonly PlacedChange[])[],
    text: (alike: readonly PlacedChange[]) => string,
    before: readonly string[] = [],
  ) => {
    if (groups.length + before.length === 0) return [];
    const named = fitting(groups.map(text));
    for (const one of groups.slice(0, named.length).flat()) if (title !== 'Conflicts') reported.add(one);
    const rest = groups.slice(named.length).flat().length;
    const more = rest > 0 ? [`and ${rest} more, below`] : [];
    return [`> ⚠ **${title}** ${[...before, ...named, ...more].join(' · ')}`, '>'];
  };
  const lost = (action: Action) =>
    foldLosses(
      changes.filter(({ change }) => change.action === action),
      ({ change }) => change,
    );
  const one = (isMeant: (placed: PlacedChange) => boolean) =>
    changes.filter(isMeant).map((placed) => [placed]);
  const together = shared.map(({ addresses, noun, text }) => {
    const named = addresses.length > namedAtMost ? '' : ` (${addresses.map(code).join(', ')})`;
    return `${plain(`${countOf(addresses.length, noun)}: ${text}`)}${named}`;
  });
  const lines = [
    ...line('Deletes', lost('delete'), lossText),
    ...line('Replaces', lost('replace'), lossText),
    ...line(
      'Risks',
      one(({ change, risks }) => risks.length > 0 && !isLosing(change)),
      ([placed]) => (placed === undefined ? '' : `${code(placed.name)}${riskText(placed)}`),
      [...expiring, ...together],
    ),
    ...line('Conflicts', one(hasConflict), ([placed]) =>
      placed === undefined ? '' : `${code(placed.name)} ${plain(conflictTexts(placed.change).join('; '))}`,
    ),
  ];
  return { lines: lines.length === 0 ? [] : [...lines.slice(0, -1), ''], reported };
}

/** Example: `12 teams: its members lose what the team gave them access to (a, b, …)`. */
function lossText(alike: readonly PlacedChange[]): string {
  const [first, ...others] = alike;
  if (first === undefined) return '';
  const { change, name } = first;
  if (others.length === 0)
    return `${code(name)}${riskText({ risks: [...cascadeNames(change), ...change.risks] })}`;
  const more = alike.length > namedInLine ? [`and ${alike.length - namedInLine} more, below`] : [];
  const named = [
    ...alike.slice(0, namedInLine).map((placed) => `${code(placed.name)}${plain(placed.about)}`),
    ...more,
  ].join(', ');
  const texts = lossTexts(change).join('; ');
  return `${plain(`${countOf(alike.length, change.noun)}${texts === '' ? '' : `: ${texts}`}`)} (${named})`;
}

const namedInLine = 12;

/** Removes risks that the banners list, and cascaded deletes. */
function withoutLosses(placed: PlacedChange): PlacedChange {
  const { change } = placed;
  const risks = change.risks.filter((text) => !placed.risks.includes(text));
  return {
    ...placed,
    risks: [],
    change: { ...change, risks, cascade: isLosing(change) ? [] : change.cascade },
  };
}

function riskText({ risks }: Pick<PlacedChange, 'risks'>): string {
  return risks.length === 0 ? '' : ` ${plain(risks.join('; '))}`;
}

function refusalLines(view: PlanView): readonly string[] {
  const groups = view.organizations.flatMap(({ refusals }) => refusals);
  if (groups.length === 0) return [];
  const { shown, left } = fitTexts(groups.map(refusalText), roomForRefusals);
  return ['**Refused**', '', ...shown, ...(left > 0 ? [`- and ${left} more`] : []), ''];
}

function refusalText({ first: { address, message, suggestion }, others }: RefusalGroup): string {
  const more = others.length === 0 ? '' : ` and in the same way ${countOf(others.length, 'more object')}`;
  const help = suggestion
    .split('\n')
    .map((line) => (line.startsWith('  ') ? code(line.trim()) : plain(line)));
  return [`- ✗ ${code(address)} ${plain(message)}${more}`, ...help].join('<br>');
}

function cutLines(left: ReadonlyMap<string, number>, run: string | undefined): readonly string[] {
  const sum = (sort: string) => (left.get(`change ${sort}`) ?? 0) + (left.get(`drift ${sort}`) ?? 0);
  const rows = sum('rows') + sum('dangers');
  const whole = sum('details');
  if (rows + whole === 0) return [];
  const parts = [
    ...(rows > 0 ? [`${countOf(rows, 'change')} not listed`] : []),
    ...(whole > 0 ? [`${countOf(whole, 'change')} without details`] : []),
  ];
  return cutNotice(parts, run);
}

function noteLines({ closing, missingBase, organizations }: PlanView): readonly string[] {
  const policy = organizations.flatMap((organization) => organization.policy);
  const notes = [
    ...(missingBase === undefined ? [] : [missingBase]),
    ...closing.earlier,
    closing.does.join(' '),
  ];
  return [
    ...(policy.length === 0
      ? []
      : ['Management changes (no requests):', '', ...markdownLines(list(policy, 20)), '']),
    ...notes.flatMap((note) => [plain(note), '']),
  ];
}

function footOf(
  { organizations, isEmpty, isDrift, requests, partial, closing }: PlanView,
  digest: string,
  context: ReportContext,
): string {
  const bases = [...new Set(organizations.flatMap(({ base }) => base ?? []))];
  const about = [
    ...(bases.length === 1 ? [`base ${code(bases[0] ?? '')}`] : []),
    ...(requests.writes === 0 ? [] : [requestsText(requests)]),
    ...(isEmpty || isDrift ? [] : [`digest ${code(digest)}`]),
  ];
  const sentences = [...(partial === undefined ? [] : [partial]), ...closing.leftOut].map(plain);
  return [...sentences, footLine(about, context)].join(' ').trimEnd();
}

/** Size in bytes for the list of deletes, which must be complete. */
const roomForDeletes = 24_000;

interface PlacedChange {
  readonly change: ObjectChange;
  readonly organization: string;
  /** The address, after the organization if there are several. */
  readonly name: string;
  /** Excludes risks shared by many objects. */
  readonly risks: readonly string[];
  readonly rank: number;
  /** Title and cascaded deletes of a delete. */
  readonly about: string;
}

function placedIn({ name, plan, groups }: OrganizationView, several: boolean) {
  const changes = groups.flatMap((group) => group.changes);
  const shared = sharedRisks(changes);
  const placed = changes.map((change): PlacedChange => {
    const risks = ownRisks(change, shared);
    const own = several ? `${name}/${change.address}` : change.address;
    const about = aboutLoss(change);
    return {
      change,
      organization: plan.organizationId,
      name: own,
      risks,
      rank: rankOf(change, risks),
      about,
    };
  });
  return { changes: placed, shared: [...shared.values()] };
}

function isDelete({ change: { action } }: PlacedChange): boolean {
  return action === 'delete';
}

function hasConflict({ change: { fields } }: Pick<PlacedChange, 'change'>): boolean {
  return fields.some(({ cause }) => cause === 'conflict');
}

/** Every delete, or their number in each place; large groups have their own list. */
function deleteRows(all: readonly PlacedChange[]) {
  const isMany = (alike: readonly PlacedChange[]) => alike.length > namedInLine;
  const groups = foldLosses(all, ({ change }) => change);
  const many = groups.filter(isMany);
  const deletes = groups.filter((alike) => !isMany(alike)).flat();
  const room = roomForDeletes / (1 + many.length);
  const byName = new Map(all.map((placed) => [placed.name, placed]));
  const lineOf = (name: string, count: number | undefined) => {
    if (count !== undefined) return `| − | ${cell(`${name}/…`)} | ${countOf(count, 'delete')} |`;
    const placed = byName.get(name);
    return `| − | ${cell(name)} | ${placed === undefined ? '' : whatText(placed)} |`;
  };
  const itemOf = (name: string, count: number | undefined) =>
    count === undefined
      ? `- − ${code(name)}${plain(byName.get(name)?.about ?? '')}`
      : `- − ${code(`${name}/…`)} ${countOf(count, 'delete')}`;
  const namesOf = (alike: readonly PlacedChange[]) => alike.map(({ name }) => name);
  const titleOf = (alike: readonly PlacedChange[]) =>
    plain(countOf(alike.length, alike[0]?.change.noun ?? ''));
  return {
    rows: [
      ...many.map((alike) => `| − | ${titleOf(alike)} | listed below |`),
      ...countAddresses(namesOf(deletes), lineOf, room),
    ],
    lists: many.map((alike) => ({
      title: `${titleOf(alike)} deleted`,
      items: countAddresses(namesOf(alike), itemOf, room),
    })),
  };
}

function groupOf({ group = 'change' }: ObjectChange): string {
  return group;
}

/** Dangerous changes are always visible. */
function partOf(placed: PlacedChange): string {
  return `${groupOf(placed.change)} ${placed.rank <= 3 ? 'dangers' : 'rows'}`;
}

function foldPlaced(all: readonly PlacedChange[]): readonly (readonly PlacedChange[])[] {
  const placedOf = new Map(all.map((placed) => [placed.change, placed]));
  const lists = grouped(all, ({ organization }) => organization).values();
  const folded = [...lists].flatMap((own) =>
    foldChanges(own.map(({ change }) => change)).map((alike) =>
      alike.flatMap((change) => placedOf.get(change) ?? []),
    ),
  );
  const rank = ([first]: readonly PlacedChange[]) => first?.rank ?? 0;
  return folded.sort((left, right) => rank(left) - rank(right));
}

/** Length limit for the keys after the first one. */
const longestKeys = 200;

function rowsOf([first, ...alike]: readonly PlacedChange[]): readonly MarkdownBlock[] {
  if (first === undefined) return [];
  const { action, noun } = first.change;
  const own = `| ${actionSigns[action]} | ${cell(first.name)} | ${whatText(first)} |`;
  const keys = alike.map(({ change }) => change.address.split('/').at(-1) ?? '').join(', ');
  const more = `| ${actionSigns[action]} | ${plain(`${countOf(alike.length, `more ${noun}`)} alike`)} | ${plain(shorten(keys, longestKeys))} |`;
  const text = alike.length === 0 ? own : `${own}\n${more}`;
  return [{ part: partOf(first), text, count: alike.length + 1 }];
}

function tableOf(rows: readonly string[]): readonly string[] {
  return rows.length === 0 ? [] : ['| | address | what |', '|---|---|---|', ...rows, ''];
}

function whatText({ change, risks: own }: PlacedChange): string {
  const risks = [...own, ...conflictTexts(change)].map((text) => `⚠ ${plain(text)}`);
  const brief = inBrief(change);
  const remark = change.remark === undefined ? [] : [plain(change.remark)];
  return [...(brief === '' ? [] : [isLosing(change) ? plain(brief) : cell(brief)]), ...risks, ...remark].join(
    '<br>',
  );
}

/** Sorted from the most dangerous. */
function rankOf(change: ObjectChange, risks: readonly string[]): number {
  const { action, isSevere } = change;
  if (action === 'delete') return 0;
  if (action === 'replace') return 1;
  if (risks.length > 0) return isSevere === true ? 1 : 2;
  if (hasConflict({ change })) return 3;
  return { create: 5, update: 4, move: 6, restore: 4 }[action];
}

function changeDetails(change: ObjectChange, address: string): string {
  const { action, noun, title, reasons, place, detours } = change;
  const about = [title === undefined ? noun : `${noun} ${JSON.stringify(title)}`, ...reasons];
  const lines = [
    `# ${safeText(about.join(', '))}`,
    ...change.fields.flatMap((field) => fieldLines(change, field)),
    ...(place === undefined ? [] : [`! moved ${safeText(place)}`]),
    ...detours.map((detour) => `# ${safeText(detour)}`),
    ...cascadeNames(change).map((text) => `- ${safeText(text)}`),
    ...change.risks.map((risk) => `! ${safeText(risk)}`),
  ];
  const summary = `<summary>${actionSigns[action]} ${htmlCode(address)}</summary>`;
  return [`<details>${summary}`, '', ...fenced(lines, 'diff'), '', '</details>', ''].join('\n');
}

function fieldLines({ action }: ObjectChange, field: FieldChange): readonly string[] {
  const name = safeText(field.field);
  const shown: ShownChange = valuesOf(action, field);
  const remark = field.forcesReplacement === true ? '  (forces replacement)' : undecidedText(field);
  const conflict = field.cause === 'conflict' ? '  (conflict)' : '';
  const applied = conflict === '' ? [] : appliedLines(field);
  if (shown.type === 'lines') {
    return [`@@ ${name}${remark}${conflict} @@`, ...shown.lines.map(diffLine), ...applied];
  }
  const { before, after } = shown;
  if (before !== undefined)
    return [`- ${name}: ${before}`, `+ ${name}: ${after}${remark}${conflict}`, ...applied];
  return [`${action === 'delete' ? '-' : '+'} ${name}: ${after}`];
}

/** The third value of a conflict. */
function appliedLines({ base, ...reading }: FieldChange): readonly string[] {
  if (base === undefined) return [];
  const shown = showWhole(base, reading);
  if (shown.type === 'inline') return [`# last applied: ${shown.after}`];
  return ['# last applied:', ...shown.lines.map(({ text }) => `#   ${text}`)];
}

function diffLine({ type, text }: DiffLine): string {
  const signs = { added: '+', removed: '-', changed: '!', same: ' ', gap: '#' };
  return `${signs[type]} ${text}`;
}
