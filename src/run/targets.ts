/** Refuses patterns without a match: a plan with a mistyped pattern would look like a plan without changes. */
import type { TreeOutline } from '../manifest/build/outline.ts';
import type { Pasts } from '../plan/past.ts';
import type { Plan } from '../plan/plan.ts';
import { prefixesOf } from '../tree/addressing.ts';
import { rootAddress } from '../tree/desired.ts';
import { DiagnosticError } from '../util/diagnostic.ts';
import { addressMatcher } from '../util/glob.ts';
import { nearest } from '../util/nearest.ts';

export interface Targetable {
  /** Absent if patterns cannot begin with a label. */
  readonly label?: string;
  readonly addresses: readonly string[];
}

/** Includes addresses of the base, and of a plan if given. */
export function targetsIn(
  { trees, pasts }: { readonly trees: readonly TreeOutline[]; readonly pasts: Pasts },
  plan?: Plan,
): readonly Targetable[] {
  return trees.map(({ label, nodes }) => {
    const { steps = [], unmanaged = [] } = plan?.organizations.find((one) => one.label === label) ?? {};
    const base = pasts.get(label)?.tree?.nodes.keys() ?? [];
    const planned = [...steps, ...unmanaged].map(({ address }) => address);
    return { label, addresses: [...nodes.keys(), ...base, ...planned] };
  });
}

/** True if a run deletes live objects that no manifest lists, because patterns may match those. */
export function mayMatchUnlisted(trees: readonly TreeOutline[]): boolean {
  return trees.some(
    ({ settings: { prune, pruneKinds } }) =>
      prune === 'unlisted' || Object.values(pruneKinds ?? {}).includes('unlisted'),
  );
}

/**
 * Takes patterns by the flag that they are passed with. `otherwise` is added to the help if no address is similar.
 * @throws DiagnosticError
 */
export function refuseUnmatched(
  given: Readonly<Record<string, readonly string[] | undefined>>,
  all: readonly Targetable[],
  otherwise = '',
): void {
  const isMatch = (pattern: string) =>
    all.some(({ label, addresses }) => addresses.some(addressMatcher([pattern], label)));
  const wrong = Object.entries(given).flatMap(([flag, patterns = []]) =>
    patterns.filter((one) => !isMatch(one)).map((pattern) => ({ flag, pattern })),
  );
  if (wrong.length === 0) return;
  const known = new Set(all.flatMap(({ addresses }) => addresses));
  throw new DiagnosticError(
    wrong.map(({ flag, pattern }) => {
      const near = nearMiss(pattern, known);
      const message = `${flag}${pattern} matches no address`;
      const advice = `addresses are paths of keys, for example teams/platform${otherwise}`;
      const suggestion = near === undefined ? advice : `did you mean ${near}?`;
      return { severity: 'error', code: 'no-such-address', message, suggestion };
    }),
  );
}

/** The most similar address, or the start of the pattern if that is an address. */
function nearMiss(pattern: string, known: ReadonlySet<string>): string | undefined {
  const whole = nearest(pattern, known);
  if (whole !== undefined) return whole;
  const inside = [...known].filter((address) => address !== rootAddress && address.endsWith(`/${pattern}`));
  if (inside[0] !== undefined) return inside[0];
  const plain = pattern.replace(/\/?\*.*$/, '');
  const collections = new Set([...known].flatMap((address) => prefixesOf(address).slice(0, -1)));
  const near = nearest(plain, new Set([...known, ...collections]));
  return near === undefined || near === plain ? undefined : `${near}${pattern.slice(plain.length)}`;
}
