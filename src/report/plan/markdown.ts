/**
 * A plan as a comment on a pull request: dangers, addresses by action, folded details, within the size limits of forges. Omitted
 * parts are counted, but deletes are always listed. Pure.
 */

import type { FieldChange } from '../../plan/plan.ts';
import { type CauseGroup, isLosing, type ObjectChange } from '../../review/object-changes.ts';
import { shortDigest } from '../../review/plan-document.ts';
import { countOf, someOf } from '../../util/count.ts';
import { list } from '../blocks.ts';
import { cutText, rehearsalReport } from '../results/rehearsal.ts';
import {
  bytesOf,
  cell,
  code,
  countAddresses,
  cutNotice,
  fenced,
  fitBlocks,
  fitTexts,
  foldedLines,
  footLine,
  htmlCode,
  type MarkdownBlock,
  mostBytes,
  plain,
  tableOf,
} from '../text/markdown.ts';
import { asMarkdown, markdownLines } from '../text/markdown-blocks.ts';
import { safeText, shorten } from '../text/safe-text.ts';
import type { LongView, ReportContext, TextOptions } from '../view.ts';
import { actionSigns, inBrief, isToldInBrief } from './change-lines.ts';
import { alikeText, type ChangeEntry, changeTree, countIn, foldAlike, longPlan } from './change-tree.ts';
import { cascadeNames, type Danger, namedAtMost } from './dangers.ts';
import { stateField } from './field-statement.ts';
import type { DigestedPlan } from './json.ts';
import type { PartDetail } from './parts.ts';
import { type PlanView, type RefusalGroup, viewPlan } from './plan-view.ts';
import type { DiffLine } from './values.ts';

/** Sizes in bytes for refusals, a failed rehearsal, a banner line, and the list of deletes, which must be complete. */
const roomForRefusals = 12_000;
const roomForRehearsal = 8000;
const roomForBanner = 6000;
const roomForDeletes = 24_000;
/** Size in bytes of tables, summaries and notices around the parts that may be cut. */
const frameBytes = 1500;
/** Longer tables of harmless changes are folded. */
const shownRows = 12;

export const planMarkdown: LongView<DigestedPlan> = function* (digested, options) {
  const { context = {} } = options;
  const view = viewPlan(digested.plan);
  const { lines: dangers, cut } = dangerBanners(view);
  /** The part of a change that the banners do not show. */
  const restOf = (change: ObjectChange) => (cut.has(change) ? change : { ...change, risks: [], cascade: [] });
  const whatOf = (change: ObjectChange) => whatText(restOf(change), cut.has(change));
  const head = [
    titleLine(view),
    '',
    ...rehearsalLines(digested, options),
    ...view.binding.flatMap((text) => [`> ⚠ **Approval** ${plain(text)}`, '']),
    ...partTitles.flatMap((title) => partBanner(view, title)),
    ...dangers,
    ...view.scope.flatMap((text) => [`> ${plain(text)}`, '']),
    ...refusalLines(view),
  ];
  const { rows: deletes, lists } = deleteRows(view, whatOf);
  const details = partTitles.flatMap((title) => partDetails(view, title));
  const foot = [...noteLines(view), footOf(view, digested, context)];
  const fixed = bytesOf([...head, ...details, ...deletes, ...lists, ...foot]);
  const rankOf = ranksIn(view);
  const rows = changeRows(view, rankOf, whatOf);
  // Rows of a short plan are not folded.
  const isTold = (change: ObjectChange) =>
    view.changed.change + view.changed.drift <= longPlan && !cut.has(change) && isToldInBrief(change);
  const blocks: MarkdownBlock[] = [
    ...rows,
    ...view.organizations
      .flatMap(({ groups, prefix }) =>
        groups.flatMap(({ changes }) => changes.map((change) => ({ change, prefix }))),
      )
      .filter(({ change }) => !isTold(change))
      .toSorted((left, right) => rankOf(left.change) - rankOf(right.change))
      .map(({ change, prefix }) => ({
        part: `${change.group ?? 'change'} details`,
        text: changeDetails(restOf(change), prefix + change.address),
      })),
  ];
  const { shown, left } = fitBlocks(blocks, mostBytes - fixed - frameBytes);
  const table = (part: CauseGroup, first: readonly string[]) => {
    const dangerous = [...first, ...(shown.get(`${part} dangers`) ?? [])];
    const others = shown.get(`${part} rows`) ?? [];
    if (others.length <= shownRows) return tableOf(changeColumns, [...dangerous, ...others]);
    const own = rows.filter((one) => one.part === `${part} rows`).reduce((sum, { count }) => sum + count, 0);
    const count = own - (left.get(`${part} rows`) ?? 0);
    const more = `${count} more ${part === 'drift' ? 'drifted objects' : 'changes'}`;
    return [
      ...tableOf(changeColumns, dangerous),
      ...foldedLines(
        dangerous.length === 0 ? more.replace(' more', '') : more,
        tableOf(changeColumns, others),
      ),
    ];
  };
  const drift = table('drift', []);
  const driftHeading = view.organizations
    .flatMap(({ groups }) => groups)
    .find(({ group }) => group === 'drift')?.heading;
  const changed = shown.get('change details') ?? [];
  const drifted = shown.get('drift details') ?? [];
  const lines = [
    ...head,
    ...table('change', deletes),
    ...lists,
    ...details,
    ...foldedLines(`${countOf(changed.length, 'change')} in full`, changed),
    ...(drift.length === 0 ? [] : [`**${plain(driftHeading ?? '')}**`, '', ...drift]),
    ...foldedLines(`Drift in full: ${countOf(drifted.length, 'object')}`, drifted),
    ...cutLines(left, context.run),
    ...foot,
  ];
  yield `${lines.join('\n').trimEnd()}\n`;
};

