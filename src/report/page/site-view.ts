/** The navigation of each site that a plan changes, before and after, with the changes of each entry. Pure. */
import type { OrganizationPlan } from '../../plan/plan.ts';
import type { ReviewedOrganization, SiteNavigation } from '../../review/reviewed-plan.ts';
import { defined } from '../../util/defined.ts';
import { isRecord, sameJson } from '../../util/json.ts';
import { inline } from '../plan/values.ts';
import { safeText } from '../text/safe-text.ts';
import { isUncertain, type NavigationNode, nodesAfter, nodesBefore } from './site-moves.ts';

export type EntryState = 'new' | 'gone' | 'moved' | 'changed';

export interface SiteEntry {
  readonly noun: string;
  readonly title: string;
  readonly address?: string;
  readonly path?: string;
  readonly isDefault?: true;
  /** Audience, appearance and other properties, by name. */
  readonly tags: readonly (readonly [name: string, value: string])[];
  readonly states: readonly EntryState[];
  readonly differs?: readonly string[];
  readonly children: readonly SiteEntry[];
}

export type SiteView = ReturnType<typeof siteView>;

/** Empty if the plan does not change sites. */
export function siteViews(plan: ReviewedOrganization) {
  const titles = newTitles(plan);
  return (plan.review?.navigation ?? []).map((site) => siteView(site, plan, titles));
}

function newTitles({ steps, review }: ReviewedOrganization): ReadonlyMap<string, string> {
  const names = new Set(review?.navigation?.flatMap(({ parts }) => parts.title));
  const found = new Map<string, string>();
  for (const { address, fields, phase } of steps)
    for (const { field, after } of phase === 'delete' ? [] : fields)
      if (names.has(field) && typeof after === 'string') found.set(address, after);
  return found;
}

type Side = ReturnType<typeof sideOf>;

function siteView(site: SiteNavigation, { steps }: OrganizationPlan, titles: ReadonlyMap<string, string>) {
  const titleAfter = (reference: string) => titles.get(reference) ?? site.titles[reference];
  const before = sideOf(site, nodesBefore(site), (reference) => site.titles[reference]);
  const after = sideOf(site, nodesAfter(site, steps), titleAfter);
  const changed = new Set(steps.map(({ address }) => address));
  const isOwn = (address: string) => address === site.address || address.startsWith(`${site.address}/`);
  const placing = steps.filter(
    ({ address, phase }) => isOwn(address) && /^(?:move|attach|detach)$/.test(phase),
  );
  const placed = new Set(placing.map(({ address, liveId }) => liveId ?? address));
  // Addresses of deletes, by the id of the deleted object.
  const deleting = steps.filter(({ phase }) => phase === 'delete');
  const deletes = new Map(deleting.map(({ liveId = '', address }) => [liveId, address]));
  const statesOf = (node: NavigationNode, counterpart: NavigationNode, differs: readonly string[]) => {
    const isElsewhere = node.parent?.key !== counterpart.parent?.key;
    const moved: readonly EntryState[] = isElsewhere || placed.has(node.key) ? ['moved'] : [];
    return differs.length > 0 ? [...moved, 'changed' as const] : moved;
  };
  const entryOf = (node: NavigationNode, side: Side, other: Side): SiteEntry => {
    const { key, noun, fields, address } = node;
    const counterpart = other.nodes.get(key);
    const differs = counterpart === undefined ? [] : differences(node, counterpart, [side, other]);
    const only = side === before ? 'gone' : 'new';
    const path = valueIn(fields, side.parts.path);
    const isDefault = side.defaults.has(key) || side.defaults.has(address ?? key);
    const change = deletes.get(key) ?? address ?? counterpart?.address ?? '';
    return {
      noun: safeText(noun),
      title: titleOf(node, side) ?? safeText(address?.split('/').at(-1) ?? key),
      states: counterpart === undefined ? [only] : statesOf(node, counterpart, differs),
      ...defined({
        address: changed.has(change) ? change : undefined,
        path: typeof path === 'string' ? safeText(path) : undefined,
        isDefault: isDefault ? (true as const) : undefined,
        differs: differs.length > 0 ? differs : undefined,
      }),
      tags: tagsOf(node, side, differs),
      children: node.children.map((child) => entryOf(child, side, other)),
    };
  };
  // A new or deleted site has only one side.
  return {
    address: site.address,
    before: before.root && entryOf(before.root, before, after),
    after: after.root && entryOf(after.root, after, before),
    /** The service decides what happens to some entries. */
    isUncertain: isUncertain(before.root, after.root),
  };
}

function sideOf(
  { parts }: SiteNavigation,
  root: NavigationNode | undefined,
  titleOf: (reference: string) => string | undefined,
) {
  const nodes = new Map<string, NavigationNode>();
  /** Keys and addresses of default entries. */
  const defaults = new Set<string>();
  const note = (node: NavigationNode) => {
    nodes.set(node.key, node);
    const first = referenceOf(valueIn(node.fields, parts.first));
    if (first !== undefined) defaults.add(first);
    for (const child of node.children) note(child);
  };
  if (root !== undefined) note(root);
  return { parts, root, nodes, defaults, titleOf };
}

function titleOf({ fields }: NavigationNode, side: Side): string | undefined {
  const own = valueIn(fields, side.parts.title);
  if (typeof own === 'string') return safeText(own);
  for (const value of Object.values(fields)) {
    const reference = referenceOf(value);
    const title = reference === undefined ? undefined : side.titleOf(reference);
    if (title !== undefined) return safeText(title);
  }
  return undefined;
}

function referenceOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  return isRecord(value) && typeof value.$id === 'string' ? value.$id : undefined;
}

function valueIn(fields: NavigationNode['fields'], names: readonly string[]) {
  return names.map((name) => fields[name]).find((value) => value !== undefined);
}

/** Fields that are not shown elsewhere, and set or changed. Sorted by name: a saved plan has its fields in another order. */
function tagsOf({ fields }: NavigationNode, { parts }: Side, differs: readonly string[]): SiteEntry['tags'] {
  const otherwise = new Set(Object.values(parts).flat());
  const entries = Object.entries(fields).sort(([left], [right]) => (left < right ? -1 : 1));
  return entries.flatMap(([name, value]) => {
    if (otherwise.has(name) || value === null || value === '') return [];
    if (/^(?:false|\{\}|\[\])$/.test(JSON.stringify(value)) && !differs.includes(name)) return [];
    const text = typeof value === 'string' ? safeText(value) : inline(value);
    return [[safeText(name), text ?? '…'] as const];
  });
}

function differences(one: NavigationNode, two: NavigationNode, [side, other]: readonly [Side, Side]) {
  const { title, first } = side.parts;
  const names = [...new Set([...Object.keys(one.fields), ...Object.keys(two.fields)])].sort();
  const fields = names.filter(
    (name) => !sameJson(one.fields[name] ?? null, two.fields[name] ?? null) && !first.includes(name),
  );
  const isRenamed =
    !fields.some((name) => title.includes(name)) && titleOf(one, side) !== titleOf(two, other);
  return [...fields, ...(isRenamed ? title.slice(0, 1) : [])].map(safeText);
}
