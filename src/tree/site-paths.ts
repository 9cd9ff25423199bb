/** Addresses on a site, built from the path of each object and its containers. */
import { fieldWith, valueWith } from '../kinds/parts/field.ts';
import type { Registry } from '../kinds/registry.ts';
import type { LiveNode } from './live.ts';

export function pathField(registry: Registry, { kind }: { readonly kind: string }) {
  return fieldWith(registry.byName(kind), 'path');
}

/** True if the object itself is a draft, regardless of its containers. */
export function isDraft(registry: Registry, { kind, fields }: Pick<LiveNode, 'kind' | 'fields'>): boolean {
  return valueWith(registry.byName(kind), fields, 'draft') === true;
}

/** `chain`: starts with the outermost object. Undefined if a part is unknown. */
export function sitePath(
  registry: Registry,
  chain: readonly Pick<LiveNode, 'kind' | 'fields'>[],
): string | undefined {
  const parts = chain.flatMap((node) => {
    const field = pathField(registry, node);
    return field === undefined ? [] : [node.fields[field.name]];
  });
  if (!parts.every((part) => typeof part === 'string')) return undefined;
  return parts.map((part) => `/${encodeURIComponent(part)}`).join('');
}
