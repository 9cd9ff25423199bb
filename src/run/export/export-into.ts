/**
 * Exports an organization into manifests that declare it already, as the smallest edits of their text. Undeclared fields of an
 * object stay undeclared; missing collections and objects are added, and deleted objects are removed.
 */

import type { Api } from '../../contract/api.ts';
import type { OrganizationPlan } from '../../plan/plan.ts';
import { covers } from '../../tree/addressing.ts';
import type { DesiredTree } from '../../tree/desired-tree.ts';
import { type LiveNode, LiveTree } from '../../tree/live.ts';
import { RefSet } from '../../tree/refs.ts';
import { defined } from '../../util/defined.ts';
import { DiagnosticError, hasErrors } from '../../util/diagnostic.ts';
import { type PlannedTree, planTree } from '../plan-tree.ts';
import { type AcceptRequest, accept, type WriteBackOptions } from '../write-back/accept.ts';
import type { Acceptance } from '../write-back/acceptance.ts';
import { type AcceptedOrganization, liveIdsIn } from '../write-back/accepted-tree.ts';
import { type Exported, type Pinning, writeDown } from './export.ts';
import { type ExportInput, organizationOf } from './export-input.ts';
import { unseenParts } from './unseen.ts';
import type { ExportedFile } from './write-export.ts';

export interface ExportIntoOptions extends WriteBackOptions {
  readonly existing: Pick<AcceptRequest, 'workspace' | 'source'>;
  readonly tree: DesiredTree;
  readonly pin: Pinning;
  readonly recorded?: ReadonlyMap<string, string> | undefined;
}

export interface ExportReport extends Omit<Exported, 'files'> {
  readonly dryRun: boolean;
  readonly files: readonly ExportedFile[];
  /** Changes to existing manifests. `isEmptyPlan`: a plan of the resulting manifests is empty. */
  readonly merge?: Acceptance & { readonly isEmptyPlan: boolean };
}

/** @throws DiagnosticError if they cannot be matched with the live state, or the result would not be sound. */
export async function exportInto(api: Api, input: ExportInput, options: ExportIntoOptions) {
  const { existing, dryRun } = options;
  const planOf = planner(api, input, options);
  let last: OrganizationPlan | undefined;
  const plan = async (tree: DesiredTree, withReview?: true): Promise<PlannedTree> => {
    const planned = await planOf(tree, withReview);
    if (hasErrors(planned.problems)) throw new DiagnosticError(planned.problems);
    last = planned.plan;
    return planned;
  };
  const { left, gone } = await withoutDeleted(planOf, input, options.tree);
  const reverting = await plan(left, true);
  const organization: AcceptedOrganization = {
    ...acceptedOf(input, options.tree, reverting),
    gone,
    isPinned: await pinning(api, input, options.pin),
  };
  const run = await accept({
    ...options,
    ...existing,
    organizations: [organization],
    command: 'export',
    planEdited: (trees) => Promise.all(trees.map((edited) => plan(edited))),
  });
  if (run.type === 'interrupted') return run;
  const changed = new Map(run.files.map(({ name, after }) => [name, after]));
  const files = existing.workspace.files.map((file): ExportedFile => {
    const text = changed.get(file);
    return { file, action: text === undefined ? 'unchanged' : 'updated', ...(dryRun && defined({ text })) };
  });
  const report: ExportReport = {
    dryRun,
    organization: organizationOf(input),
    files,
    objects: input.exported.length,
    pinned: [],
    leftOut: unseenParts(input),
    merge: {
      isEmptyPlan: last?.steps.length === 0 && last.refusals.length === 0,
      several: false,
      dryRun,
      ...run,
      reverting: { format: 1, organizations: [reverting.plan] },
    },
  };
  return { type: 'exported' as const, report };
}

/** Plans manifests against the live state that was read. */
function planner(api: Api, { state }: ExportInput, { recorded: ids }: ExportIntoOptions) {
  const { registry, memory, live } = state;
  const options = { registry, memory, isStale: () => false, asDrift: true, past: { ids } };
  return (tree: DesiredTree, withReview?: true) =>
    planTree(api, tree.with({ id: live.organizationId }), { ...options, withReview });
}

/** Problems of objects that cannot exist: their ids are unused or belong to other objects, or no request could create them. */
const problemsOfGone: ReadonlySet<string> = new Set(['id-elsewhere', 'no-identity', 'call-not-accepted']);

/** Removes deleted objects with their children, and returns their addresses. Children that are live elsewhere are added there. */
async function withoutDeleted(
  planOf: ReturnType<typeof planner>,
  { outline, state: { live } }: ExportInput,
  tree: DesiredTree,
) {
  const gone = new Set<string>();
  for (;;) {
    const isGone = covers(gone);
    const left = tree.with({ nodes: new Map([...tree.nodes].filter(([address]) => !isGone(address))) });
    const { problems, plan } = await planOf(left);
    const declared = declaredIn(left, plan);
    const moved = Object.entries(plan.ids).filter(([address, id]) => {
      const node = live.get({ kind: left.get(address)?.kind ?? '', id });
      const isThere =
        node === undefined || node.container.id === outline.root.id || declared.has(node.container);
      return !isThere && outline.addressOf(node) !== undefined;
    });
    const fresh = [
      ...problems.filter(({ code }) => problemsOfGone.has(code)).map(({ address = '' }) => address),
      ...plan.steps
        .filter(({ action, phase }) => action === 'create' && phase === 'create')
        .map(({ address }) => address),
      ...moved.map(([address]) => address),
    ].filter((address) => left.get(address)?.parent !== undefined);
    if (fresh.length === 0) return { left, gone };
    for (const address of fresh) gone.add(address);
  }
}

/** Adds the exported objects; other objects are only referred to. */
function acceptedOf(
  input: ExportInput,
  tree: DesiredTree,
  { plan, live }: PlannedTree,
): AcceptedOrganization {
  const { state, outline, selection, exported } = input;
  const chosen = new RefSet(exported);
  const declared = declaredIn(tree, plan);
  // A plan finds by id objects that are not in any list.
  const found = live.nodes().filter((node) => !state.live.has(node));
  const nodes = [...state.live.nodes(), ...found].map((node): LiveNode => {
    const { seenInPassing: _seen, ...listed } = node;
    if (chosen.has(node) || node === outline.root) return listed;
    return declared.has(node) ? node : { ...listed, seenInPassing: true };
  });
  const isPart = ({ kind }: LiveNode) => Number(state.registry.byName(kind).identity.idParam === undefined);
  return {
    tree,
    plan,
    live: new LiveTree(state.live.organizationId, nodes),
    isChosen: selection.has,
    // Includes objects that no list of the organization shows, such as spaces that are only on a site.
    additions: exported.toSorted((left, right) => isPart(left) - isPart(right)),
  };
}

function declaredIn(tree: DesiredTree, plan: OrganizationPlan): RefSet {
  return new RefSet(
    liveIdsIn(plan).flatMap(([address, id]) => {
      const kind = tree.get(address)?.kind;
      return kind === undefined ? [] : [{ kind, id }];
    }),
  );
}

async function pinning(api: Api, input: ExportInput, pin: Pinning): Promise<(node: LiveNode) => boolean> {
  if (pin === 'none') return () => false;
  const { pinned } = await writeDown(api, input, { registry: input.state.registry, pin, layout: 'one' });
  const refs = new RefSet(pinned.flatMap((address) => input.outline.objects.get(address) ?? []));
  return (node) => refs.has(node);
}
