import { ReadMemory } from '../../live/read-memory.ts';
import type { JournalStore } from '../../past/journal/journal-folder.ts';
import type { JournalSource } from '../../past/journal/unfinished.ts';
import { describeMachine } from '../../past/lock/machine.ts';
import type { PlanChoices } from '../../plan/scope/choices.ts';
import { openSession, type SessionOptions } from '../../run/open-session.ts';
import type { JournalSettings } from '../../run/run-journal.ts';
import { defined } from '../../util/defined.ts';
import { picked } from '../../util/picked.ts';
import { build } from '../../util/version.ts';
import type { LockOrganizations } from '../apply/locking.ts';
import type { Invocation } from '../line/command.ts';
import type { SharedFlags } from '../line/flags.ts';
import { showNotes } from '../show/notes.ts';
import type { ProgressLine } from '../world/progress.ts';
import { connect, isOfCheckout, serviceName } from './connection.ts';
import { type RunSettings, readSettings } from './settings.ts';

interface CommandScope {
  /** Absent for read-only commands. */
  readonly lock?: LockOrganizations;
  readonly shard?: RunSettings['shard'];
  /** Overrides the settings. */
  readonly base?: 'none';
  /** Keeps the responses, because the live state will be planned for again. */
  readonly keepsReads?: boolean;
}

/** Locks what will be changed. Throws a DiagnosticError if that fails. */
export async function openCommandSession(
  invocation: Invocation,
  settings: RunSettings,
  { lock, shard, base, keepsReads = false }: CommandScope = {},
) {
  const { flags } = invocation;
  const { onNote, read } = readingLive(invocation);
  const session = await openSession({
    ...(await sessionOptions(invocation, settings)),
    ...(keepsReads && { keepsReads }),
    beforeReading: lock,
    base: base ?? settings.base,
    shard,
    behind: flags.ahead,
    offline: flags.offline,
    prune: settings.prune,
    onNote,
  });
  return { session, read };
}

export function readingLive(invocation: Invocation) {
  let progress: ProgressLine | undefined;
  const onNote: SessionOptions['onNote'] = (notes, sources) => {
    progress?.stop();
    showNotes(invocation, notes, sources);
  };
  const read = <T>(work: () => Promise<T>): Promise<T> =>
    invocation.output.during('Reading the live state', (line) => {
      progress = line;
      return work();
    });
  return { onNote, read };
}

type OpenedSession = Awaited<ReturnType<typeof openCommandSession>>;

/** Opens a session on the shard of the settings for this work only. */
export async function withSession(
  invocation: Invocation,
  scope: Omit<CommandScope, 'lock' | 'shard'>,
  work: (opened: OpenedSession) => Promise<number>,
): Promise<number> {
  const settings = await readSettings(invocation);
  const opened = await openCommandSession(invocation, settings, { ...scope, shard: settings.shard });
  try {
    return await work(opened);
  } finally {
    await opened.session.service.close();
  }
}

export async function sessionOptions(invocation: Invocation, settings: RunSettings): Promise<SessionOptions> {
  const { cwd, env, world, interrupt, flags, commandName } = invocation;
  const { files, overlays } = settings;
  return {
    cwd,
    env,
    now: world.clock.now(),
    openRepository: world.openRepository,
    files,
    overlays,
    service: (trees) => connect(invocation, settings, trees),
    identity: identityOf(settings, cwd),
    journals: journalsFor(invocation, settings, await world.journals(cwd)),
    reads: flags.rehearse === true ? new ReadMemory() : undefined,
    keepsReads: commandName === 'apply' || commandName === 'undo',
    judged:
      commandName === 'plan' || commandName === 'apply'
        ? {
            base: flags.base,
            exemptions: async (wanted) => (await import('../forge/open.ts')).exemptionsOf(invocation, wanted),
          }
        : undefined,
    sleep: (milliseconds) => world.clock.sleep(milliseconds, interrupt.stopping),
  };
}

function identityOf(settings: RunSettings, cwd: string): SessionOptions['identity'] {
  if (settings.baseUrl === undefined) return undefined;
  const embedded = isOfCheckout(settings) ? settings.baseUrl : undefined;
  return {
    // A getter, because a database may be created only when the run connects.
    get service() {
      return serviceName(settings, cwd) ?? 'local';
    },
    ...defined({ embedded }),
  };
}

export function choicesOf(flags: SharedFlags): PlanChoices {
  const choices = picked(flags, 'target', 'exclude', 'ignoreDrift', 'allowDeletes', 'skipRefused');
  return defined({ ...choices, changed: flags.changed === true ? flags.changed : undefined });
}

/** Without a store for a service whose state is lost when the command ends. */
export function journalFor(
  invocation: Invocation,
  settings: RunSettings,
  store: JournalStore,
): JournalSettings {
  const { runId: run, commandName: command, world } = invocation;
  const { host, process } = describeMachine(world.machine);
  const source = journalsFor(invocation, settings, store);
  const { service, now } = source ?? { service: 'local', now: () => new Date(world.clock.now()) };
  return { run, command, version: build, host, process, service, now, store: source?.store };
}

/** Journals of runs against the same service, for the next plan; undefined if there cannot be any. */
function journalsFor(
  { cwd, world: { clock, machine } }: Invocation,
  settings: RunSettings,
  store: JournalStore,
): JournalSource | undefined {
  const service = serviceName(settings, cwd);
  if (service === undefined) return undefined;
  const now = () => new Date(clock.now());
  return { store, service, machine: describeMachine(machine), now };
}
