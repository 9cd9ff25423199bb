/**
 * The changes of a plan as a tree, folded until it fits a few screens. The list of dangers above names every delete, so the tightest
 * tree omits deletes. Pure.
 */
import { countOf } from '../../util/count.ts';
import { greatest } from '../../util/lists.ts';
import { type Block, faint, heading, line, strong, textLines } from '../blocks.ts';
import { displayWidth, safeText, wrap } from '../text/safe-text.ts';
import { changeBlocks, type LineOptions, signOf } from './change-lines.ts';
import { alikeText, type ChangeEntry, countIn, foldAlike, type Likeness, longPlan } from './change-tree.ts';
import type { ChangeGroup } from './plan-view.ts';

interface Folding {
  readonly detail: LineOptions['detail'];
  readonly alike?: Likeness;
  /** Omits deletes, because the list of dangers names each. */
  readonly deletesAbove?: true;
}

/** Sorted from most to least detail. */
const foldings: readonly Folding[] = [
  { detail: 'whole', alike: 'value' },
  { detail: 'line', alike: 'value' },
];
const tightest: Folding = { detail: 'line', alike: 'action', deletesAbove: true };

/** The first folding that fits; `room`: lines for the changes. */
export function foldingOf(groups: readonly ChangeGroup[], width: number, room: number): Folding {
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

export function* treeSections(
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
  { alike, deletesAbove, detail }: Folding,
  options: TreeOptions,
): Generator<Block> {
  const kept = deletesAbove === true ? withoutDeletes(entries) : entries;
  const dropped = deletesAbove === true ? changes.filter(({ action }) => action === 'delete').length : 0;
  if (dropped > 0) yield line('  ', signOf('delete'), ` ${countOf(dropped, 'deleted object')}, listed above`);
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
  const sign = change === undefined ? ' ' : signOf(change.action);
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
