/** The shell functions that complete `octavo`, as texts: they are scripts of their own, and the command is a few files. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The text of src/cli/completion/scripts.json. */
export function completionText(root) {
  const read = (shell) => readFileSync(join(root, 'src', 'cli', 'completion', `octavo.${shell}`), 'utf8');
  const scripts = Object.fromEntries(['bash', 'zsh', 'fish'].map((shell) => [shell, read(shell)]));
  return `${JSON.stringify(scripts, null, 2)}\n`;
}