const changeColumns = ['', 'address', 'what'];

function titleLine({ counts, changed, unmanaged, isDrift, organizations }: PlanView): string {
  const { change, drift, conflicts, refused } = changed;
  const risks = organizations.flatMap(({ dangers }) => dangers.filter(({ type }) => type === 'risk')).length;
  const lost = [
    ...(counts.delete > 0 ? [countOf(counts.delete, 'delete')] : []),
    ...(counts.replace > 0 ? [countOf(counts.replace, 'replacement')] : []),
    ...(risks > 0 ? [countOf(risks, counts.delete + counts.replace === 0 ? 'risk' : 'other risk')] : []),
  ];
  const [{ name = '', service, overlay } = {}] = organizations;
  const found = [
    ...(drift > 0 ? [`${drift} drift`] : []),
    ...(isDrift && unmanaged !== '' ? [unmanaged] : []),
  ];
  const changes = change + drift === 0 ? 'no changes' : countOf(change, 'change');
  const parts = [
    isDrift ? 'octavo drift' : 'octavo plan',
    organizations.length === 1 ? plain(name) : countOf(organizations.length, 'organization'),
    ...(service === undefined ? [] : [`service ${plain(service)}`]),
    ...(overlay === undefined ? [] : [`overlay ${plain(overlay)}`]),
    ...(isDrift ? [] : [changes]),
    ...(isDrift && found.length === 0 ? ['no drift'] : found),
    ...(conflicts > 0 ? [`⚠ ${countOf(conflicts, 'conflict')}`] : []),
    ...(lost.length > 0 ? [`⚠ ${lost.join(', ')}`] : []),
    ...(refused > 0 ? [`✗ ${refused} refused`] : []),
  ];
  return `### ${parts.join(' · ')}`;
}

/** Empty unless the rehearsal failed, when no one should approve the plan, or an apply that is cut ends in another state. */
function rehearsalLines(digested: DigestedPlan, options: TextOptions): readonly string[] {
  const { converges = true, cuts = { failures: [] } } = digested.rehearsal ?? {};
  if (converges && cuts.failures.length === 0) return [];
  const lines = asMarkdown(rehearsalReport)(digested, options).trimEnd().split('\n');
  const { shown, left } = fitTexts(lines, roomForRehearsal);
  const more = left > 0 ? [`- and ${countOf(left, 'more line')}`] : [];
  const title = converges ? '⚠ This plan should not be interrupted' : '✗ The rehearsal of this plan failed';
  return [`**${title}**`, '', ...shown, ...more, ''];
}

const partTitles = ['Access', 'Addresses of visitors', 'Rules', 'Ends'] as const;
type PartTitle = (typeof partTitles)[number];

/** Maximum rows in the tables of access and addresses, and names in each row. */
const rowsInTable = 30;
const namesInRow = 10;

