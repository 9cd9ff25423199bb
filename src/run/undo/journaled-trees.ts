/** The undo data in the journal of a run, with ids of objects that the run created, and secrets of today's environment. */
import { clockSkew } from '../../plan/match/look-up-creates.ts';
import { addressOfStep } from '../../plan/step-id.ts';
import type { DesiredNode } from '../../tree/desired.ts';
import { type DesiredTree, pinTree } from '../../tree/desired-tree.ts';
import { RefSet } from '../../tree/refs.ts';
import { fillSecrets, unfilled } from '../../util/secret.ts';
import type { ApprovedPlan } from '../approval.ts';
import { type JournalHeader, notKept } from '../journal/entry.ts';
import { beginOfRun, type JournaledRun } from '../journal/read-journal.ts';
import { workOn } from '../journal/unfinished.ts';
import { openTree } from '../plan-file/read-plan.ts';
import { saveTree } from '../plan-file/write-plan.ts';
import type { LiveSource } from '../plan-tree.ts';
import type { Env } from '../workspace.ts';
import { undoHead } from './undo-head.ts';
import type { UndoTrees } from './undo-trees.ts';

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

/** A run only restores objects that it began to delete: others may have deleted the rest since. */
function withoutKept(before: DesiredTree, run: JournaledRun, label: string): DesiredTree {
  if (run.isPartial === true) return before;
  const touched = run.touched.get(label);
  const [begun, kept] = [new RefSet(), new RefSet()];
  for (const { id, kind, phase, liveId = '', cascade = [] } of stepsOf(run, label))
    if (phase === 'delete')
      for (const ref of [{ kind, id: liveId }, ...cascade])
        (touched?.has(id) === true ? begun : kept).add(ref);
  const nodes = [...before.nodes].map(([address, node]): [string, DesiredNode] => {
    const { whole: _whole, id = '', ...rest } = node;
    const ref = { kind: node.kind, id };
    return [address, kept.has(ref) && !begun.has(ref) ? { ...rest, id, fields: {} } : node];
  });
  return before.with({ nodes: new Map(nodes) });
}

export function journaledTrees(run: JournaledRun, env: Env): readonly UndoTrees[] {
  const secret = (template: string) =>
    (template === notKept ? undefined : fillSecrets(template, (name) => env[name] || undefined)) ?? unfilled;
  return run.header.undo.map(({ label, before, after }) => {
    const refused = run.refused.get(label) ?? new Set();
    const made = [...(run.made.get(label) ?? [])].filter(([address]) => !refused.has(address));
    const ids = new Map(made);
    const opened = openTree(after, { secret });
    const open = run.open.flatMap(({ organization, step }) => (organization === label ? [step] : []));
    const doubts = [...open, ...(run.isPartial === true ? stepsOf(run, label).map(({ id }) => id) : [])];
    return {
      ...(run.ref === undefined ? {} : { madeSince: beginOfRun(run.header.run) - clockSkew }),
      label,
      organizationId: opened.id ?? '',
      before: withoutKept(openTree(before, { secret }), run, label),
      after: pinTree(opened, ids),
      ...(run.isPartial === true ? {} : { own: workOn(label, { ...run, isOver: true }) }),
      applied: new Set(
        stepsOf(run, label).flatMap(({ id, address, fields }) =>
          run.outcomes.get(label)?.get(id) === 'done' ? fields.map(({ field }) => `${address} ${field}`) : [],
        ),
      ),
      inDoubt: new Set(doubts.filter((step) => step.endsWith('#create')).map(addressOfStep)),
    };
  });
}
