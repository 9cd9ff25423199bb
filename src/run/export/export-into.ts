/**
 * Exports an organization into manifests that declare it already: as the smallest edits of their text. What they leave out of an
 * object stays out; collections and objects that they do not have are added, and those that are gone are removed.
 */
import type { Api } from '../../contract/api.ts';
import type { OrganizationPlan } from '../../plan/plan.ts';
import type { DesiredTree } from '../../tree/desired-tree.ts';
import { type LiveNode, LiveTree } from '../../tree/live.ts';
import { RefSet } from '../../tree/refs.ts';
import { defined } from '../../util/defined.ts';
import { DiagnosticError, hasErrors } from '../../util/diagnostic.ts';
import { type AcceptRun, accept } from '../accept/accept.ts';
import type { AcceptedOrganization } from '../accept/request.ts';
import { type PlannedTree, planTree } from '../plan-tree.ts';
import type { ExistingManifests } from './existing.ts';
import { type Pinning, writeDown } from './export.ts';
import type { ExportLook } from './look-at.ts';

/** What to export into, and how. */
export interface ExportIntoOptions {
  readonly existing: ExistingManifests;
  /** What they declare of the organization. */
  readonly tree: DesiredTree;
  readonly pin: Pinning;
  /** Ids of the last recorded apply, by address. */
  readonly recorded?: ReadonlyMap<string, string> | undefined;
  /** True: changes no file. */
  readonly dryRun: boolean;
  /** True as soon as nothing may be written any more. */
  readonly isInterrupted: () => boolean;
}

/** What became of the manifests. */
export interface ExportedInto {
  readonly run: AcceptRun;
  /** True where a plan of the manifests, as they are now or would be, is empty. */
  readonly isEmptyPlan: boolean;
}

/**
 * Edits the manifests.
 *
 * @throws DiagnosticError where they cannot be matched with the live state, or where the result would not be sound.
 */
export async function exportInto(
  api: Api,
  look: ExportLook,
  options: ExportIntoOptions,
): Promise<ExportedInto> {
  const { existing, dryRun, isInterrupted } = options;
  const { workspace, source } = existing;
  const { sources } = workspace;
  const planning = { look, recorded: options.recorded };
  let last: OrganizationPlan | undefined;
  const plan = async (tree: DesiredTree): Promise<PlannedTree> => {
    const planned = await planOf(api, planning, tree);
    if (hasErrors(planned.problems)) throw new DiagnosticError(planned.problems, sources);
    last = planned.plan;
    return planned;
  };
  const { left, gone } = await withoutGone(api, planning, options.tree);
  const organization: AcceptedOrganization = {
    ...acceptedOf(look, options.tree, await plan(left)),
    gone,
    isPinned: await pinning(api, look, options.pin),
  };
  const run = await accept(
    {
      organizations: [organization],
      workspace,
      source,
      scope: {
        isChosen: (_tree, address) => look.selection.has(address),
        isAdded: () => true,
        missing: 'removed',
        collections: 'all',
      },
    },
    {
      dryRun,
      isInterrupted,
      command: 'export',
      planEdited: (trees) => Promise.all(trees.map((edited) => plan(edited))),
    },
  );
  return { run, isEmptyPlan: last?.steps.length === 0 && last.refusals.length === 0 };
}

interface Planning {
  readonly look: ExportLook;
  readonly recorded: ReadonlyMap<string, string> | undefined;
}

function planOf(api: Api, { look, recorded }: Planning, tree: DesiredTree): Promise<PlannedTree> {
  const { registry, state } = look;
  const own = tree.with({ id: state.live.organizationId });
  const options = { registry, memory: state.memory, isStale: () => false };
  return planTree(api, own, { ...options, ...defined({ knownIds: recorded }) });
}

/** Problems of objects that cannot be there: their ids are nobody's or somebody else's, or nothing could create them. */
const problemsOfGone: ReadonlySet<string> = new Set([
  'id-not-found',
  'id-elsewhere',
  'no-identity',
  'call-not-accepted',
]);

/**
 * The tree without objects that are gone, with everything inside them; and the addresses of these objects. What was inside and
 * is live elsewhere is added there.
 */
