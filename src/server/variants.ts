/**
 * Differences between services that the API document does not define, as switches of the embedded service. The first value of a switch
 * is the default. A client must converge with each combination.
 */

export const variantValues = {
  'ungrouped-section': ['end', 'start', 'before-group', 'after-group'],
  'deleted-group': ['end', 'place'],
  'localized-texts': ['replaced', 'merged'],
  'duplicate-title': ['same', 'suffix'],
  'duplicate-place': ['end', 'after-source'],
  'root-site-spaces': ['moved', 'stay'],
  'section-path': ['title', 'opaque'],
  proxy: ['split', 'whole'],
  'list-lag': ['0', '20', '100', '500'],
  'missing-delete': ['404', '204'],
  'conflict-status': ['409', '400'],
  text: ['as-is', 'trimmed', 'nfc', 'collapsed'],
  paths: ['as-is', 'lower'],
  urls: ['as-is', 'normalized'],
  certificates: ['as-is', 'rewrapped', 'bare'],
  'empty-names': ['accepted', 'rejected'],
  'unknown-fields': ['no', 'yes'],
  'unknown-values': ['no', 'yes'],
  'select-options': ['accepted', 'rejected'],
  'sso-without-provider': ['409', '200'],
  invites: ['at-once', 'when-accepted', 'unknown'],
  'merge-rule-people': ['400', 'kept', 'dropped'],
  'spec-processing': ['0', '300', '3000'],
  publishing: ['done', 'checkout'],
  'customization-values': ['kept', 'rejected', 'ignored'],
  'grants-combine': ['nearest', 'highest'],
  'site-levels': ['site', 'spaces'],
  'missing-grant': ['404', 'grants'],
  'grant-again': ['changes', 'kept', '409'],
  'dead-grants': ['stay', 'go'],
  'redirect-source': ['409', 'replaces', 'both'],
  'redirect-target': ['dangles', 'goes'],
  'audit-events': ['shown', 'forbidden', 'missing'],
  'unknown-query': ['rejected', 'ignored'],
  'page-size': ['50', '100', '10'],
} as const satisfies Readonly<Record<string, readonly [string, ...string[]]>>;

export type VariantName = keyof typeof variantValues;

export type Variants = { readonly [Name in VariantName]: (typeof variantValues)[Name][number] };

export const variantNames = Object.keys(variantValues) as readonly VariantName[];

export function valuesOf(name: VariantName): readonly [string, ...string[]] {
  return variantValues[name];
}

export function variantsWith(given: Partial<Variants> = {}): Variants {
  const entries = variantNames.map((name) => [name, given[name] ?? valuesOf(name)[0]]);
  return Object.fromEntries(entries) as Variants;
}

export function randomVariants(random: () => number): Variants {
  const entries = variantNames.map((name) => {
    const values = valuesOf(name);
    return [name, values[Math.floor(random() * values.length)] ?? values[0]];
  });
  return Object.fromEntries(entries) as Variants;
}

/** Switches without their default, for example `proxy=whole text=nfc`. */
export function variantsText(variants: Partial<Variants>): string {
  return variantNames
    .filter((name) => (variants[name] ?? valuesOf(name)[0]) !== valuesOf(name)[0])
    .map((name) => `${name}=${variants[name]}`)
    .join(' ');
}
