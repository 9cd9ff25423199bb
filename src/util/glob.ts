/** Address globs, as `--target`, `--exclude` and `settings.protect` take them. */
import picomatch from 'picomatch';

/** Makes a predicate: true for addresses that equal one of the patterns or match it as a glob. */
export function addressMatcher(patterns: readonly string[]): (address: string) => boolean {
  const globs = patterns.map((pattern) => picomatch(pattern, { dot: true, nonegate: true }));
  return (address) => patterns.includes(address) || globs.some((matches) => matches(address));
}
