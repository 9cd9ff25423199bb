/**
 * The changes of a plan as a tree, folded until it fits a few screens. The list of dangers above names every delete, so the tightest
 * tree omits deletes. Pure.
 */
import { countOf } from '../../util/count.ts';
import { greatest } from '../../util/lists.ts';
import { type Block, faint, heading, line, strong, textLines } from '../blocks.ts';
import { displayWidth, safeText, wrap } from '../text/safe-text.ts';
import { ChangeLines, type LineDetail, signOf } from './change-lines.ts';
import { alikeText, type ChangeEntry, countIn, foldAlike, type Likeness, longPlan } from './change-tree.ts';
import type { ChangeGroup } from './plan-view.ts';

interface Folding {
  readonly detail: LineDetail;
  readonly alike?: Likeness;
  /** Omits deletes, because the list of dangers names each. */
  readonly deletesAbove?: true;
}

const unfolded: Folding = { detail: 'full' };
const asTheyAre: Folding = { detail: 'whole' };
/** Sorted from most to least detail. */
const foldings: readonly Folding[] = [
  { detail: 'whole', alike: 'value' },
  { detail: 'line', alike: 'value' },
];
const tightest: Folding = { detail: 'line', alike: 'action', deletesAbove: true };

interface TreeOptions {
  readonly width: number;
  readonly full: boolean;
}

/** Numbers of changes that are only counted or shortened. */
export interface Left {
  folded: number;
  shortened: number;
}

export class TreeText {
  readonly #options: TreeOptions;
  readonly #left: Left;

  constructor(options: TreeOptions, left: Left = { folded: 0, shortened: 0 }) {
    this.#options = options;
    this.#left = left;
  }

  /** The first folding that fits; `room`: lines for the changes. */
  foldingOf(groups: readonly ChangeGroup[], room: number): Folding {
    const count = groups.reduce((sum, { changes }) => sum + changes.length, 0);
    if (this.#options.full) return unfolded;
    if (count <= longPlan) return asTheyAre;
    const fitting = foldings.find((folding) => {
      let used = 0;
      for (const _ of textLines(new TreeText(this.#options).sections(groups, folding), {
        color: false,
        room: this.#options.width,
      })) {
        used += 1;
        if (used >= room) return false;
      }
      return true;
    });
    return fitting ?? tightest;
  }

  *sections(groups: readonly ChangeGroup[], folding: Folding): Generator<Iterable<Block>> {
    for (const group of groups) {
      if (group.heading !== undefined) yield [heading(group.heading)];
      yield this.#group(group, folding);
    }
  }

  *#group({ changes, entries }: ChangeGroup, { alike, deletesAbove, detail }: Folding): Generator<Block> {
    const { width } = this.#options;
    const kept = deletesAbove === true ? withoutDeletes(entries) : entries;
    const dropped = deletesAbove === true ? changes.filter(({ action }) => action === 'delete').length : 0;
    const lines = new ChangeLines({ width, detail });
    if (dropped > 0)
      yield line('  ', signOf('delete'), ` ${countOf(dropped, 'deleted object')}, listed above`);
    yield* this.#entries(alike === undefined ? kept : foldAlike(kept, alike), 2, lines);
    this.#left.shortened += lines.shortened;
  }

  *#entries(entries: readonly ChangeEntry[], indent: number, lines: ChangeLines): Generator<Block> {
    const own = entries.filter(({ change }) => change !== undefined);
    const widths = own.map(({ label }) => displayWidth(safeText(label)));
    const column = Math.min(28, greatest(widths.filter((width) => width <= 28)));
    for (const entry of entries) {
      const { change, children, label, alike } = entry;
      if (change === undefined) yield line(' '.repeat(indent), faint(label));
      else yield* lines.blocks(change, { label, indent, column });
      yield* this.#entries(children, indent + (change === undefined ? 2 : 4), lines);
      if (alike.length > 0) yield this.#alike(entry, indent);
    }
  }

  /** Example: `~ 46 more sections alike: s2, s3, s4, …`. */
  #alike({ alike, change, likeness }: ChangeEntry, indent: number): Block {
    for (const entry of alike) this.#left.folded += countIn(entry);
    const what =
      likeness === 'value'
        ? alikeText([change, ...alike.map((one) => one.change)])
        : `${change === undefined ? `${alike.length} more` : countOf(alike.length, `more ${change.noun}`)}, not shown`;
    const room = this.#options.width - indent - displayWidth(what) - 4;
    const labels = alike.map((entry) => safeText(entry.label));
    const sign = change === undefined ? ' ' : signOf(change.action);
    const [first = '', ...rest] = wrap(labels.join(', '), room - 3);
    const some = rest.length === 0 ? first : `${first} …`;
    return line(' '.repeat(indent), sign, ' ', strong(what), ': ', faint(some));
  }
}

/** Removes deleted objects; keeps their children that are not deleted. */
function withoutDeletes(entries: readonly ChangeEntry[]): readonly ChangeEntry[] {
  return entries.flatMap((entry) => {
    const children = withoutDeletes(entry.children);
    if (entry.change?.action === 'delete') return children;
    return entry.change === undefined && children.length === 0 ? [] : [{ ...entry, children }];
  });
}
