/** Access and visitor addresses in a comment: a line at the top each, and a table to unfold. */
import { countOf } from '../../util/count.ts';
import { rehearsalReport } from '../results/rehearsal.ts';
import { byteLength, cell, code, fenced, fitTexts, plain } from '../text/markdown.ts';
import { asMarkdown } from '../text/markdown-blocks.ts';
import { safeText } from '../text/safe-text.ts';
import type { TextOptions } from '../view.ts';
import type { DigestedPlan } from './json.ts';
import type { PlanView } from './plan-view.ts';

/** Maximum rows in the tables of access and addresses, and names in each row. */
const rowsInTable = 30;
const namesInRow = 10;

/** Size in bytes of a banner line. Risks beyond that are only in the table below it. */
const roomForBanner = 6000;

export function fitting(texts: readonly string[]): readonly string[] {
  let used = 0;
  const end = texts.findIndex((text) => {
    used += byteLength(text) + 3;
    return used > roomForBanner;
  });
  return end < 0 ? texts : texts.slice(0, end);
}

export function viewBanners({ organizations, binding }: PlanView): readonly string[] {
  const named = (name: string, summary: readonly string[]) =>
    `${organizations.length > 1 ? `${plain(name)}: ` : ''}${summary.map(plain).join(' · ')}`;
  const summaries = (of: 'access' | 'addresses') =>
    organizations.flatMap(({ name, [of]: view }) => (view === undefined ? [] : [named(name, view.summary)]));
  const ruleLines = organizations.flatMap(({ rules, name }) =>
    rules === undefined ? [] : [named(name, rules.summary), ...rules.lines.map(plain)],
  );
  const shown = fitting(ruleLines);
  const rest = ruleLines.length - shown.length;
  const banner = (title: string, texts: readonly string[], between = ' · ') =>
    texts.length === 0 ? [] : [`> **${title}** ${texts.join(between)}`, ''];
  return [
    ...binding.flatMap((text) => [`> ⚠ **Approval** ${plain(text)}`, '']),
    ...banner('Access', summaries('access')),
    ...banner('Addresses of visitors', summaries('addresses')),
    ...banner('Rules', rest > 0 ? [...shown, `and ${countOf(rest, 'more line')}`] : shown, '<br>'),
  ];
}

/** Includes the redirects to add, as lines of a manifest. */
export function addressRows({ organizations }: PlanView): readonly string[] {
  const views = organizations.flatMap(({ addresses }) => addresses ?? []);
  const rows = views.flatMap((one) => one.rows);
  if (rows.length === 0) return [];
  const redirects = views.flatMap((one) => one.redirects);
  return [
    ...cutTable(
      ['| before | after |', '|---|---|'],
      rows.map(({ from, to }) => `| ${cell(from)} | ${cell(to)} |`),
    ),
    ...redirects.flatMap(({ to, lines }) => [
      `To keep them working, add to ${code(to)}:`,
      '',
      ...fenced(lines.slice(0, rowsInTable).map(safeText), 'yaml'),
      '',
    ]),
  ];
}

/** A row for each change of the same people on the same objects. */
export function accessRows({ organizations }: PlanView): readonly string[] {
  const entries = organizations.flatMap(({ access }) => access?.entries ?? []);
  if (entries.length === 0) return [];
  const some = (names: readonly string[]) => {
    const more = names.length > namesInRow ? [`and ${names.length - namesInRow} more`] : [];
    return [...names.slice(0, namesInRow).map(cell), ...more].join(', ');
  };
  return cutTable(
    ['| who | what | on |', '|---|---|---|'],
    entries.map(({ people, on, change }) => `| ${some(people)} | ${plain(change)} | ${some(on)} |`),
  );
}

function cutTable(head: readonly string[], rows: readonly string[]): readonly string[] {
  const more = rows.length - rowsInTable;
  const rest = more > 0 ? ['', `and ${countOf(more, 'more row')}`] : [];
  return [...head, ...rows.slice(0, rowsInTable), ...rest, ''];
}

/** The comment has no diagnostics, so these lines include values that are not dangerous yet. */
export function expiringLines({ organizations }: PlanView): readonly string[] {
  return organizations.flatMap(({ name, plan }) =>
    (plan.review?.expiring ?? []).map(({ address, text }) => {
      const own = organizations.length > 1 ? `${name}/${address}` : address;
      return `${code(own)} ${plain(text)}`;
    }),
  );
}

/** Size in bytes for a failed rehearsal. */
const roomForRehearsal = 8000;

/** Empty unless the rehearsal failed: no one should approve that plan. */
export function rehearsalLines(digested: DigestedPlan, options: TextOptions): readonly string[] {
  if (digested.rehearsal === undefined || digested.rehearsal.converges) return [];
  const lines = asMarkdown(rehearsalReport)(digested, options).trimEnd().split('\n');
  const { shown, left } = fitTexts(lines, roomForRehearsal);
  const more = left > 0 ? [`- and ${countOf(left, 'more line')}`] : [];
  return ['**✗ The rehearsal of this plan failed**', '', ...shown, ...more, ''];
}
