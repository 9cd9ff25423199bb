/** Address globs, as `--target`, `--exclude` and `settings.protect` take them. */
import picomatch from 'picomatch';

export interface AddressMatcher {
  (address: string): boolean;
  /** False only if no address below this one can match. */
  readonly reaches: (parent: string) => boolean;
}

export function addressMatcher(patterns: readonly string[]): AddressMatcher {
  const globs = patterns.map((pattern) => picomatch(pattern, options));
  const matches = (address: string) =>
    patterns.includes(address) || globs.some((isMatch) => isMatch(address));
  return Object.assign(matches, {
    reaches: (parent: string) => patterns.some((pattern) => mayMatchBelow(pattern, parent)),
  });
}

const options = { dot: true, nonegate: true };

/** Compares as many segments as the parent has; if that is not possible, the pattern may match. */
function mayMatchBelow(pattern: string, parent: string): boolean {
  if (/[{(]/.test(pattern)) return true;
  const around = parent.split('/');
  const segments = pattern.split('/');
  const any = segments.findIndex((segment) => segment.includes('**'));
  // Anything may follow the first **; the segments before it must match.
  const known = any >= 0 && any < around.length ? any : around.length;
  if (known === around.length && segments.length <= known) return false;
  return (
    known === 0 || picomatch(segments.slice(0, known).join('/'), options)(around.slice(0, known).join('/'))
  );
}
