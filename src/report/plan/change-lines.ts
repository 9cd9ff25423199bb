/**
 * The lines of one change in a tree: one line if it fits, otherwise a line for each field, with the differences of long values
 * below. Pure.
 */

import type { Action, CascadedDelete, FieldChange } from '../../plan/plan.ts';
import { isLosing, isWhole, type ObjectChange } from '../../review/object-changes.ts';
import { countOf } from '../../util/count.ts';
import { append, greatest } from '../../util/lists.ts';
import { displayWidth, indented, padEnd, quote, safeText, shorten, wrap } from '../text/safe-text.ts';
import type { Style } from '../text/style.ts';
import { cascadeTexts, ownRisks } from './dangers.ts';
import { type DiffLine, diffSigns, inline, type ShownChange, showChange, showWhole } from './values.ts';

export const actionSigns: Readonly<Record<Action, string>> = {
  create: '+',
  update: '~',
  move: '↕',
  replace: '±',
  delete: '-',
  restore: '⟲',
};

export const actionStyles: Readonly<Record<Action, keyof Style>> = {
  create: 'added',
  update: 'changed',
  move: 'moved',
  replace: 'replaced',
  delete: 'removed',
  restore: 'restored',
};

/** The sign of an action in its colour. */
export function signIn(style: Style, action: Action): string {
  return style[actionStyles[action]](actionSigns[action]);
}

/** Longer differences are cut, with the number of the other lines. Never for deleted values. */
const longestDiff = 12;

export interface LinePlace {
  /** The rest of the address, after the part that the lines above show. */
  readonly label: string;
  readonly indent: number;
  /** Width of the labels around it. */
  readonly column: number;
}

/** Everything, everything except the middle of long differences, or one line for each object. */
export type LineDetail = 'full' | 'whole' | 'line';

interface LineOptions {
  readonly width: number;
  readonly detail: LineDetail;
  /** Risks that many objects share and that are listed elsewhere. */
  readonly told?: ReadonlyMap<string, unknown>;
}

export class ChangeLines {
  readonly #style: Style;
  readonly #width: number;
  readonly #detail: LineDetail;
  readonly #told: ReadonlyMap<string, unknown>;
  shortened = 0;

  constructor(style: Style, { width, detail, told = new Map() }: LineOptions) {
    this.#style = style;
    this.#width = width;
    this.#detail = detail;
    this.#told = told;
  }

