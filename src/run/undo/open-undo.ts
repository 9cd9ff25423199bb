/** The undo of a run: it is planned, saved and applied like any plan. */
import { registry as allKinds } from '../../kinds/index.ts';
import type { JournalStore } from '../../past/journal/journal-folder.ts';
import { type JournaledRun, tryReadJournal } from '../../past/journal/read-journal.ts';
import { unfinishedRuns } from '../../past/journal/unfinished.ts';
import { pastsOf } from '../../past/pasts.ts';
import { defined } from '../../util/defined.ts';
import { userError } from '../../util/user-error.ts';
import type { SessionOptions } from '../open-session.ts';
import { planWith } from '../plan-run.ts';
import type { PlanRun } from '../planning.ts';
import { ServiceLink } from '../reads/service-link.ts';
import type { Session } from '../session.ts';
import { journaledTrees } from './journaled-trees.ts';
import { planUndo } from './plan-undo.ts';

/**
 * Opens the undo without calling the service.
 * @throws DiagnosticError for a journal without undo data.
 */
export async function openUndo(
  run: JournaledRun,
  options: Omit<SessionOptions, 'base' | 'behind' | 'prune'>,
): Promise<Session> {
  const { cwd, env, registry = allKinds, identity } = options;
  const { header, sent } = run;
  if (header.undo.length === 0 && sent > 0)
    throw userError('unknown-run', `the journal of run ${header.run} has no values from before it`);
  const trees = journaledTrees(run, env).map(({ before }) => before);
  const service = new ServiceLink(options.service);
  await options.beforeReading?.(() => service.identify(trees));
  const source = { cwd, env, files: [], overlays: [], registry };
  const unfinished = options.journals && unfinishedRuns(options.journals, trees);
  const pasts = await pastsOf({ ...source, repository: {} }, trees, { unfinished });
  const workspace = { trees, diagnostics: [], sources: new Map(), files: [] };
  return { ...options, source: { ...source, identity }, workspace, pasts, service };
}

interface UndoChoices {
  /** Has the journals of other runs, which may have undone a part. */
  readonly store?: JournalStore | undefined;
  readonly skipRefused?: boolean | undefined;
}

/** Reads the live state and plans; reports to `onNote` the values that cannot be restored. */
export function undoRun(
  session: Session,
  run: JournaledRun,
  { store, skipRefused }: UndoChoices,
): Promise<PlanRun> {
  const { header } = run;
  const names = store?.runs().filter((name) => name !== header.run) ?? [];
  const others = names.flatMap((name) => (store && tryReadJournal(store, name)) ?? []);
  const undos = others.filter((one) => one.header.undoes === header.run);
  const pasts = new Map(
    [...session.pasts].map(([label, { pending, asStored }]) => {
      // Of objects that earlier undos of the run created again.
      const ids = new Map(undos.flatMap(({ made }) => [...(made.get(label) ?? [])]));
      return [label, { ids, ...defined({ pending, asStored }) }];
    }),
  );
  const trees = journaledTrees(run, session.source.env, others);
  return planWith(session, (source) => planUndo(source, { run: header.run, trees, pasts, skipRefused }));
}
