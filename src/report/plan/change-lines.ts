/**
 * The lines of one change in a tree: one line if it fits, otherwise a line for each field, with the differences of long values
 * below. Dangers and losses are only in the list of dangers. Pure.
 */

import { type Action, type Counts, type FieldChange, isWhole } from '../../plan/plan.ts';
import { isLosing, type ObjectChange } from '../../review/object-changes.ts';
import { greatest } from '../../util/lists.ts';
import { type Block, faint, line, note, paragraph, type Span, strong } from '../blocks.ts';
import { displayWidth, padEnd, quote, safeText, shorten } from '../text/safe-text.ts';
import { cascadeTexts } from './dangers.ts';
import { type FieldStatement, linesIn, stateField } from './field-statement.ts';
import { type DiffLine, diffSigns, type ShownChange } from './values.ts';

export const actionSigns = {
  create: { text: '+', as: 'added' },
  update: { text: '~', as: 'changed' },
  move: { text: '↕', as: 'moved' },
  replace: { text: '±', as: 'replaced' },
  delete: { text: '-', as: 'removed' },
  restore: { text: '⟲', as: 'restored' },
} as const satisfies Readonly<Record<Action, Span>>;

export function actionsIn(counts: Counts): readonly Action[] {
  return (Object.keys(actionSigns) as Action[]).filter((action) => counts[action] > 0);
}

/** Longer differences are cut, with the number of omitted lines. Deleted values are never cut. */
const longestDiff = 12;

export interface LinePlace {
  /** Rest of the address, after the part shown in the lines above. */
  readonly label: string;
  readonly indent: number;
  /** Width of surrounding labels. */
  readonly column: number;
}

export interface LineOptions {
  readonly width: number;
  /** All lines, all except the middle of long differences, or one line for each object. */
  readonly detail: 'full' | 'whole' | 'line';
  /** Numbers of changes that are only counted or shortened. */
  readonly left: { folded: number; shortened: number };
}

const diffStyles = {
  added: 'added',
  removed: 'removed',
  changed: 'changed',
  same: undefined,
  gap: 'faint',
} as const;

export function changeBlocks(change: ObjectChange, place: LinePlace, options: LineOptions): readonly Block[] {
  const { remark } = change;
  const blocks = options.detail === 'line' ? shortenedBlocks : wholeBlocks;
  return [
    ...blocks(change, place, options),
    ...(remark === undefined ? [] : [note(remark, place.indent + 4, 'faint')]),
  ];
}

function wholeBlocks(change: ObjectChange, place: LinePlace, options: LineOptions): readonly Block[] {
  const { width } = options;
  const about = aboutText(change);
  const body = oneLine(change);
  const text = [about, body ?? ''].filter((part) => part !== '').join(', ');
  const [head, gap] = headOf(change, place);
  const below = place.indent + 4;
  if (body !== undefined && displayWidth(text) + headWidth(place) <= width) {
    const shown = text === '' ? [] : [gap, faint(text.slice(0, text.length - body.length)), body];
    return [line(...head, ...shown)];
  }
  const fits = headWidth(place) + displayWidth(about) <= width;
  return [
    ...(fits ? [line(...head, gap, faint(about))] : [line(...head), note(about, below, 'faint')]),
    ...fieldsBlocks(change, below, options),
  ];
}

/** A single line, cut if it is too long; losses are never cut. */
function shortenedBlocks(
  change: ObjectChange,
  place: LinePlace,
  { width, left }: LineOptions,
): readonly Block[] {
  const [head, gap] = headOf(change, place);
  const room = Math.max(20, width - headWidth(place));
  const body = isLosing(change) ? aboutText(change) : inBrief(change);
  const fits = displayWidth(body) <= room;
  if (isLosing(change) && !fits) return [line(...head), note(body, place.indent + 4, 'faint')];
  if (!fits || (body !== '' && oneLine(change) === undefined && !isLosing(change))) left.shortened += 1;
  return [line(...head, gap, faint(shorten(body, room)))];
}

