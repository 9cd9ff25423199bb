/** Addresses of visitors that change, in a sentence and line by line, and the redirects to add. Pure. */
import type { WebAddress } from '../../plan/plan.ts';
import { grouped } from '../../util/group.ts';

export interface AddressesView {
  /** For example `2 change`; at least one. */
  readonly summary: readonly string[];
  readonly rows: readonly AddressRow[];
  /** Lines of manifests that keep former addresses working, by where they belong. */
  readonly redirects: readonly { readonly to: string; readonly lines: readonly string[] }[];
}

export interface AddressRow {
  readonly from: string;
  /** For example the new URL, or `lost`. */
  readonly to: string;
}

export function viewAddresses(addresses: readonly WebAddress[]): AddressesView {
  const count = (isMeant: (one: WebAddress) => boolean) =>
    addresses.filter(isMeant).reduce((sum, { below = 0 }) => sum + 1 + below, 0);
  const counts = [
    [count(({ to, takenBy }) => to !== undefined && takenBy === undefined), 'changes', 'change'],
    [count(({ to, takenBy }) => to === undefined && takenBy === undefined), 'is lost', 'are lost'],
    [count(({ takenBy }) => takenBy !== undefined), 'leads elsewhere', 'lead elsewhere'],
  ] as const;
  const groups = grouped(
    addresses.flatMap(({ redirects }) => redirects ?? []),
    ({ in: site, key }) => `${site} ${key}`,
  );
  return {
    summary: counts.flatMap(([number, one, many]) =>
      number === 0 ? [] : [`${number} ${number === 1 ? one : many}`],
    ),
    rows: addresses.map(rowOf),
    redirects: [...groups.values()].map((own) => ({
      to: `${own[0]?.key ?? ''} of ${own[0]?.in ?? ''}`,
      lines: [...new Set(own.flatMap(({ lines }) => lines))],
    })),
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
