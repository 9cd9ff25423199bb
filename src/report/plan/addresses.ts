/** Visitor addresses that change, as a sentence and line by line, and the redirects to add. Pure. */
import type { Review, WebAddress } from '../../review/reviewed-plan.ts';
import { countOf } from '../../util/count.ts';

export interface AddressesView {
  /** Example: `2 change`. Never empty. */
  readonly summary: readonly string[];
  readonly rows: readonly AddressRow[];
  /** Manifest lines that keep former addresses working, by their place. */
  readonly redirects: readonly { readonly to: string; readonly lines: readonly string[] }[];
}

export interface AddressRow {
  readonly from: string;
  /** Example: the new URL, or `lost`. */
  readonly to: string;
}

export function viewAddresses({ addresses = [], redirects = [] }: Review): AddressesView | undefined {
  const missing = redirects.reduce((sum, { lines }) => sum + lines.length, 0);
  if (addresses.length + missing === 0) return undefined;
  const count = (isMeant: (one: WebAddress) => boolean) =>
    addresses.filter(isMeant).reduce((sum, { below = 0 }) => sum + 1 + below, 0);
  const counts = [
    [count(({ to, takenBy }) => to !== undefined && takenBy === undefined), 'changes', 'change'],
    [count(({ to, takenBy }) => to === undefined && takenBy === undefined), 'is lost', 'are lost'],
    [count(({ takenBy }) => takenBy !== undefined), 'leads elsewhere', 'lead elsewhere'],
  ] as const;
  const changes = counts.flatMap(([number, one, many]) =>
    number === 0 ? [] : [`${number} ${number === 1 ? one : many}`],
  );
  return {
    summary: missing === 0 ? changes : [...changes, `${countOf(missing, 'line')} to add`],
    rows: addresses.map(rowOf),
    redirects: redirects.map(({ in: site, key, lines }) => ({ to: `${key} of ${site}`, lines })),
  };
}

function rowOf({ from, to, takenBy, below }: WebAddress): AddressRow {
  const parts = [
    to ?? 'lost',
    ...(takenBy === undefined ? [] : [`the former address is then that of ${takenBy}`]),
    ...(below === undefined ? [] : [`with ${below} below`]),
  ];
  return { from, to: parts.join(', ') };
}