function fieldsBlocks(
  { action, fields, place, detours }: ObjectChange,
  indent: number,
  options: LineOptions,
): readonly Block[] {
  const moved = action === 'create' ? 'position' : 'moved';
  const stated = fields.map((field) => stateField(action, field));
  const names = [...stated.map(({ name }) => name), ...(place === undefined ? [] : [moved])];
  const column = Math.min(24, greatest(names.map(displayWidth)));
  return [
    ...stated.flatMap((one) => fieldBlocks(one, column, indent, options)),
    ...(place === undefined ? [] : [note(`${padEnd(moved, column)}  ${place}`, indent)]),
    ...detours.map((detour) => note(detour, indent, 'faint')),
  ];
}

function fieldBlocks(
  { shown, name, isAlone, remark, as, applied, isLong }: FieldStatement,
  column: number,
  indent: number,
  options: LineOptions,
): readonly Block[] {
  const { width } = options;
  const about = remark === '' ? '' : `  ${remark}`;
  if (shown.type === 'inline') {
    const text = `${padEnd(name, column)}  ${valuesText(shown)}`;
    if (indent + displayWidth(text + about) <= width)
      return [line(`${' '.repeat(indent)}${text}`, { text: about, as })];
  }
  const header = `${' '.repeat(indent)}${name}`;
  const fits = displayWidth(header + about) <= width;
  const isBelow = applied.length > 0 && (isLong || !fits);
  return [
    line(header, { text: isBelow ? '  (conflict)' : fits ? about : '', as }),
    ...(isBelow || fits ? [] : [note(remark, indent + 2, as)]),
    ...diffBlocks(linesIn(shown), indent + 2, isAlone, options),
    ...(isBelow ? [line(' '.repeat(indent + 2), { text: 'last applied:', as: 'risk' })] : []),
    ...(isBelow ? diffBlocks(applied, indent + 2, true, options) : []),
  ];
}

/** Shows the first lines of a long difference, and the number of the others. */
function diffBlocks(
  lines: readonly DiffLine[],
  indent: number,
  isNew: boolean,
  { detail, left }: LineOptions,
): readonly Block[] {
  const isCut = detail !== 'full' && lines.length > longestDiff + 1;
  if (isCut) left.shortened += 1;
  const more = `${lines.length - longestDiff} more lines (--show all)`;
  const shown: readonly DiffLine[] = isCut
    ? [...lines.slice(0, longestDiff), { type: 'gap', text: more }]
    : lines;
  return shown.map(({ type, text }) => {
    const shownAs = isNew && type === 'added' ? 'same' : type;
    return paragraph(text, { indent, bullet: `${diffSigns[shownAs]} `, as: diffStyles[shownAs] });
  });
}

/** The sign and the address, and the spaces up to the next column. */
function headOf(
  { action }: ObjectChange,
  { label, indent, column }: LinePlace,
): readonly [readonly Span[], string] {
  const gap = ' '.repeat(2 + Math.max(0, column - displayWidth(safeText(label))));
  return [[' '.repeat(indent), actionSigns[action], ' ', strong(label)], gap];
}

function headWidth({ label, indent, column }: LinePlace): number {
  return indent + 4 + Math.max(column, displayWidth(safeText(label)));
}

/** The noun and title, if the address does not show them, and the reasons. */
function aboutText(change: ObjectChange): string {
  const { noun, title, reasons, cause } = change;
  const named = isToldByAddress(change) ? titleText(title).trim() : `${safeText(noun)}${titleText(title)}`;
  return (
    [named, ...reasons.map(safeText)].filter((text) => text !== '').join(', ') +
    (cause === 'conflict' ? '  (conflict)' : '')
  );
}

/** True if the address shows the noun: a team under `teams`, a custom field under `customFields`. Deleted objects always show it. */
function isToldByAddress({ address, noun, action }: ObjectChange): boolean {
  if (address === noun || address.endsWith(`/${noun}`)) return true;
  if (action === 'delete' || action === 'restore') return false;
  const list = address.split('/').at(-2) ?? '';
  return `${noun.replace(/[^a-z]/gi, '')}s`.toLowerCase() === list.toLowerCase();
}

