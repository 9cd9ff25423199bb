/** What a command says at the end of a run about how to go on. */
import type { RunNotes } from '../report/apply-closing.ts';
import { parseExpectation } from '../run/digest.ts';
import { serviceName } from './connection.ts';
import type { Invocation } from './invocation.ts';
import type { RunSettings } from './settings.ts';

/** For the summary of an apply. */
export function runNotes({ args, flags, runId, cwd }: Invocation, settings: RunSettings): RunNotes {
  const undo = serviceName(settings, cwd) === undefined ? undefined : `octavo undo ${runId}`;
  // A digest names the whole plan: what is left of it has another one.
  const isWhole = flags.expect !== undefined && parseExpectation(flags.expect)?.parts === undefined;
  if (isWhole)
    return { undo, next: 'Plan and review what is left to continue: --expect named the whole plan' };
  return { undo, next: `Continue with: octavo ${args.map(quoted).join(' ')}` };
}

/** A word as a shell takes it. */
function quoted(word: string): string {
  return /^[\w./:=@%+,-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
