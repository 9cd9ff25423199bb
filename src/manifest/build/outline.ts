/** Outlines of organizations that are not built. */
import type { Kind } from '../../kinds/kind.ts';
import type { Registry } from '../../kinds/registry.ts';
import { inside } from '../../tree/addressing.ts';
import { rootAddress } from '../../tree/desired.ts';
import type { DesiredTree } from '../../tree/desired-tree.ts';
import type { Located } from '../../yaml/located.ts';
import { Problems } from '../../yaml/problems.ts';
import type { MergedOrganization } from '../merge/merge.ts';
import { chooseKind, readManifestSettings } from './build-tree.ts';

/** The known part of a tree that is not built. */
export interface TreeOutline extends Pick<DesiredTree, 'label' | 'settings'> {
  readonly nodes: Pick<ReadonlySet<string>, 'size' | 'keys'>;
}

/** Chooses the organizations of these trees. */
export function among(trees: readonly DesiredTree[]) {
  const labels = new Set(trees.map(({ label }) => label));
  return (all: readonly TreeOutline[]) => all.filter(({ label }) => labels.has(label));
}

/** Has the same addresses as the built tree of manifests without errors, and reports no problem. */
export function outlineOf({ label, content }: MergedOrganization, registry: Registry): TreeOutline {
  const nodes = new Set<string>();
  const visit = (owner: Kind, value: Located, address: string): void => {
    nodes.add(address);
    if (value.type !== 'map') return;
    for (const { key: collection, value: inner } of value.entries) {
      const places = registry.at(owner.name, collection);
      if (places[0] === undefined) continue;
      const kinds = places.map(({ kind }) => kind);
      if (places[0].place.shape === 'single') visit(places[0].kind, inner, inside(address, collection));
      else if (inner.type === 'map')
        for (const { key, value: child } of inner.entries) {
          const chosen = chooseKind(kinds, child);
          if (chosen !== undefined) visit(chosen, child, inside(address, collection, key));
        }
    }
  };
  visit(registry.root, content, rootAddress);
  return { label, settings: readManifestSettings(content, registry, new Problems()), nodes };
}
