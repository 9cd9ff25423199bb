/**
 * Without git, the journal of a live run is its lock: nothing else is written. A run has no journal before its first request, so it
 * looks again once it has one. Of two runs that begin at the same time, both can stop, but never neither: each looks after its own
 * journal is on the disk.
 */
import { appendEnding } from '../journal/journal-writer.ts';
import { type JournaledRun, tryReadEnding, tryReadJournal } from '../journal/read-journal.ts';
import { hasDied, type JournalSource } from '../journal/unfinished.ts';
import type { Lock, LockContent, LockScope } from './lock.ts';

export function journalLock(source: Omit<JournalSource, 'service'>): Lock {
  const { store, now } = source;
  const isLive = (run: JournaledRun) => run.ending === undefined && !hasDied(source, run);
  const liveIn = (names: readonly string[]) =>
    names.flatMap((name) => tryReadJournal(store, name) ?? []).filter(isLive);
  return {
    where: 'this workspace',
    interval: 250,
    acquire: async (scope, { run }) => {
      // A journal that just began may lack its first line: it counts as a later one.
      const earlier = new Set<string>();
      for (const name of store.runs()) {
        const holder = tryReadEnding(store, name) ?? tryReadJournal(store, name);
        if (holder === undefined) continue;
        earlier.add(name);
        if (!('header' in holder) || !isLive(holder)) continue;
        const [organization] = shared(scope, holder);
        if (organization !== undefined) return { type: 'busy', organization, holder: contentOf(holder) };
      }
      let isSure = false;
      let reason: string | undefined;
      const lost = () => {
        if (isSure || reason !== undefined) return reason;
        isSure = tryReadJournal(store, run) !== undefined;
        const others = store.runs().filter((name) => name !== run && !earlier.has(name));
        const other = others.find((name) => {
          const begun = tryReadJournal(store, name);
          return begun !== undefined && shared(scope, begun).length > 0;
        });
        if (other !== undefined) reason = `run ${other} began in the meantime`;
        return reason;
      };
      return { type: 'held', lock: { lost, release: async () => undefined }, takenOver: [] };
    },
    list: async () =>
      liveIn(store.runs()).map((run) => {
        const content = contentOf(run);
        const remove = async () => {
          if (liveIn([content.run]).length === 0) return false;
          // The run notices that its journal was ended, and sends nothing more.
          appendEnding(store, content.run, now());
          return true;
        };
        return { organizations: content.organizations, content, isAbandoned: false, remove };
      }),
  };
}

function shared({ organizations, baseUrl }: LockScope, { header }: JournaledRun): readonly string[] {
  const ids = new Set(header.organizations.map(({ organizationId }) => organizationId));
  return header.service === baseUrl ? organizations.filter((one) => ids.has(one)) : [];
}

function contentOf({ header }: JournaledRun): LockContent {
  const { organizations, service, host, process, time, run, command } = header;
  return {
    format: 1,
    organizations: organizations.map(({ organizationId }) => organizationId),
    baseUrl: service,
    owner: host,
    host,
    process,
    since: time,
    run,
    command: `octavo ${command}`,
  };
}
