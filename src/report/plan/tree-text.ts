/**
 * The changes of a plan as a tree, folded until it fits a few screens. Losses are never folded; if the list above names every
 * delete, the tree leaves them out. Pure.
 */
import { countOf } from '../../util/count.ts';
import { append, greatest } from '../../util/lists.ts';
import { displayWidth, safeText } from '../text/safe-text.ts';
import type { Style } from '../text/style.ts';
import { ChangeLines, type LineDetail, signIn } from './change-lines.ts';
import { type ChangeEntry, changesIn, foldAlike, type Likeness, longPlan } from './change-tree.ts';
import type { ChangeGroup } from './plan-view.ts';

/** More changes than this are folded without trying whether they fit. */
const mostChanges = 1000;

interface Folding {
  readonly detail: LineDetail;
  readonly alike?: Likeness;
  /** Deletes are only in the list of dangers, which names each. */
  readonly deletesAbove?: true;
}

const unfolded: Folding = { detail: 'full' };
const asTheyAre: Folding = { detail: 'whole' };
/** From most to least detail. */
const foldings: readonly Folding[] = [
  { detail: 'whole', alike: 'shape' },
  { detail: 'line', alike: 'shape' },
];
const tightest: Folding = { detail: 'line', alike: 'action', deletesAbove: true };

interface TreeOptions {
  readonly style: Style;
  readonly width: number;
  /** Risks that many objects share; the list above has them. */
  readonly told: ReadonlyMap<string, unknown>;
  /** Shows every change whole, however many there are. */
  readonly full: boolean;
}

export class TreeText {
  readonly #options: TreeOptions;
  /** Changes that are only counted, and those that are shortened. */
  readonly left = { folded: 0, shortened: 0 };

  constructor(options: TreeOptions) {
    this.#options = options;
  }

  /** The first folding that fits; `room`: lines for the changes. */
  foldingOf(groups: readonly ChangeGroup[], room: number): Folding {
    const count = groups.reduce((sum, { changes }) => sum + changes.length, 0);
    if (this.#options.full) return unfolded;
    if (count <= longPlan) return asTheyAre;
    if (count > mostChanges) return tightest;
    const fitting = foldings.find((folding) => {
      const trial = new TreeText(this.#options);
      let used = 0;
      for (const group of groups)
        for (const _ of trial.lines(group, folding)) {
          used += 1;
          if (used > room) return false;
        }
      return true;
    });
    return fitting ?? tightest;
  }

  *lines({ heading, entries }: ChangeGroup, folding: Folding): Generator<string> {
    if (heading !== undefined) yield* [this.#options.style.strong(heading), ''];
    const { alike, deletesAbove, detail } = folding;
    const { kept, dropped } = deletesAbove === true ? withoutDeletes(entries) : { kept: entries, dropped: 0 };
    const lines = this.#lines(detail);
    if (dropped > 0)
      yield `  ${this.#options.style.removed('-')} ${countOf(dropped, 'deleted object')}, listed above`;
    yield* this.#entries(alike === undefined ? kept : foldAlike(kept, alike), 2, lines);
    this.left.shortened += lines.shortened;
    yield '';
  }

  *#entries(entries: readonly ChangeEntry[], indent: number, lines: ChangeLines): Generator<string> {
    const own = entries.filter(({ change }) => change !== undefined);
    const widths = own.map(({ label }) => displayWidth(safeText(label)));
    const column = Math.min(28, greatest(widths.filter((width) => width <= 28)));
    for (const entry of entries) {
      const { change, children, label, alike } = entry;
      if (change === undefined) yield `${' '.repeat(indent)}${this.#options.style.faint(safeText(label))}`;
      else yield* lines.lines(change, { label, indent, column });
      yield* this.#entries(children, indent + (change === undefined ? 2 : 4), lines);
      if (alike.length > 0) yield this.#alike(entry, indent);
    }
  }

  /** For example `~ 46 more sections alike: s2, s3, s4, …`. */
  #alike({ alike, change }: ChangeEntry, indent: number): string {
    const { strong, faint } = this.#options.style;
    for (const entry of alike) this.left.folded += changesIn(entry).length;
    const nouns =
      change === undefined ? `${alike.length} more` : countOf(alike.length, `more ${change.noun}`);
    const what = `${nouns} alike`;
    const sign = change === undefined ? ' ' : signIn(this.#options.style, change.action);
    const head = `${sign} ${strong(what)}: `;
    const room = this.#options.width - indent - displayWidth(what) - 4;
    const labels = alike.map((entry) => safeText(entry.label));
    return `${' '.repeat(indent)}${head}${faint(listed(labels, room))}`;
  }

  #lines(detail: LineDetail): ChangeLines {
    const { style, width, told } = this.#options;
    return new ChangeLines(style, { width, detail, told });
  }
}

function listed(texts: readonly string[], room: number): string {
  let line = '';
  let at = 0;
  for (; at < texts.length; at += 1) {
    const next = `${line}${at === 0 ? '' : ', '}${texts[at] ?? ''}`;
    if (displayWidth(next) > room - 4) break;
    line = next;
  }
  if (at === texts.length) return line;
  return line === '' ? '…' : `${line}, …`;
}

/** Removes deleted objects; their children that stay remain in the tree. */
function withoutDeletes(entries: readonly ChangeEntry[]): {
  readonly kept: readonly ChangeEntry[];
  readonly dropped: number;
} {
  let dropped = 0;
  const kept: ChangeEntry[] = [];
  for (const entry of entries) {
    const inside = withoutDeletes(entry.children);
    dropped += inside.dropped;
    const isDelete = entry.change?.action === 'delete';
    if (isDelete) dropped += 1;
    if (isDelete) append(kept, inside.kept);
    else if (entry.change !== undefined || inside.kept.length > 0)
      kept.push({ ...entry, children: inside.kept });
  }
  return { kept, dropped };
}
