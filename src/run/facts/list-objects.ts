/** The declared objects with their state in a plan. Makes no comparisons itself. */
import { fieldWith } from '../../kinds/parts/field.ts';
import type { Registry } from '../../kinds/registry.ts';
import type { OrganizationPlan, Plan } from '../../plan/plan.ts';
import type { DesiredNode } from '../../tree/desired.ts';
import type { DesiredTree } from '../../tree/desired-tree.ts';
import { defined } from '../../util/defined.ts';
import { addressMatcher } from '../../util/glob.ts';
import { lineText } from '../../util/places.ts';
import { refuseUnmatched } from '../targets.ts';

/**
 * `present`: live, and as declared. `differs`: live, and a plan changes it. `missing`: not live. `unmanaged`: live, but not in any
 * manifest. `unseen`: not visible to this token. `declared`: the service was not read.
 */
export type ObjectState = 'present' | 'differs' | 'missing' | 'unmanaged' | 'unseen' | 'declared';

export interface ListedRow {
  /** Begins with the label of its organization if there are several. */
  readonly address: string;
  readonly noun: string;
  readonly title?: string;
  /** Id of the live object; without a service, the pinned id. */
  readonly id?: string;
  readonly state: ObjectState;
  /** Source position: `sites.yaml:12`. */
  readonly place?: string;
}

export interface ObjectList {
  readonly objects: readonly ListedRow[];
  /** True if states come from the service. */
  readonly isLive: boolean;
}

export interface ListRequest {
  readonly trees: readonly DesiredTree[];
  readonly registry: Registry;
  /** Absent if the service was not read. */
  readonly plan?: Plan;
  /** Globs of addresses; empty: all. */
  readonly patterns: readonly string[];
  /** Includes live objects that no manifest lists. */
  readonly unmanaged: boolean;
}

/** Lists objects in the order of the manifests, each organization followed by its unmanaged ones. Throws for patterns without a match. */
export function listObjects(request: ListRequest): readonly ListedRow[] {
  const { trees, registry, plan, patterns } = request;
  const listed = trees.map((tree) => {
    const organization = plan?.organizations.find(({ label }) => label === tree.label);
    return { tree, organization, others: request.unmanaged ? (organization?.unmanaged ?? []) : [] };
  });
  refuseUnmatched(
    { '': patterns },
    listed.map(({ tree: { label, nodes }, others }) => ({
      label,
      addresses: [...nodes.keys(), ...others.map(({ address }) => address)],
    })),
    request.unmanaged ? '' : '; --show unmanaged lists what no manifest lists',
  );
  return listed.flatMap(({ tree: { label, nodes }, organization, others }): readonly ListedRow[] => {
    const matches = addressMatcher(patterns, label);
    const isWanted = ({ address }: { readonly address: string }) => patterns.length === 0 || matches(address);
    const declared = [...nodes.values()].filter(isWanted).map((node) => rowOf(registry, node, organization));
    const unmanaged = others
      .filter(isWanted)
      .map(({ address, noun, title, id }) => ({ address, noun, title, id, state: 'unmanaged' }) as const);
    const lead = trees.length > 1 ? `${label}/` : '';
    return [...declared, ...unmanaged].map((row) => ({ ...row, address: `${lead}${row.address}` }));
  });
}

function rowOf(registry: Registry, node: DesiredNode, organization: OrganizationPlan | undefined): ListedRow {
  const id = organization === undefined ? node.id : organization.ids[node.address];
  return {
    address: node.address,
    noun: registry.byName(node.kind).noun,
    ...defined({ title: titleIn(registry, node), id: id === '' ? undefined : id }),
    state: stateOf(registry, node, organization),
    place: lineText(node.at),
  };
}

function stateOf(
  registry: Registry,
  { kind, address, parent }: DesiredNode,
  organization: OrganizationPlan | undefined,
): ObjectState {
  if (organization === undefined) return 'declared';
  if (organization.leftOut.unseen?.some((one) => one.address === address && one.noun !== 'value') === true)
    return 'unseen';
  const actions = organization.steps.filter((step) => step.address === address).map(({ action }) => action);
  const isMade = actions.some((action) => action === 'create' || action === 'restore');
  // An object without its own id is identified by its parent: the plan creates it if it does not exist.
  const known = registry.byName(kind).identity.idParam === undefined ? (parent ?? address) : address;
  if (!Object.hasOwn(organization.ids, known) || isMade) return 'missing';
  return actions.length > 0 ? 'differs' : 'present';
}

/** A title, or the value of an identity. */
function titleIn(registry: Registry, { kind, fields }: DesiredNode): string | undefined {
  const own = registry.byName(kind);
  const names = [fieldWith(own, 'title')?.name ?? '', ...own.identity.by.map(({ field }) => field)];
  const texts = names.filter((name) => own.fields[name]?.type === 'value').map((name) => fields[name]);
  return texts.find((value): value is string => typeof value === 'string' && value !== '');
}