  lines(change: ObjectChange, place: LinePlace): readonly string[] {
    const { faint } = this.#style;
    const head = this.#head(change, place);
    const about = aboutText(change);
    const notes = this.#notes(change);
    const body = oneLine(change);
    const text = [about, body ?? ''].filter((part) => part !== '').join(', ');
    const used = displayWidth(text) + headWidth(place);
    if (this.#detail === 'line') return this.#shortened(change, place, text);
    if (body !== undefined && used <= this.#width) {
      const line = text === '' ? head.trimEnd() : `${head}${this.#about(about, body)}`;
      const [note, ...more] = notes;
      if (note === undefined) return [line];
      if (more.length === 0 && used + displayWidth(note) + 2 <= this.#width)
        return [`${line}  ${this.#style.risk(note)}`];
      return [line, ...this.#below(notes, place)];
    }
    const fits = headWidth(place) + displayWidth(about) <= this.#width;
    const lines = fits
      ? [`${head}${faint(about)}`.trimEnd()]
      : [head.trimEnd(), ...indented(this.#width, about, place.indent + 4).map(faint)];
    append(lines, this.#fields(change, place.indent + 4));
    append(lines, this.#below(notes, place));
    return lines;
  }

  #head({ action }: ObjectChange, { label, indent, column }: LinePlace): string {
    const shown = safeText(label);
    const gap = ' '.repeat(Math.max(0, column - displayWidth(shown)));
    return `${' '.repeat(indent)}${signIn(this.#style, action)} ${this.#style.strong(shown)}${gap}  `;
  }

  #about(about: string, body: string): string {
    const separator = about !== '' && body !== '' ? ', ' : '';
    return `${this.#style.faint(about + separator)}${body}`;
  }

  /** One line, cut if it is too long; losses are never cut. */
  #shortened(change: ObjectChange, place: LinePlace, text: string): readonly string[] {
    const head = this.#head(change, place);
    const room = this.#width - headWidth(place);
    const isShort = oneLine(change) !== undefined && change.action !== 'replace';
    const body = isShort ? text : [aboutText(change), namesOf(change)].filter(Boolean).join(', ');
    if (body === '') return [head.trimEnd()];
    if (isLosing(change)) {
      if (displayWidth(body) <= room) return [`${head}${this.#style.faint(body)}`];
      return [head.trimEnd(), ...indented(this.#width, body, place.indent + 4).map(this.#style.faint)];
    }
    if (displayWidth(body) > room || oneLine(change) === undefined) this.shortened += 1;
    return [`${head}${this.#style.faint(shorten(body, Math.max(20, room)))}`];
  }

  #notes(change: ObjectChange): readonly string[] {
    const { cascade } = change;
    const also = cascade.length === 0 ? [] : [`also deletes ${cascadeText(cascade)}`];
    return [...also, ...ownRisks(change, this.#told)].map((text) => `! ${safeText(text)}`);
  }

  #below(notes: readonly string[], { indent }: LinePlace): readonly string[] {
    return notes.flatMap((note) => indented(this.#width, note, indent + 4)).map(this.#style.risk);
  }

  #fields(change: ObjectChange, indent: number): readonly string[] {
    const { fields, place, detours } = change;
    const places = place === undefined ? [] : [place];
    const names = [...fields.map(({ field }) => safeText(field)), ...places.map(() => 'moved')];
    const column = Math.min(24, greatest(names.map(displayWidth)));
    const lines: string[] = [];
    for (const field of fields) {
      const name = padEnd(safeText(field.field), column);
      const action = isAlone(change.action, field) ? 'create' : 'update';
      append(lines, this.#field(name, valuesOf(change.action, field), { action, field, indent }));
    }
    for (const text of places)
      append(lines, indented(this.#width, `${padEnd('moved', column)}  ${safeText(text)}`, indent));
    for (const detour of detours)
      append(lines, indented(this.#width, safeText(detour), indent).map(this.#style.faint));
    return lines;
  }

  #field(
    name: string,
    shown: ShownChange,
    {
      action,
      field,
      indent,
    }: { readonly action: 'create' | 'update'; readonly field: FieldChange; readonly indent: number },
  ): readonly string[] {
    const { risk } = this.#style;
    const conflict = field.cause === 'conflict' && action === 'update' ? field : undefined;
    const remark = field.cause === 'conflict' && conflict === undefined ? '' : remarkText(field);
    const body: DiffLine[] = [];
    if (shown.type === 'lines') append(body, this.#cut(shown.lines));
    else {
      const { before, after } = shown;
      const text = before === undefined ? after : `${before} → ${after}`;
      if (indent + 2 + displayWidth(name) + displayWidth(text + remark) <= this.#width) {
        return [`${' '.repeat(indent)}${name}  ${text}${risk(remark)}`];
      }
      if (before !== undefined) body.push({ type: 'removed', text: before });
      body.push({ type: before === undefined ? 'same' : 'added', text: after });
    }
    const diff = body.flatMap((line) => this.#diffLine(line, { action, indent: indent + 2 }));
    const header = `${' '.repeat(indent)}${name.trimEnd()}`;
    if (conflict?.base === undefined) return [header + risk(remark), ...diff];
    const saysAll = inline(conflict.base, conflict) !== undefined;
    if (saysAll && displayWidth(header + remark) <= this.#width) return [header + risk(remark), ...diff];
    return [header + risk('  (conflict)'), ...diff, ...this.#lastApplied(conflict, indent + 2)];
  }

  /** The first lines of a long difference, and the number of the others. */
  #cut(lines: readonly DiffLine[]): readonly DiffLine[] {
    if (this.#detail === 'full' || lines.length <= longestDiff + 1) return lines;
    this.shortened += 1;
    const more = lines.length - longestDiff;
    return [...lines.slice(0, longestDiff), { type: 'gap', text: `${more} more lines (--show all)` }];
  }

  /** The third value of a conflict, if it does not fit next to the name of the field. */
  #lastApplied(conflict: FieldChange, indent: number): readonly string[] {
    if (conflict.base === undefined) return [];
    const shown = showWhole(conflict.base, conflict);
    const lines = shown.type === 'lines' ? this.#cut(shown.lines).map(({ text }) => text) : [shown.after];
    const body = lines.flatMap((text) =>
      this.#diffLine({ type: 'same', text }, { action: 'update', indent }),
    );
    return [`${' '.repeat(indent)}${this.#style.risk('last applied:')}`, ...body];
  }

  #diffLine(
    line: DiffLine,
    { action, indent }: { readonly action: 'create' | 'update'; readonly indent: number },
  ): readonly string[] {
    const { added, changed, removed, faint } = this.#style;
    const paints = { added, removed, changed, same: (text: string) => text, gap: faint };
    const whole = action === 'create' && line.type === 'added';
    const sign = whole ? ' ' : diffSigns[line.type];
    const paint = whole ? paints.same : paints[line.type];
    return wrap(line.text, this.#width - indent - 2).map(
      (piece, at) => `${' '.repeat(indent)}${paint(`${at === 0 ? sign : ' '} ${piece}`)}`,
    );
  }
}

function headWidth({ label, indent, column }: LinePlace): number {
  return indent + 4 + Math.max(column, displayWidth(safeText(label)));
}

/** The noun and title, if the address does not show them, and the reasons. */
function aboutText(change: ObjectChange): string {
  const { noun, title, reasons } = change;
  const named = isToldByAddress(change) ? titleText(title).trim() : `${safeText(noun)}${titleText(title)}`;
  return [named, ...reasons.map(safeText)].filter((text) => text !== '').join(', ') + conflictText(change);
}

/** The address shows the noun: a team under `teams`, a custom field under `customFields`. Deleted objects always show it. */
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
    const shown = valuesOf(action, field);
    if (shown.type === 'lines') return undefined;
    const { before, after } = shown;
    const values = before === undefined ? after : `${before} → ${after}`;
    const replaces = field.forcesReplacement === true ? ', forces replacement' : '';
    return `${safeText(field.field)} ${values}${replaces}${undecidedText(field)}`;
  });
  if (texts.includes(undefined)) return undefined;
  const moved = place === undefined ? [] : [action === 'move' ? safeText(place) : `moved ${safeText(place)}`];
  const parts = [...texts, ...moved];
  return parts.length > 2 && !isWhole(action) ? undefined : parts.join(', ');
}

/** Of the values in brief; further fields only by name. */
const longestBrief = 240;

/** One line: what is new, gone, restored or moved, and each value, or how much of it differs. */
export function inBrief(change: ObjectChange): string {
  const { action, place, title, noun, reasons, fields } = change;
  const values = isLosing(change) ? '' : (oneLine(change) ?? '');
  const fits = values !== '' && values.length <= longestBrief;
  if (action !== 'restore' && action !== 'create' && fits) return values;
  const parts = [
    ...(action === 'restore' ? [`restored ${safeText(noun)}${titleText(title)}`] : []),
    ...(isWhole(action) ? [`${safeText(noun)}${titleText(title)}`] : []),
    ...(action === 'restore' || action === 'create' ? reasons.map(safeText) : []),
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

/** For example `title "A" → "B"`, `emailDomains + "gmail.com"`, `members 5 added, 1 removed`. */
export function fieldInBrief(action: Action, field: FieldChange): string {
  const shown = valuesOf(action, field);
  return `${safeText(field.field)} ${shown.type === 'lines' ? itemsInBrief(shown.lines) : valuesText(shown)}${remarkText(field).replace(/^ +/, ' ')}`;
}

function valuesText({ before, after }: Extract<ShownChange, { type: 'inline' }>): string {
  return before === undefined ? after : `${before} → ${after}`;
}

function itemsInBrief(lines: readonly DiffLine[]): string {
  const types = ['added', 'removed', 'changed'] as const;
  const items = types.flatMap((type) =>
    lines.filter((line) => line.type === type).map(({ text }) => `${diffSigns[type]} ${text.trim()}`),
  );
  const text = items.join(', ');
  if (items.length <= namedItems && text.length <= longestItems) return text;
  return types
    .map((type) => [lines.filter((line) => line.type === type).length, type] as const)
    .filter(([count]) => count > 0)
    .map(([count, type]) => `${count} ${type}`)
    .join(', ');
}

function namesOf({ fields, place }: ObjectChange): string {
  const names = fields.map(({ field }) => safeText(field));
  return [...names, ...(place === undefined ? [] : [`moved ${safeText(place)}`])].join(', ');
}

/** Longer lists of cascaded deletes are cut, with the number of the others. */
const namedCascade = 3;

/** Only one value if there is nothing to compare with. */
export function valuesOf(action: Action, field: FieldChange): ShownChange {
  const shown = bareValues(action, field);
  if (field.additive !== true) return shown;
  // A new list has no others yet.
  const text = field.before === undefined ? 'additive' : 'additive: others are kept';
  if (shown.type === 'inline') return { ...shown, after: `${shown.after} (${text})` };
  return { ...shown, lines: [{ type: 'gap', text }, ...shown.lines] };
}

function bareValues(action: Action, field: FieldChange): ShownChange {
  if (isAlone(action, field)) return showWhole(field.after === undefined ? field.before : field.after, field);
  const shown = showChange(field);
  const isLost = action === 'replace' && field.after === undefined;
  return isLost && shown.type === 'inline' ? { ...shown, after: '(lost)' } : shown;
}

function titleText(title: string | undefined): string {
  return title === undefined ? '' : ` ${quote(title)}`;
}

/** There is nothing to compare the value with. */
export function isAlone(action: Action, { before }: FieldChange): boolean {
  return isWhole(action) && (action !== 'replace' || before === undefined);
}

export function remarkText(field: FieldChange): string {
  if (field.forcesReplacement === true) return '  forces replacement';
  return conflictText(field) || undecidedText(field);
}

export function undecidedText({ undecided }: FieldChange): string {
  return undecided === undefined ? '' : `  (from a ${undecided}: cause not known)`;
}

/** For a change of both sides, with the value that both changed; empty if only one side changed. */
function conflictText({ cause, base, ...reading }: Partial<FieldChange>): string {
  if (cause !== 'conflict') return '';
  const applied = base === undefined ? undefined : inline(base, reading);
  return applied === undefined ? '  (conflict)' : `  (conflict, last applied ${applied})`;
}

/** A few by name; many are counted. */
export function cascadeText(cascade: readonly CascadedDelete[]): string {
  if (cascade.length <= namedCascade)
    return cascade.map(({ noun, title }) => `${safeText(noun)} ${quote(title)}`).join(', ');
  const counts = new Map<string, number>();
  for (const { noun } of cascade) counts.set(noun, (counts.get(noun) ?? 0) + 1);
  return [...counts].map(([noun, count]) => countOf(count, safeText(noun))).join(', ');
}
