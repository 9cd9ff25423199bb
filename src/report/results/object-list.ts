import type { ListedRow, ObjectList, ObjectState } from '../../run/facts/list-objects.ts';
import { countOf, countsOf } from '../../util/count.ts';
import { greatest } from '../../util/lists.ts';
import { type Line, line, type Report, strong, table } from '../blocks.ts';
import { displayWidth, safeText, shorten } from '../text/safe-text.ts';
import type { Style } from '../text/style.ts';

export const objectListReport: Report<ObjectList> = {
  document: ({ objects, isLive }, width) => {
    if (objects.length === 0) return [[line('No objects.')]];
    const room = titleColumns(objects, isLive, width);
    const rows = objects.map((row): readonly Line[] => {
      const { state, address, noun, title = '', id = '', place = '' } = row;
      const shown = shorten(safeText(title), room);
      return isLive
        ? [{ text: state, as: paints[state] }, address, noun, shown, id]
        : [strong(address), noun, shown, place];
    });
    return [[table(rows, { indent: 0 })], [line(`${closing(objects, isLive)}.`)]];
  },
  data: ({ objects }) => ({ format: 1, objects, counts: statesIn(objects) }),
};

const paints: Readonly<Record<ObjectState, keyof Style>> = {
  missing: 'added',
  differs: 'changed',
  unmanaged: 'risk',
  present: 'faint',
  unseen: 'risk',
  declared: 'faint',
};

export function objectNames({ objects }: ObjectList): string {
  return objects.map(({ address }) => `${safeText(address)}\n`).join('');
}

/** Remaining columns for titles. If there are too few, lines are longer. */
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

function closing(objects: readonly ListedRow[], isLive: boolean): string {
  const total = countOf(objects.length, 'object');
  if (!isLive) return total;
  const counts = Object.entries(statesIn(objects));
  return `${total}: ${counts.map(([state, count]) => `${count} ${state}`).join(', ')}`;
}

const statesIn = (objects: readonly ListedRow[]) => countsOf(objects.map(({ state }) => state));
