/** Which characters a terminal can show, as its environment says. */
import type { OutputStream, World } from './world.ts';

/** True for a terminal that is known to show ASCII alone. What is written to files and pipes is UTF-8. */
export function isAsciiTerminal({ isTTY }: OutputStream, env: World['env']): boolean {
  if (isTTY !== true) return false;
  // The console of Linux has a font of 256 characters.
  if (env.TERM === 'linux') return true;
  const locale = [env.LC_ALL, env.LC_CTYPE, env.LANG].find((value) => (value ?? '') !== '');
  return locale !== undefined && !/utf-?8/i.test(locale);
}
