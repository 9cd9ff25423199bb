/** The undo data in the journal of a run, with ids of objects that the run created, and secrets of today's environment. */
import { type JournalHeader, notKept } from '../../past/journal/entry.ts';
import { beginOfRun, type JournaledRun } from '../../past/journal/read-journal.ts';
import { workOn } from '../../past/journal/unfinished.ts';
import type { Env } from '../../past/workspace.ts';
import { addressOfStep } from '../../plan/step-id.ts';
import { type DesiredTree, withIds } from '../../tree/desired-tree.ts';
import { deletedBy, type ObjectRef, RefSet } from '../../tree/refs.ts';
import { fillSecrets, unfilled } from '../../util/secret.ts';
import type { ApprovedPlan } from '../approval/approval.ts';
import { openTree, saveTree } from '../plan-file/saved-tree.ts';
import type { LiveSource } from '../plan-tree.ts';
import { undoHead } from './undo-head.ts';
import type { UndoTrees } from './undo-trees.ts';

/** Maximum lag of a service's clock behind that of a run, in milliseconds; small, since others may have written the journal. */
const clockSkew = 60_000;

export async function journaledUndo(
  source: LiveSource,
  approved: ApprovedPlan,
): Promise<JournalHeader['undo']> {
  const trees = await undoHead(source, approved);
  return trees.map(({ label, before, after }) => ({
    label,
    before: saveTree(before),
    after: saveTree(after),
  }));
}

function stepsOf({ header }: JournaledRun, label: string): JournalHeader['organizations'][number]['steps'] {
  return header.organizations.find((one) => one.label === label)?.steps ?? [];
}

function doneSteps(run: JournaledRun, label: string): ReturnType<typeof stepsOf> {
  return stepsOf(run, label).filter(({ id }) => run.outcomes.get(label)?.get(id) === 'done');
}

function deletesIn(steps: ReturnType<typeof stepsOf>): RefSet {
  return new RefSet(steps.filter(({ phase }) => phase === 'delete').flatMap(deletedBy));
}

/**
 * A run only restores objects that it deleted, as far as is known: others may have deleted the rest since. What another run
 * deleted for certain was not deleted by a request whose response was lost.
 */
function withoutKept(run: JournaledRun, before: DesiredTree, label: string, others: readonly JournaledRun[]) {
  if (run.isPartial === true) return before;
  const steps = stepsOf(run, label);
  const own = deletesIn(doneSteps(run, label));
  const later = others.map((one) => deletesIn(doneSteps(one, label)));
  const maybe = deletesIn(steps.filter(({ id }) => run.touched.get(label)?.has(id) === true));
  const all = deletesIn(steps);
  const isKept = (ref: ObjectRef) =>
    all.has(ref) && !own.has(ref) && (!maybe.has(ref) || later.some((some) => some.has(ref)));
  return before.mapped((node) => {
    const { whole: _whole, id = '', ...rest } = node;
    return isKept({ kind: node.kind, id }) ? { ...rest, id, fields: {} } : node;
  });
}

/** `others`: the other runs with journals here. */
export function journaledTrees(
  run: JournaledRun,
  env: Env,
  others: readonly JournaledRun[] = [],
): readonly UndoTrees[] {
  const secret = (template: string) =>
    (template === notKept ? undefined : fillSecrets(template, (name) => env[name] || undefined)) ?? unfilled;
  return run.header.undo.map(({ label, before, after }) => {
    const refused = run.refused.get(label) ?? new Set();
    const made = [...(run.made.get(label) ?? [])].filter(([address]) => !refused.has(address));
    const steps = stepsOf(run, label);
    const open = run.open.flatMap(({ organization, step }) => (organization === label ? [step] : []));
    const doubts = [...open, ...(run.isPartial === true ? steps.map(({ id }) => id) : [])];
    return {
      ...(run.ref === undefined ? {} : { madeSince: beginOfRun(run.header.run) - clockSkew }),
      label,
      before: withoutKept(run, openTree(before, { secret }), label, others),
      after: withIds(openTree(after, { secret }), new Map(made)),
      ...(run.isPartial === true ? {} : { own: workOn(label, { ...run, isOver: true }) }),
      applied: new Set(
        doneSteps(run, label).flatMap(({ address, fields }) =>
          fields.map(({ field }) => `${address} ${field}`),
        ),
      ),
      inDoubt: new Set(doubts.filter((step) => step.endsWith('#create')).map(addressOfStep)),
    };
  });
}
