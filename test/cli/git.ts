/** Runs git as somebody with a name, whatever the machine's own settings say. */
import { execFileSync } from 'node:child_process';

/** What git prints. Throws where it fails. */
export function git(cwd: string, ...args: string[]): string {
  const identity = ['-c', 'user.name=Ada', '-c', 'user.email=ada@acme.dev', '-c', 'commit.gpgsign=false'];
  return execFileSync('git', [...identity, ...args], {
    cwd,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}
