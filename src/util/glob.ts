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
  const depth = parent.split('/').length;
  const segments = pattern.split('/');
  const above = segments.slice(0, depth);
  if (above.some((segment) => segment.includes('**'))) return true;
  return segments.length > depth && picomatch(above.join('/'), options)(parent);
}
