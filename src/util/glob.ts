/** Address globs, as `--target`, `--exclude` and `settings.protect` take them. */
import picomatch from 'picomatch';

/** Tells which addresses some patterns mean. */
export interface AddressMatcher {
  /** True for addresses that equal one of the patterns or match it as a glob. */
  (address: string): boolean;
  /** False only when no address below this one can match. */
  readonly reaches: (parent: string) => boolean;
}

/** Makes a matcher of patterns. */
export function addressMatcher(patterns: readonly string[]): AddressMatcher {
  const globs = patterns.map((pattern) => picomatch(pattern, options));
  const matches = (address: string) =>
    patterns.includes(address) || globs.some((isMatch) => isMatch(address));
  return Object.assign(matches, {
    reaches: (parent: string) => patterns.some((pattern) => mayMatchBelow(pattern, parent)),
  });
}

const options = { dot: true, nonegate: true };

/** Compares as many segments as the parent has; what cannot be compared that way may match. */
function mayMatchBelow(pattern: string, parent: string): boolean {
  if (/[{(]/.test(pattern)) return true;
  const around = parent.split('/');
  const segments = pattern.split('/');
  const any = segments.findIndex((segment) => segment.includes('**'));
  // From the first ** on anything may follow; what is before it must fit.
  const known = any >= 0 && any < around.length ? any : around.length;
  if (known === around.length && segments.length <= known) return false;
  return (
    known === 0 || picomatch(segments.slice(0, known).join('/'), options)(around.slice(0, known).join('/'))
  );
}
