/** Declared objects with what is known of them, as a table, as names and as JSON. Pure. */
import { countOf } from '../util/count.ts';
import { stableStringify } from '../util/json.ts';
import { greatest } from '../util/lists.ts';
import type { TextOptions } from './plan-text.ts';
import { displayWidth, firstColumns, padEnd, safeText } from './safe-text.ts';
import { makeStyle, type Paint, type Style } from './style.ts';

/**
 * `present`: live, and as declared. `differs`: live, and a plan changes it. `missing`: not live. `unmanaged`: live, and
 * no manifest lists it. `declared`: the service was not asked.
 */
export type ObjectState = 'present' | 'differs' | 'missing' | 'unmanaged' | 'declared';

/** One object. */
export interface ListedRow {
  /** Led by the label of its organization where there are several. */
  readonly address: string;
  readonly noun: string;
  readonly title?: string;
  /** Of the live object; or the pinned one, where the service was not asked. */
  readonly id?: string;
  readonly state: ObjectState;
  /** Where it is declared: `sites.yaml:12`. */
  readonly place?: string;
}

/** What is listed. */
export interface ObjectList {
  readonly objects: readonly ListedRow[];
  /** True where the service was asked for states. */
  readonly isLive: boolean;
}

/** One line for each object, and the counts. */
export function objectListText({ objects, isLive }: ObjectList, { color, width }: TextOptions): string {
  const style = makeStyle({ color });
  if (objects.length === 0) return 'No objects.\n';
  const titleRoom = titleColumns(objects, isLive, width);
  const cells = objects.map((row) => [
    ...(isLive ? [row.state] : []),
    safeText(row.address),
    row.noun,
    cut(safeText(row.title ?? ''), titleRoom),
    isLive ? safeText(row.id ?? '') : safeText(row.place ?? ''),
  ]);
  const widths = (cells[0] ?? []).map((_, at) => greatest(cells.map((cell) => displayWidth(cell[at] ?? ''))));
  const lines = cells.map((cell, line) => {
    const padded = cell.map((text, at) => (at === cell.length - 1 ? text : padEnd(text, widths[at] ?? 0)));
    const [first = '', ...rest] = padded;
    const paint = isLive ? paintOf(style, objects[line]?.state) : style.strong;
    return [paint(first), ...rest].join('  ').trimEnd();
  });
  return `${[...lines, '', `${closing(objects, isLive)}.`].join('\n')}\n`;
}

/** Addresses alone, one on a line. */
export function objectNames({ objects }: ObjectList): string {
  return objects.map(({ address }) => `${safeText(address)}\n`).join('');
}

/** One document. */
export function objectListJson({ objects }: ObjectList): string {
  return `${stableStringify({ format: 1, objects, counts: countsOf(objects) }, 2)}\n`;
}

/** What is left for titles beside the other columns. Where that is too little, lines are longer anyway. */
function titleColumns(objects: readonly ListedRow[], isLive: boolean, width: number): number {
  const column = (text: (row: ListedRow) => string) =>
    greatest(objects.map((row) => displayWidth(text(row)))) + 2;
  const others =
    column(({ address }) => address) +
    column(({ noun }) => noun) +
    (isLive ? column(({ state }) => state) : 0) +
    column(({ id, place }) => (isLive ? id : place) ?? '');
  const room = width - others;
  return room < 12 ? 40 : Math.min(40, room);
}

function cut(text: string, columns: number): string {
  return displayWidth(text) <= columns ? text : `${firstColumns(text, columns - 1)}…`;
}

function paintOf(style: Style, state: ObjectState | undefined): Paint {
  switch (state) {
    case 'missing':
      return style.added;
    case 'differs':
      return style.changed;
    case 'unmanaged':
      return style.risk;
    default:
      return style.faint;
  }
}

function closing(objects: readonly ListedRow[], isLive: boolean): string {
  const total = countOf(objects.length, 'object');
  if (!isLive) return total;
  const counts = Object.entries(countsOf(objects)).filter(([, count]) => count > 0);
  return `${total}: ${counts.map(([state, count]) => `${count} ${state}`).join(', ')}`;
}

function countsOf(objects: readonly ListedRow[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { state } of objects) counts[state] = (counts[state] ?? 0) + 1;
  return counts;
}
