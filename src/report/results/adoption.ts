import { countOf } from '../../util/count.ts';
import { type Block, heading, line, type Report, table } from '../blocks.ts';

export interface AdoptedObject {
  /** Begins with the label of its organization if a run has several. */
  readonly address: string;
  readonly id: string;
  /** The line for the manifest: `id: site_abc`. */
  readonly entry: string;
  readonly file: string;
  /** The line of the `id` entry if the object is pinned; else the line of the object's key. */
  readonly line: number;
}

export interface Adoption {
  readonly dryRun: boolean;
  /** By file, then by line. */
  readonly pinned: readonly AdoptedObject[];
  /** Not written, with the reason: a clause without a final period. */
  readonly skipped: readonly (AdoptedObject & { readonly reason: string })[];
}

export const adoptionReport: Report<Adoption> = {
  document: (adoption) => [
    ...filesOf(adoption).map((file): readonly Block[] => [heading(file), pinnedTable(adoption, file)]),
    adoption.skipped.length === 0 ? [] : [line('Left to add by hand:'), skippedList(adoption)],
    [heading(closing(adoption))],
  ],
  data: (adoption) => {
    const { pinned, skipped } = adoption;
    const counts = { pinned: pinned.length, skipped: skipped.length, files: filesOf(adoption).length };
    return { format: 1, ...adoption, counts };
  },
};

function filesOf({ pinned }: Adoption): readonly string[] {
  return [...new Set(pinned.map(({ file }) => file))];
}

function pinnedTable({ pinned }: Adoption, file: string): Block {
  const own = pinned.filter((object) => object.file === file);
  return table(
    own.map((one) => [
      [{ text: '+', as: 'added' }, ` ${one.entry}`],
      one.address,
      { text: `(line ${one.line})`, as: 'faint' },
    ]),
  );
}

function skippedList({ skipped }: Adoption): Block {
  const items = skipped.map((one) => ({
    line: `${one.file}:${one.line}  ${one.address}: ${one.reason}`,
    below: [one.entry],
  }));
  return { type: 'list', items };
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
