/**
 * Address globs for `--target`, `--exclude`, `settings.protect` and rules: `*` matches any characters of a key, `**` any keys, `?` one
 * character, `{a,b}` either. The time is at most the product of both lengths, for any pattern.
 */

export interface AddressMatcher {
  (address: string): boolean;
  /** False if no address below this one can match; otherwise it may be true. */
  readonly reaches: (parent: string) => boolean;
}

/** Patterns may begin with the label of the organization, if there is one. */
export function addressMatcher(patterns: readonly string[], label?: string): AddressMatcher {
  const globs = patterns.flatMap(alternatives).map((pattern) => pattern.split('/'));
  const forms = (address: string) => (label === undefined ? [address] : [address, `${label}/${address}`]);
  const matches = (address: string) =>
    patterns.includes(address) || globs.some((glob) => fits(glob, address.split('/')));
  const reaches = (parent: string) => globs.some((glob) => mayFitBelow(glob, parent.split('/')));
  return Object.assign((address: string) => forms(address).some(matches), {
    reaches: (parent: string) => forms(parent).some(reaches),
  });
}

/** True if a text matches a pattern, in which `*` is any characters and `?` one. */
export function fitsText(pattern: string, text: string): boolean {
  return fits([...pattern], [...text], { many: '*', fitsOne: (part, own) => part === '?' || part === own });
}

const ofKeys = { many: '**', fitsOne: (part: string, key: string) => fitsText(part, key) };

/** Backtracks only to the last `many`, which suffices: it can match everything that an earlier one could. */
function fits(glob: readonly string[], parts: readonly string[], { many, fitsOne } = ofKeys): boolean {
  let [at, from] = [0, 0];
  let last: { readonly at: number; from: number } | undefined;
  while (from < parts.length) {
    if (glob[at] === many) {
      last = { at, from };
      at += 1;
    } else if (at < glob.length && fitsOne(glob[at] ?? '', parts[from] ?? '')) {
      at += 1;
      from += 1;
    } else if (last !== undefined) {
      last.from += 1;
      at = last.at + 1;
      from = last.from;
    } else return false;
  }
  return glob.slice(at).every((part) => part === many);
}

/** Keys before the first `**` must match; any keys may follow. */
function mayFitBelow(glob: readonly string[], parent: readonly string[]): boolean {
  const any = glob.indexOf('**');
  const known = any >= 0 && any < parent.length ? any : parent.length;
  if (known === parent.length && glob.length <= known) return false;
  return fits(glob.slice(0, known), parent.slice(0, known));
}

/** Further alternatives are literal, and so are those in longer patterns. */
const mostAlternatives = 100;
const longestWithAlternatives = 1000;

/** `{teams,sites}/a` → `teams/a`, `sites/a`. */
function alternatives(pattern: string): readonly string[] {
  let found: readonly string[] = [pattern];
  if (pattern.length > longestWithAlternatives) return found;
  for (;;) {
    const next = found.flatMap((one) => {
      const [, before = '', inside, after = ''] = /^(.*?)\{([^{}]*,[^{}]*)\}(.*)$/s.exec(one) ?? [];
      return inside === undefined ? [one] : inside.split(',').map((part) => `${before}${part}${after}`);
    });
    if (next.length > mostAlternatives || next.length === found.length) return found;
    found = next;
  }
}
