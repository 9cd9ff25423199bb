import type { Registry } from '../../kinds/registry.ts';
import type { WorkFolder } from '../../manifest/files/work-folder.ts';
import { cleanCommit } from '../../past/record/record.ts';
import { withTrees } from '../../plan/past.ts';
import { isUpdate } from '../../plan/plan.ts';
import { Scope } from '../../plan/scope/scope.ts';
import { prefixesOf } from '../../tree/addressing.ts';
import type { AddressMatcher } from '../../util/glob.ts';
import { userError } from '../../util/user-error.ts';
import type { PlanInputs, PlanRun } from '../planning.ts';
import type { Session } from '../session.ts';
import { manifestsDigest } from './same-manifests.ts';
import { writePlanFile } from './write-plan.ts';

/**
 * Saves a plan with its inputs, without secrets, so that it can be applied later and elsewhere.
 * @throws DiagnosticError if it cannot be written, or is of a branch alone.
 */
export async function savePlan(
  { source, workspace, about }: Session,
  planned: PlanRun,
  file: string,
  folder?: WorkFolder,
): Promise<void> {
  if (about?.behind === 'own') {
    throw userError(
      'out',
      "cannot save a plan of this branch's own change: applied, it would not know of the other commits",
      'leave out --out, or plan with --ahead merge',
    );
  }
  const { files, overlays } = source;
  // The merge has no commit yet.
  const commit = about?.behind === 'merge' ? undefined : await cleanCommit(source, workspace.read);
  const manifests = { files, overlays, digest: manifestsDigest(workspace) };
  const inputs = { ...neededInputs(planned, source.registry), commit, manifests };
  writePlanFile(source.cwd, file, { plan: planned.plan, inputs }, folder);
}

/** Removes objects that do not affect the steps: a new plan of the inputs has the same steps. */
function neededInputs({ plan, inputs }: PlanRun, registry: Registry): PlanInputs {
  const parts = inputs.trees.map((desired) => {
    const { steps = [], ids = {} } = plan.organizations.find(({ label }) => label === desired.label) ?? {};
    // Objects of these collections may be the same as others, or not be declared.
    const opened = steps.flatMap((step) => (isUpdate(step) ? [] : prefixesOf(step.address).slice(0, 1)));
    // The record has digests of their values.
    const filled = [...desired.nodes.values()].filter(({ inputs }) => inputs !== undefined);
    const target = exactly([...[...steps, ...filled].map(({ address }) => address), ...opened]);
    const known = { target, structural: new Set<string>(), past: { ids: new Map(Object.entries(ids)) } };
    return new Scope({ desired, base: inputs.pasts.get(desired.label)?.tree }, { registry, ...known }).trees;
  });
  return {
    ...inputs,
    trees: parts.map(({ desired }) => desired),
    pasts: withTrees(inputs.pasts, (label) => parts.find((one) => one.desired.label === label)?.base),
  };
}

function exactly(addresses: readonly string[]): AddressMatcher {
  const [own, above] = [new Set(addresses), new Set(addresses.flatMap(prefixesOf))];
  return Object.assign((address: string) => own.has(address), {
    reaches: (parent: string) => above.has(parent),
  });
}
