/** This machine and process, as locks describe them, and whether the process of a lock is still running. */
import { readFileSync, readlinkSync } from 'node:fs';
import { defined } from '../../util/defined.ts';
import type { LockContent } from './lock.ts';

export interface ProcessFacts {
  readonly host: string;
  readonly user: string;
  readonly pid: number;
  readonly isRunning: (pid: number) => boolean;
}

export interface LockMachine extends Pick<ProcessFacts, 'host' | 'isRunning'> {
  /** Format: user@host. */
  readonly owner: string;
  readonly process: NonNullable<LockContent['process']>;
}

/** Less is known without /proc. */
export function describeMachine({ host, user, pid, isRunning }: ProcessFacts): LockMachine {
  return {
    host,
    owner: `${user === '' ? 'unknown' : user}@${host}`,
    process: {
      pid,
      ...defined({
        started: startOf(pid)?.started,
        boot: read('/proc/sys/kernel/random/boot_id'),
        namespace: namespaceOf(),
        machine: read('/etc/machine-id'),
      }),
    },
    isRunning,
  };
}

/** `unknown` on other machines, and in other containers of this one. */
export function processState(
  { host, process: holder }: Pick<LockContent, 'host' | 'process'>,
  machine: LockMachine,
): 'running' | 'gone' | 'unknown' {
  const own = machine.process;
  if (host !== machine.host || holder.machine !== own.machine) return 'unknown';
  if (holder.boot !== own.boot) {
    // The machine was restarted, if it is the same: its name alone does not show that.
    const isSame = own.machine !== undefined && holder.boot !== undefined && own.boot !== undefined;
    return isSame ? 'gone' : 'unknown';
  }
  if (holder.namespace !== own.namespace) return 'unknown';
  if (!machine.isRunning(holder.pid)) return 'gone';
  const now = startOf(holder.pid);
  if (now?.isDead === true) return 'gone';
  const isOther = now !== undefined && holder.started !== undefined && now.started !== holder.started;
  return isOther ? 'gone' : 'running';
}

function startOf(pid: number): { readonly started: string; readonly isDead: boolean } | undefined {
  const text = read(`/proc/${pid}/stat`);
  // The second field is the name in brackets, which may contain anything.
  const fields = text?.slice(text.lastIndexOf(')') + 2).split(' ');
  const [state, started] = [fields?.[0], fields?.[19]];
  return state === undefined || started === undefined ? undefined : { started, isDead: /^[ZX]/.test(state) };
}

function namespaceOf(): string | undefined {
  try {
    return readlinkSync('/proc/self/ns/pid');
  } catch {
    return undefined;
  }
}

function read(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8').trim() || undefined;
  } catch {
    return undefined;
  }
}