async function withoutGone(
  api: Api,
  planning: Planning,
  tree: DesiredTree,
): Promise<{ readonly left: DesiredTree; readonly gone: ReadonlySet<string> }> {
  const gone = new Set<string>();
  for (let left = tree; ; left = without(tree, gone)) {
    const { problems, plan } = await planOf(api, planning, left);
    const fresh = [
      ...problems.filter(({ code }) => problemsOfGone.has(code)).map(({ address = '' }) => address),
      ...plan.steps
        .filter(({ action, phase }) => action === 'create' && phase === 'create')
        .map(({ address }) => address),
      ...movedAway(planning.look, left, plan),
    ].filter((address) => left.get(address)?.parent !== undefined);
    if (fresh.length === 0) return { left, gone };
    for (const address of fresh) gone.add(address);
  }
}

/** Addresses of objects that are live inside something that no manifest declares yet: they are written there. */
function movedAway(
  { state, outline }: ExportLook,
  tree: DesiredTree,
  plan: OrganizationPlan,
): readonly string[] {
  const declared = declaredIn(tree, plan);
  return Object.entries(plan.ids).flatMap(([address, id]) => {
    const kind = tree.get(address)?.kind ?? '';
    const node = state.live.get({ kind, id });
    const isThere =
      node === undefined || node.container.id === outline.root.id || declared.has(node.container);
    return isThere || outline.addressOf(node) === undefined ? [] : [address];
  });
}

function without(tree: DesiredTree, gone: ReadonlySet<string>): DesiredTree {
  const nodes = [...tree.nodes].filter(([address]) => {
    const parts = address.split('/');
    return !parts.some((_part, at) => gone.has(parts.slice(0, at + 1).join('/')));
  });
  return tree.with({ nodes: new Map(nodes) });
}

/** What is added is what an export would have; everything else is only there to be referred to. */
function acceptedOf(look: ExportLook, tree: DesiredTree, { plan, live }: PlannedTree): AcceptedOrganization {
  const { registry, state, outline, selection } = look;
  const exported = outline.nodes.filter((node) => selection.has(outline.addressOf(node) ?? ''));
  const chosen = new RefSet(exported);
  const declared = declaredIn(tree, plan);
  // A plan finds by id what nothing lists.
  const found = live.nodes().filter((node) => !state.live.has(node));
  const nodes = [...state.live.nodes(), ...found].map((node): LiveNode => {
    const { incidental: _seen, ...listed } = node;
    if (chosen.has(node) || node === outline.root) return listed;
    return declared.has(node) ? node : { ...listed, incidental: true };
  });
  // Also what no list of the organization shows, such as spaces that are on a site only.
  const unmanaged = exported
    .filter(({ kind, id }) => registry.byName(kind).idParam !== undefined && !declared.has({ kind, id }))
    .map(({ kind, id }) => ({
      kind,
      id,
      address: outline.addressOf({ kind, id }) ?? '',
      noun: registry.byName(kind).noun,
      title: id,
    }));
  return { tree, plan: { ...plan, unmanaged }, live: new LiveTree(state.live.organizationId, nodes) };
}

/** The live objects that the manifests declare. */
function declaredIn(tree: DesiredTree, { ids, steps }: OrganizationPlan): RefSet {
  const changed = steps.flatMap(({ address, liveId }) =>
    liveId === undefined ? [] : [[address, liveId] as const],
  );
  const refs = new RefSet();
  for (const [address, id] of [...Object.entries(ids), ...changed]) {
    const kind = tree.get(address)?.kind;
    if (kind !== undefined) refs.add({ kind, id });
  }
  return refs;
}

/** What gets its id in an export of its own gets it here as well. */
async function pinning(api: Api, look: ExportLook, pin: Pinning): Promise<(node: LiveNode) => boolean> {
  if (pin === 'none') return () => false;
  const { registry, outline } = look;
  const { pinned } = await writeDown(api, look, { registry, pin, layout: 'one' });
  const refs = new RefSet(pinned.flatMap((address) => outline.at(address) ?? []));
  return (node) => refs.has(node);
}
