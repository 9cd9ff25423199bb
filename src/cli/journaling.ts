/** Where the journals of a command are, and what they say of it. */
import { JournalFolder } from '../run/journal/journal-folder.ts';
import type { JournalSettings } from '../run/journal/run-journal.ts';
import type { JournalSource } from '../run/journal/unfinished.ts';
import { describeMachine } from '../run/lock/machine.ts';
import { version } from '../util/version.ts';
import { serviceName } from './connection.ts';
import type { Invocation } from './invocation.ts';
import type { RunSettings } from './settings.ts';

/** The journal of an apply; undefined for a service whose state ends with the command. */
export function journalFor(
  { cwd, commandName: command, runId, world: { clock, machine } }: Invocation,
  settings: RunSettings,
): JournalSettings | undefined {
  const service = serviceName(settings, cwd);
  if (service === undefined) return undefined;
  const { host, process } = describeMachine(machine);
  const now = () => new Date(clock.now());
  return { folder: new JournalFolder(cwd), run: runId, command, version, host, process, service, now };
}

/** The journals of runs against the same service, for who plans next; undefined where there can be none. */
export function journalsFor(
  { cwd, world: { clock, machine } }: Invocation,
  settings: RunSettings,
): JournalSource | undefined {
  const service = serviceName(settings, cwd);
  if (service === undefined) return undefined;
  const now = () => new Date(clock.now());
  return { folder: new JournalFolder(cwd), service, machine: describeMachine(machine), now };
}
