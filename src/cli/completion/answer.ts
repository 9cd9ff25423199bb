/**
 * Answers what the functions of the shells ask: `octavo __complete line "octavo plan --t"`, or the words one by one. The
 * first line says what the shell is to do beside the candidates, which follow with what they are about.
 */
import { safeText } from '../../report/safe-text.ts';
import type { World } from '../world.ts';
import { complete } from './candidates.ts';
import { splitLine } from './line.ts';
import { completionSource } from './source.ts';

/** Prints the candidates; nothing where anything fails, since a shell shows whatever is printed. */
export async function answerShell(args: readonly string[], world: World): Promise<void> {
  const [form, ...words] = args;
  try {
    // The name of the program is the first word of a line.
    const own = form === 'line' ? splitLine(words.join(' ')).slice(1) : words;
    const { candidates, also } = await complete(own, completionSource(world));
    const lines = candidates
      // What a terminal would obey is no word to type.
      .filter(({ word }) => safeText(word) === word)
      .map(({ word, about }) => (about === '' ? word : `${word}\t${about}`));
    world.stdout.write(`${[also, ...lines].join('\n')}\n`);
  } catch {
    world.stdout.write('nothing\n');
  }
}
