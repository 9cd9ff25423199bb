/**
 * The live navigation of the sites that a plan changes, for a view of each site before and after. Made from the reads of planning; the
 * state after is computed from the steps, so that they always agree.
 */
import type { Kind } from '../kinds/kind.ts';
import { type Field, type FieldTrait, fieldWith } from '../kinds/parts/field.ts';
import { type Payload, referredAddress, type Value } from '../kinds/parts/payload.ts';
import type { Registry } from '../kinds/registry.ts';
import type { PlanContext } from '../plan/context.ts';
import { isUpdate, type Step } from '../plan/plan.ts';
import { titleOf } from '../plan/title-of.ts';
import { plainFields } from '../plan/values/secret-fields.ts';
import { prefixesOf } from '../tree/addressing.ts';
import type { LiveNode } from '../tree/live.ts';
import { defined } from '../util/defined.ts';
import { push } from '../util/group.ts';
import type { NavigationEntry, SiteNavigation } from './reviewed-plan.ts';

export function navigationBefore(context: PlanContext, steps: readonly Step[]): readonly SiteNavigation[] {
  const sites = new Map<string, Step[]>();
  for (const step of steps) {
    const address = siteOf(context, step);
    if (address !== undefined) push(sites, address, step);
  }
  return [...sites].flatMap(([address, own]) => navigationOf(context, address, own) ?? []);
}

function siteOf({ registry, desired }: PlanContext, { kind, address }: Step): string | undefined {
  if (registry.byName(kind).display.navigation === true) return address;
  for (const outer of prefixesOf(address).slice(0, -1).reverse()) {
    const above = desired.get(outer);
    if (above === undefined || registry.byName(above.kind).display.navigation !== true) continue;
    return entryKinds(registry, above.kind).includes(kind) ? above.address : undefined;
  }
  return undefined;
}

function entryKinds(registry: Registry, holder: string): readonly string[] {
  const names = new Set<string>();
  const open = [holder];
  for (let parent = open.pop(); parent !== undefined; parent = open.pop()) {
    for (const key of registry.collectionsOf(parent))
      for (const { kind, place } of registry.at(parent, key)) {
        // A kind that the service does not have has no list to read.
        if (!place.ordered || kind.reads.list === undefined || names.has(kind.name)) continue;
        names.add(kind.name);
        open.push(kind.name);
      }
  }
  return [...names].sort();
}

/** Undefined if the navigation was not read and is not changed by the steps. */
function navigationOf(
  context: PlanContext,
  address: string,
  steps: readonly Step[],
): SiteNavigation | undefined {
  const kind = kindOfSite(context, steps);
  const kinds = entryKinds(context.registry, kind.name);
  const site = liveSite(context, address, kind, steps);
  const entries = site === undefined ? [] : entriesIn(context, site, kinds);
  const isStructural = steps.some((step) => kinds.includes(step.kind) || !isUpdate(step));
  if (entries.length < 2 && !isStructural) return undefined;
  const titles = new Map<string, string>();
  for (const { kind: name, fields } of entries) noteTitles(context, titles, name, fields);
  for (const step of steps) {
    const values = step.fields.map(({ field, after }) => [field, after ?? null] as const);
    noteTitles(context, titles, step.kind, Object.fromEntries(values));
  }
  return { address, kinds, entries, titles: Object.fromEntries(titles), parts: partsOf(context.registry) };
}

function partsOf({ kinds }: Registry): SiteNavigation['parts'] {
  const fields = kinds.flatMap((kind) => Object.entries(kind.fields));
  const having = (...traits: readonly FieldTrait['is'][]) => [
    ...new Set(fields.flatMap(([name, { trait }]) => (trait && traits.includes(trait.is) ? [name] : []))),
  ];
  return {
    title: having('title'),
    path: having('path', 'base'),
    first: having('first'),
    internal: having('internal'),
  };
}

function kindOfSite({ registry }: PlanContext, steps: readonly Step[]): Kind {
  const all = [...steps.map(({ kind }) => registry.byName(kind)), ...registry.kinds];
  const kind = all.find(({ display: { navigation } }) => navigation === true);
  if (kind === undefined) throw new Error('No kind has a navigation');
  return kind;
}

function liveSite(
  context: PlanContext,
  address: string,
  kind: Kind,
  steps: readonly Step[],
): LiveNode | undefined {
  const declared = context.liveOf(address) ?? context.replaced.get(address);
  if (declared !== undefined) return declared;
  const id = steps.find((step) => step.address === address && step.phase === 'delete')?.liveId;
  return id === undefined ? undefined : context.live.get({ kind: kind.name, id });
}

function entriesIn(
  context: PlanContext,
  site: LiveNode,
  kinds: readonly string[],
): readonly NavigationEntry[] {
  const seen = new Set<LiveNode>();
  const entries: NavigationEntry[] = [];
  const add = (live: LiveNode, parent: LiveNode | undefined) => {
    // A service may show containers that contain each other.
    if (seen.has(live)) return;
    seen.add(live);
    entries.push(entryOf(context, live, parent));
    const inside = context.live
      .childrenOf(live)
      .filter(({ kind, deleted }) => kinds.includes(kind) && deleted !== true);
    const rank = (child: LiveNode) => child.rank ?? Number.MAX_VALUE;
    for (const child of inside.sort((left, right) => rank(left) - rank(right))) add(child, live);
  };
  add(site, undefined);
  return entries;
}

function entryOf(context: PlanContext, live: LiveNode, parent: LiveNode | undefined): NavigationEntry {
  const kind = context.kindOf(live);
  const address = context.matching.addressOf(live);
  const fields = Object.entries(plainFields(context, live)).map(
    ([name, value]) => [name, shown(context, kind.fields[name], value)] as const,
  );
  return {
    kind: kind.name,
    noun: kind.noun,
    id: live.id,
    ...defined({ address, parent: parent?.id }),
    fields: Object.fromEntries(fields),
  };
}

function shown(context: PlanContext, field: Field | undefined, value: Value): Payload {
  return field?.type === 'reference' && typeof value === 'string'
    ? context.showId(field.kinds, value)
    : value;
}

function noteTitles(
  context: PlanContext,
  titles: Map<string, string>,
  kind: string,
  fields: Readonly<Record<string, Payload>>,
): void {
  const known = context.registry.byName(kind).fields;
  for (const [name, value] of Object.entries(fields)) {
    const field = known[name];
    // Entries that refer to others of the same site have their own titles.
    if (field?.type !== 'reference' || field.within === 'descendants') continue;
    const reference = typeof value === 'string' ? value : referredAddress(value);
    const live = reference === undefined ? undefined : liveTarget(context, field.kinds, reference);
    if (reference === undefined || live === undefined || isTitleSecret(context, live)) continue;
    titles.set(reference, titleOf(context, live));
  }
}

function liveTarget(context: PlanContext, kinds: readonly string[], reference: string): LiveNode | undefined {
  const declared = context.liveOf(reference);
  if (declared !== undefined) return declared;
  return kinds.map((kind) => context.live.get({ kind, id: reference })).find((live) => live !== undefined);
}

function isTitleSecret(context: PlanContext, live: LiveNode): boolean {
  const { name = '' } = fieldWith(context.kindOf(live), 'title') ?? {};
  return live.fields[name] !== undefined && plainFields(context, live)[name] === undefined;
}
