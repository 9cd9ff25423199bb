/** Merges overlays over organizations, key by key; the last overlay wins. */

import { defined } from '../../util/defined.ts';
import { rememberedIn } from '../../util/remembered.ts';
import { entryOf, type LocatedMap } from '../../yaml/located.ts';
import type { Problems } from '../../yaml/problems.ts';
import {
  checkVersion,
  type FoundOrganization,
  findOrganization,
  type MergedOrganization,
  mergeContents,
} from './merge.ts';
import { OverlayMerge, type OverlayRules } from './overlay-merge.ts';

type Organizations = ReadonlyMap<string, MergedOrganization>;

/**
 * Keyed by label. If manifests and overlays each name one organization, the overlays choose: the same manifests can serve several
 * organizations.
 */
export function mergeOverlays(
  organizations: Organizations,
  overlays: readonly (readonly LocatedMap[])[],
  rules: OverlayRules,
): readonly MergedOrganization[] {
  const { problems } = rules;
  const merges = new Map<MergedOrganization, OverlayMerge>();
  const overlaid = new Map([...organizations.values()].map((one) => [one, one]));
  const choose = chosenOrganization(organizations, overlays, problems);
  for (const documents of overlays) {
    const parts = new Map<MergedOrganization, LocatedMap[]>();
    for (const document of documents) {
      checkVersion(document, problems);
      const target = targetOf(document, organizations, { ...rules, choose });
      if (target !== undefined) parts.set(target, [...(parts.get(target) ?? []), document]);
    }
    for (const [target, own] of parts) {
      const before = overlaid.get(target) ?? target;
      const content = mergeContents(own, problems);
      if (content === undefined) continue;
      const merge = rememberedIn(merges, target, () => new OverlayMerge(rules));
      const { omitted } = merge;
      overlaid.set(target, { ...before, omitted, content: merge.merge(before.content, content) });
    }
  }
  // References to a refused object are not errors of their own.
  if ([...merges.values()].some(({ hasRefused }) => hasRefused)) problems.lose();
  return [...overlaid.values()]
    .map(({ content, omitted, ...own }) => ({ ...(choose ?? own), content, ...defined({ omitted }) }))
    .sort((left, right) => (left.label < right.label ? -1 : 1));
}

function chosenOrganization(
  organizations: Organizations,
  overlays: readonly (readonly LocatedMap[])[],
  problems: Problems,
): FoundOrganization | undefined {
  if (organizations.size !== 1) return undefined;
  const named = new Map<string, FoundOrganization>();
  for (const document of overlays.flat()) {
    if (entryOf(document, 'organization') === undefined || !identifies(document)) continue;
    const found = findOrganization(document, problems);
    if (found !== undefined) named.set(found.label, found);
  }
  const [only, ...others] = named.values();
  return others.length > 0 || only === undefined || organizations.has(only.label) ? undefined : only;
}

function identifies(document: LocatedMap): boolean {
  const value = entryOf(document, 'organization')?.value;
  if (value?.type !== 'map') return true;
  return (entryOf(value, 'id') ?? entryOf(value, 'match')) !== undefined;
}

function targetOf(
  overlay: LocatedMap,
  organizations: Organizations,
  { choose, problems, found: ofManifests }: OverlayRules & { readonly choose: FoundOrganization | undefined },
): MergedOrganization | undefined {
  const [only, ...others] = organizations.values();
  const isOnly = only !== undefined && others.length === 0;
  if (!identifies(overlay) || entryOf(overlay, 'organization') === undefined) {
    if (isOnly) return only;
    if (organizations.size === 0) return undefined;
    return problems.error('overlay', 'overlay without an organization', overlay.at, {
      suggestion: `add organization: ${[...organizations.keys()].join(', or organization: ')}`,
    });
  }
  const found = findOrganization(overlay, problems);
  if (found === undefined) return undefined;
  if (isOnly && choose?.label === found.label) return only;
  const target = organizations.get(found.label);
  // The manifests of this organization may be among the broken ones.
  if (target === undefined && organizations.size > 0 && !(ofManifests?.hasErrors() ?? false)) {
    problems.error(
      'overlay',
      `no manifest of organization ${found.label}`,
      entryOf(overlay, 'organization')?.value.at,
      { suggestion: `use one of ${[...organizations.keys()].join(', ')}` },
    );
  }
  return target;
}