/** The fields and the place in one line; undefined if they need more. */
function oneLine(change: ObjectChange): string | undefined {
  const { action, fields, place, detours } = change;
  if (detours.length > 0 || fields.some(({ cause }) => cause === 'conflict')) return undefined;
  const texts = fields.map((field) => {
    const { name, shown, remark } = stateField(action, field);
    if (shown.type === 'lines') return undefined;
    return `${name} ${valuesText(shown)}${remark && `${remark.startsWith('(') ? '  ' : ', '}${remark}`}`;
  });
  if (texts.includes(undefined)) return undefined;
  const moved =
    place === undefined ? [] : [safeText(/^(?:move|create)$/.test(action) ? place : `moved ${place}`)];
  const parts = [...texts, ...moved];
  return parts.length > 2 && !isWhole(action) ? undefined : parts.join(', ');
}

/** Length limit for the values in brief; further fields are only named. */
const longestBrief = 240;

/** A single line: new, deleted, restored or moved objects, and each value, or the amount of its difference. */
export function inBrief(change: ObjectChange): string {
  const { action, place, title, noun, reasons, fields } = change;
  const values = isLosing(change) ? '' : (oneLine(change) ?? '');
  const fits = values !== '' && values.length <= longestBrief;
  if (action !== 'restore' && action !== 'create' && fits) return values;
  const parts = [
    ...(action === 'restore' ? [`restored ${safeText(noun)}${titleText(title)}`] : []),
    ...(isWhole(action) ? [`${safeText(noun)}${titleText(title)}`] : []),
    ...(['create', 'delete', 'restore'].includes(action) ? reasons.map(safeText) : []),
    ...cascadeTexts(change).map(safeText),
    ...(action === 'create' && fits ? [values] : []),
  ];
  let room = longestBrief;
  for (const field of isWhole(action) && action !== 'replace' ? [] : fields) {
    const text = fieldInBrief(action, field);
    parts.push(text.length <= room ? text : safeText(field.field));
    room -= text.length;
  }
  if (place !== undefined && action !== 'create') parts.push(safeText(place));
  return parts.join(', ');
}

/** Longer lists of added and removed items are counted. */
const namedItems = 3;
const longestItems = 80;

/** Example: `title "A" → "B"`, `emailDomains + "gmail.com"`, `members 5 added, 1 removed`. */
export function fieldInBrief(action: Action, field: FieldChange): string {
  const { name, shown, remark } = stateField(action, field);
  return `${name} ${shown.type === 'lines' ? itemsInBrief(shown.lines) : valuesText(shown)}${remark && ` ${remark}`}`;
}

/** True if the line in brief, or the danger of a conflict, has all of a change. A line of a text needs those around it. */
export function isToldInBrief({ action, title, fields, detours, reasons }: ObjectChange): boolean {
  if (detours.length > 0 || action === 'replace' || action === 'restore') return false;
  if (!isWhole(action) && (reasons.length > 0 || title !== undefined)) return false;
  const texts = fields.map((field) => fieldInBrief(action, field));
  const isTold = (field: FieldChange, at: number) => {
    const { shown } = stateField(action, field);
    if (field.cause === 'conflict')
      return shown.type === 'inline' && (texts[at] ?? '').length <= longestItems;
    if (shown.type === 'inline') return true;
    return !isWhole(action) && typeof field.after === 'object' && /^[+~-] /.test(itemsInBrief(shown.lines));
  };
  return texts.join(', ').length <= longestBrief && fields.every(isTold);
}

function valuesText({ before, after }: Extract<ShownChange, { type: 'inline' }>): string {
  return before === undefined ? after : `${before} → ${after}`;
}

function itemsInBrief(lines: readonly DiffLine[]): string {
  const groups = (['added', 'removed', 'changed'] as const).map((type) => {
    const items = lines.filter((line) => line.type === type);
    return { type, items: items.map(({ text }) => `${diffSigns[type]} ${text.trim()}`) };
  });
  const all = groups.flatMap(({ items }) => items);
  const text = all.join(', ');
  if (all.length <= namedItems && text.length <= longestItems) return text;
  const there = groups.filter(({ items }) => items.length > 0);
  return there.map(({ type, items }) => `${items.length} ${type}`).join(', ');
}

function titleText(title: string | undefined): string {
  return title === undefined ? '' : ` ${quote(title)}`;
}