function partBanner({ organizations }: PlanView, title: PartTitle): readonly string[] {
  const lines = organizations.flatMap(({ parts, prefix, name }) =>
    parts
      .filter((part) => part.title === title)
      .flatMap(({ summary, lines = [] }) => {
        const texts = summary.map((text) => plain(text).replace(/^\\! /, '⚠ ')).join(' · ');
        return [prefix === '' ? texts : `${plain(name)}: ${texts}`, ...lines.map(plain)];
      }),
  );
  if (lines.length === 0) return [];
  const { shown, left } = fitTexts(lines, roomForBanner);
  const more = left > 0 ? [`and ${countOf(left, 'more line')}`] : [];
  return [`> **${title}** ${[...shown, ...more].join('<br>')}`, ''];
}

function partDetails({ organizations }: PlanView, title: PartTitle): readonly string[] {
  const parts = organizations.flatMap((one) => one.parts.filter((part) => part.title === title));
  const details = parts.flatMap((part) => part.details ?? []);
  const isShort = details.every(({ rows = [], lines = [], atOnce }) => rows.length + lines.length <= atOnce);
  const lines = details.flatMap(detailLines);
  return foldedLines(`${title}: ${plain(details[0]?.title ?? '')}`, lines, isShort ? 'open' : 'closed');
}

function detailLines({ title, rows = [], lines = [] }: PartDetail): readonly string[] {
  const some = (names: readonly string[]) => someOf(names.map(cell), namesInRow);
  const more = rows.length + lines.length - rowsInTable;
  const table = rows
    .slice(0, rowsInTable)
    .map(({ names, change, on }) =>
      on === undefined
        ? `| ${some(names)} | ${cell(change)} |`
        : `| ${some(names)} | ${plain(change)} | ${some(on)} |`,
    );
  const columns = rows[0]?.on === undefined ? ['before', 'after'] : ['who', 'what', 'on'];
  return [
    ...tableOf(columns, table),
    ...(lines.length > 0
      ? [plain(title), '', ...fenced(lines.slice(0, rowsInTable).map(safeText), 'yaml'), '']
      : []),
    ...(more > 0 ? [`and ${countOf(more, rows.length > 0 ? 'more row' : 'more line')}`, ''] : []),
  ];
}

const dangerTitles = {
  delete: 'Deletes',
  replace: 'Replaces',
  risk: 'Risks',
  conflict: 'Conflicts',
} as const;

/** `cut`: changes whose dangers do not fit. */
function dangerBanners({ organizations }: PlanView) {
  const cut = new Set<ObjectChange>();
  const lines = Object.entries(dangerTitles).flatMap(([type, title]) => {
    const own = organizations
      .flatMap(({ prefix, dangers }) => dangers.map((danger) => ({ prefix, ...danger })))
      .filter((danger) => danger.type === type)
      // Dangers that no row below names come first, since the line may be cut.
      .sort((left, right) => Math.min(1, left.changes.length) - Math.min(1, right.changes.length));
    const { shown, left } = fitTexts(own.map(dangerText), roomForBanner);
    const rest = own.slice(shown.length).flatMap(({ changes }) => changes);
    for (const change of rest) cut.add(change);
    const more = left > 0 ? [`and ${rest.length} more, below`] : [];
    const texts = [...shown, ...more];
    // More than two have a line each.
    const all = texts.length > 2 ? `<br>${texts.join('<br>')}` : ` ${texts.join(' · ')}`;
    return own.length === 0 ? [] : [`> ⚠ **${title}**${all}`, '>'];
  });
  return { lines: lines.length === 0 ? [] : [...lines.slice(0, -1), ''], cut };
}

/** Example: `12 teams: its members lose what the team gave them access to (a, b and 10 more)`. */
function dangerText({ what, changes, texts, of, prefix }: Danger & { readonly prefix: string }): string {
  const text = texts.join('; ');
  if (changes.length < 2) return `${code(prefix + what)}${text === '' ? '' : ` ${plain(text)}`}`;
  const named = of.map(({ address, about }) => `${code(prefix + address)}${plain(about)}`);
  const names = named.length === 0 ? '' : ` (${someOf(named, namedAtMost)})`;
  return `${plain(text === '' ? what : `${what}: ${text}`)}${names}`;
}

function refusalLines({ organizations }: PlanView): readonly string[] {
  const texts = organizations.flatMap(({ refusals, prefix }) =>
    refusals.map((group) => refusalText(group, prefix)),
  );
  if (texts.length === 0) return [];
  const { shown, left } = fitTexts(texts, roomForRefusals);
  const titles = organizations.flatMap(({ refusals, refusalTitle }) =>
    refusals.length > 0 ? refusalTitle : [],
  );
  return [
    `**${[...new Set(titles)].join('; ')}**`,
    '',
    ...shown,
    ...(left > 0 ? [`- and ${left} more`] : []),
    '',
  ];
}

