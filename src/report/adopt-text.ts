/** What adopt wrote or would write into which files, and what it left alone, as text and as JSON. Pure. */
import { countOf } from '../util/count.ts';
import { stableStringify } from '../util/json.ts';
import { append, greatest } from '../util/lists.ts';
import type { TextOptions } from './plan-text.ts';
import { displayWidth, padEnd, safeText } from './safe-text.ts';
import { makeStyle, type Style } from './style.ts';

/** A declared object and the id of its live counterpart. */
export interface AdoptedObject {
  /** Led by the label of its organization where a run has several. */
  readonly address: string;
  readonly id: string;
  /** The line for the manifest: `id: site_abc`. */
  readonly entry: string;
  readonly file: string;
  /** The line of the entry, for an object that is pinned; else the line of the object's key. */
  readonly line: number;
}

/** What an adopt did, or would do. */
export interface Adoption {
  readonly dryRun: boolean;
  /** By file, then by line. */
  readonly pinned: readonly AdoptedObject[];
  /** Not written, with the reason: a clause without a final period. */
  readonly skipped: readonly (AdoptedObject & { readonly reason: string })[];
}

/** The list of ids by file, the skipped objects, and a sentence that sums up; ends with a line break. */
export function renderAdoption(adoption: Adoption, { color }: Pick<TextOptions, 'color'>): string {
  const style = makeStyle({ color });
  const lines: string[] = [];
  for (const file of filesOf(adoption)) {
    lines.push(style.strong(safeText(file)));
    append(lines, [
      ...fileLines(
        adoption.pinned.filter((object) => object.file === file),
        style,
      ),
      '',
    ]);
  }
  if (adoption.skipped.length > 0) {
    lines.push('Left to add by hand:');
    for (const { file, line, address, reason, entry } of adoption.skipped) {
      lines.push(`  ${safeText(`${file}:${line}  ${address}: ${reason}`)}`);
      lines.push(`      ${safeText(entry)}`);
    }
    lines.push('');
  }
  return `${[...lines, style.strong(closing(adoption))].join('\n')}\n`;
}

/** The same as JSON, with keys in a fixed order; ends with a line break. */
export function renderAdoptionJson(adoption: Adoption): string {
  const { pinned, skipped } = adoption;
  const counts = { pinned: pinned.length, skipped: skipped.length, files: filesOf(adoption).length };
  return `${stableStringify({ format: 1, ...adoption, counts }, 2)}\n`;
}

function filesOf({ pinned }: Adoption): readonly string[] {
  return [...new Set(pinned.map(({ file }) => file))];
}

function fileLines(objects: readonly AdoptedObject[], style: Style): readonly string[] {
  const rows = objects.map(({ entry, address, line }) => ({
    entry: safeText(entry),
    address: safeText(address),
    place: style.faint(`(line ${line})`),
  }));
  const entryWidth = greatest(rows.map(({ entry }) => displayWidth(entry)));
  const addressWidth = greatest(rows.map(({ address }) => displayWidth(address)));
  return rows.map(
    ({ entry, address, place }) =>
      `  ${style.added('+')} ${padEnd(entry, entryWidth)}  ${padEnd(address, addressWidth)}  ${place}`,
  );
}

function closing(adoption: Adoption): string {
  const { pinned, skipped, dryRun } = adoption;
  const left = skipped.length === 0 ? '' : `${countOf(skipped.length, 'object')} left to add by hand`;
  if (pinned.length === 0) {
    const why = 'every declared live object is pinned or matched by its key';
    return `Nothing to pin: ${left === '' ? why : left}.`;
  }
  const done = `${dryRun ? 'Would pin' : 'Pinned'} ${countOf(pinned.length, 'object')}`;
  return `${done} in ${countOf(filesOf(adoption).length, 'file')}${left === '' ? '' : `; ${left}`}.`;
}
