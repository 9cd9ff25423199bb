/** Addresses on a site, from the parts that objects on the way to them have. */
import type { FieldTrait } from '../kinds/field.ts';
import type { Fields } from '../kinds/payload.ts';
import type { Registry } from '../kinds/registry.ts';

type PathTrait = Extract<FieldTrait, { is: 'path' }>;

export function pathField(
  registry: Registry,
  { kind }: { readonly kind: string },
): { readonly name: string; readonly trait: PathTrait } | undefined {
  const { fields } = registry.byName(kind);
  for (const name in fields) {
    const trait = fields[name]?.trait;
    if (trait?.is === 'path') return { name, trait };
  }
  return undefined;
}

/** `chain`: from the outermost object. Undefined if a part is not known. */
export function sitePath(
  registry: Registry,
  chain: readonly { readonly kind: string; readonly fields: Fields }[],
): string | undefined {
  const parts = chain.flatMap((node) => {
    const field = pathField(registry, node);
    return field === undefined ? [] : [node.fields[field.name]];
  });
  if (!parts.every((part) => typeof part === 'string')) return undefined;
  return parts.map((part) => `/${encodeURIComponent(part)}`).join('');
}