function refusalText(
  { first: { address, message, suggestion }, others }: RefusalGroup,
  prefix: string,
): string {
  const more = others.length === 0 ? '' : ` and in the same way ${countOf(others.length, 'more object')}`;
  const help = suggestion
    .split('\n')
    .map((line) => (line.startsWith('  ') ? code(line.trim()) : plain(line)));
  return [`- ✗ ${code(prefix + address)} ${plain(message)}${more}`, ...help].join('<br>');
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

function noteLines({ closing, organizations }: PlanView): readonly string[] {
  const policy = organizations.flatMap((organization) => organization.policy);
  const notes = [...closing.earlier, closing.does.join(' ')];
  return [
    ...(policy.length === 0
      ? []
      : ['Management changes (no requests):', '', ...markdownLines(list(policy, 20)), '']),
    ...notes.flatMap((note) => [plain(note), '']),
  ];
}

function footOf(
  { bases, isEmpty, isDrift, requests }: PlanView,
  { digests: { digest }, rehearsal }: DigestedPlan,
  context: ReportContext,
): string {
  const about = [
    ...(bases.length === 1 ? [`base ${code(bases[0] ?? '')}`] : []),
    ...(requests === undefined ? [] : [requests]),
    ...(isEmpty || isDrift ? [] : [`digest ${code(shortDigest(digest))}`]),
  ];
  const cuts = rehearsal?.cuts?.failures.length === 0 ? [`Rehearsed. ${cutText(rehearsal.cuts)}.`] : [];
  return [...cuts.map(plain), footLine(about, context)].join(' ').trimEnd();
}

/** The lower, the more dangerous. */
function ranksIn({ organizations }: PlanView): (change: ObjectChange) => number {
  const own = new Map<ObjectChange | undefined, Danger>();
  for (const danger of organizations.flatMap(({ dangers }) => dangers))
    if (danger.changes.length === 1) own.set(danger.changes[0], danger);
  return (change) => {
    const danger = own.get(change);
    if (isLosing(change) || danger === undefined)
      return { delete: 0, replace: 1, update: 4, restore: 4, create: 5, move: 6 }[change.action];
    if (danger.type === 'conflict') return 3;
    return danger.isSevere ? 1 : 2;
  };
}

/** Every delete, or their number in each place; large groups have their own table. */
function deleteRows({ organizations }: PlanView, whatOf: (change: ObjectChange) => string) {
  const deletes = organizations.flatMap(({ dangers, prefix }) =>
    dangers
      .filter(({ type }) => type === 'delete')
      .map(({ what, changes }) => ({
        what: plain(what),
        named: changes.map((change) => [prefix + change.address, change] as const),
      })),
  );
  const many = deletes.filter(({ named }) => named.length > namedAtMost);
  const rowsOf = (named: (typeof deletes)[number]['named']) => {
    const changes = new Map(named);
    const row = (name: string, count: number | undefined) => {
      const change = changes.get(name);
      if (count !== undefined) return `| − | ${cell(`${name}/…`)} | ${countOf(count, 'delete')} |`;
      return `| − | ${cell(name)} | ${change === undefined ? '' : whatOf(change)} |`;
    };
    return countAddresses([...changes.keys()], row, roomForDeletes / (1 + many.length));
  };
  const single = deletes.filter((one) => !many.includes(one)).flatMap(({ named }) => named);
  return {
    rows: [...many.map(({ what }) => `| − | ${what} | listed below |`), ...rowsOf(single)],
    lists: many.flatMap(({ what, named }) =>
      foldedLines(`${what} deleted`, tableOf(changeColumns, rowsOf(named))),
    ),
  };
}

interface ChangeRow extends MarkdownBlock {
  readonly count: number;
  readonly rank: number;
}

/** Changes other than deletes, alike ones once, as in the tree of the text. */
function changeRows(
  { organizations }: PlanView,
  rankOf: (change: ObjectChange) => number,
  whatOf: (change: ObjectChange) => string,
): readonly ChangeRow[] {
  const groups = organizations.flatMap(({ groups, prefix }) =>
    groups.map(({ changes }) => ({ changes: changes.filter(({ action }) => action !== 'delete'), prefix })),
  );
  const isLong = groups.reduce((sum, { changes }) => sum + changes.length, 0) > longPlan;
  const rowOf = (change: ObjectChange, name: string): ChangeRow => {
    const rank = rankOf(change);
    // Dangerous changes are always visible.
    const part = `${change.group ?? 'change'} ${rank <= 3 ? 'dangers' : 'rows'}`;
    const text = `| ${actionSigns[change.action].text} | ${cell(name)} | ${whatOf(change)} |`;
    return { part, rank, text, count: 1 };
  };
  const rowsOf = (entries: readonly ChangeEntry[], path: string): readonly ChangeRow[] =>
    entries.flatMap(({ change, label, children, alike }) => {
      const own = change === undefined ? [] : [rowOf(change, path + label)];
      const rows = [...own, ...rowsOf(children, `${path}${label}/`)];
      const [first] = rows;
      if (alike.length === 0 || first === undefined) return rows;
      const sign = change === undefined ? '' : ` ${actionSigns[change.action].text}`;
      const what = plain(alikeText([change, ...alike.map((one) => one.change)]));
      const keys = alike.map((one) => (change === undefined ? path : '') + one.label).join(', ');
      const text = `|${sign} | ${what} | ${plain(shorten(keys, longestKeys))} |`;
      return [...rows, { ...first, text, count: alike.reduce((sum, one) => sum + countIn(one), 0) }];
    });
  return groups
    .flatMap(({ changes, prefix }) => {
      const entries = changeTree(changes);
      return rowsOf(isLong ? foldAlike(entries, 'value') : entries, prefix);
    })
    .sort((left, right) => left.rank - right.rank);
}

/** Length limit for the keys after the first one. */
const longestKeys = 200;

/** Without the values of conflicts, unless they were cut from their banner. */
function whatText(change: ObjectChange, isCut: boolean): string {
  const isShown = ({ cause }: FieldChange) => isCut || cause !== 'conflict';
  const brief = inBrief({ ...change, fields: change.fields.filter(isShown) });
  const conflicts = change.fields.filter((field) => !isShown(field)).map(({ field }) => field);
  return [
    ...(brief === '' ? [] : [isLosing(change) ? plain(brief) : cell(brief)]),
    ...(conflicts.length === 0 ? [] : [`conflict in ${plain(conflicts.join(', '))}`]),
    ...change.risks.map((text) => `⚠ ${plain(text)}`),
    ...(change.remark === undefined ? [] : [plain(change.remark)]),
  ].join('<br>');
}

function changeDetails(change: ObjectChange, address: string): string {
  const { action, noun, title, reasons, place, detours } = change;
  const about = [title === undefined ? noun : `${noun} ${JSON.stringify(title)}`, ...reasons];
  const lines = [
    `# ${safeText(about.join(', '))}`,
    ...change.fields.flatMap((field) => fieldLines(change, field)),
    ...(place === undefined ? [] : [`! ${action === 'create' ? 'position' : 'moved'} ${safeText(place)}`]),
    ...detours.map((detour) => `# ${safeText(detour)}`),
    ...cascadeNames(change).map((text) => `- ${safeText(text)}`),
    ...change.risks.map((risk) => `! ${safeText(risk)}`),
  ];
  const summary = `${actionSigns[action].text} ${htmlCode(address)}`;
  return foldedLines(summary, [...fenced(lines, 'diff'), '']).join('\n');
}

function fieldLines({ action }: ObjectChange, field: FieldChange): readonly string[] {
  const { name, shown, remark, applied, isLong } = stateField(action, field);
  if (shown.type === 'inline' && shown.before === undefined)
    return [`${action === 'delete' ? '-' : '+'} ${name}: ${shown.after}`];
  const about = remark === '' ? '' : `  ${remark}`;
  const lines =
    shown.type === 'lines'
      ? [`@@ ${name}${about} @@`, ...shown.lines.map(diffLine)]
      : [`- ${name}: ${shown.before}`, `+ ${name}: ${shown.after}${about}`];
  return [...lines, ...(isLong ? ['# last applied:', ...applied.map(({ text }) => `#   ${text}`)] : [])];
}

function diffLine({ type, text }: DiffLine): string {
  const signs = { added: '+', removed: '-', changed: '!', same: ' ', gap: '#' };
  return `${signs[type]} ${text}`;
}
