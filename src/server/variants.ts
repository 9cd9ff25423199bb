/**
 * Differences between services that the API document does not define, as switches of the embedded service. The first value of a switch
 * is the default. A client must converge with each combination.
 */

interface VariantSwitch {
  readonly description: string;
  readonly values: readonly [string, ...string[]];
  readonly meanings?: Readonly<Record<string, string>>;
}

export const variantTable = {
  'ungrouped-section': {
    description: 'Place of a section that is removed from its group',
    values: ['end', 'start', 'before-group', 'after-group'],
    meanings: { end: 'the end of the site', start: 'the start of the site' },
  },
  'deleted-group': {
    description: 'Place of the sections of a deleted group',
    values: ['end', 'place'],
    meanings: { end: 'the end of the site', place: "the group's place" },
  },
  'localized-texts': {
    description: 'Effect of changing the texts in some languages on the texts in others',
    values: ['replaced', 'merged'],
    meanings: { replaced: 'they are removed', merged: 'they are kept' },
  },
  'duplicate-title': {
    description: "Title of a duplicated space: the source's, or with a suffix",
    values: ['same', 'suffix'],
    meanings: { suffix: 'the title and "(copy)", cut to 50 characters' },
  },
  'duplicate-place': {
    description: "Place of a duplicated space in the source's parent",
    values: ['end', 'after-source'],
    meanings: { 'after-source': 'right after it' },
  },
  'root-site-spaces': {
    description: "Place of a site's root site-spaces after it gets its first section",
    values: ['moved', 'stay'],
    meanings: { moved: 'moved into the section' },
  },
  'section-path': {
    description: 'Path of a new section',
    values: ['title', 'opaque'],
    meanings: { title: 'made from its title', opaque: 'a random one' },
  },
  proxy: {
    description: 'How the `proxy` of a site is returned, for a request with `acme.dev/docs`',
    values: ['split', 'whole'],
    meanings: {
      split: '`origin: acme.dev`, `target: /docs`',
      whole: '`origin: acme.dev/docs`, and as `target` the URL behind it',
    },
  },
  'list-lag': {
    description: 'Milliseconds that lists lag behind writes; single objects do not',
    values: ['0', '20', '100', '500'],
  },
  'missing-delete': {
    description: 'Status of a delete of something that does not exist',
    values: ['404', '204'],
  },
  'conflict-status': {
    description: 'Status of requests that are valid but not possible in the current state',
    values: ['409', '400'],
  },
  text: {
    description: 'How strings in request bodies are stored',
    values: ['as-is', 'trimmed', 'nfc', 'collapsed'],
    meanings: {
      trimmed: 'without surrounding whitespace',
      nfc: 'in Unicode normalization form C',
      collapsed: 'with one space for several',
    },
  },
  paths: {
    description: 'How paths, basenames and slugs in request bodies are stored',
    values: ['as-is', 'lower'],
    meanings: { lower: 'in lower case' },
  },
  urls: {
    description: 'How URLs in request bodies are stored',
    values: ['as-is', 'normalized'],
    meanings: { normalized: 'as browsers write them: the host in lower case, `/` for an empty path' },
  },
  certificates: {
    description: 'How certificates in request bodies are stored',
    values: ['as-is', 'rewrapped', 'bare'],
    meanings: { rewrapped: 'in lines of 76 characters', bare: 'the base64 alone, in one line' },
  },
  'empty-names': {
    description: 'Empty titles, names, labels and subjects, where the document sets no minimum length',
    values: ['accepted', 'rejected'],
  },
  'unknown-fields': {
    description: 'Fields in responses that the document does not have',
    values: ['no', 'yes'],
  },
  'unknown-values': {
    description: 'Values in responses that the document does not list, in fields that no request sets',
    values: ['no', 'yes'],
  },
  'select-options': {
    description:
      'Select fields without options, and options that are removed while spaces have them as values',
    values: ['accepted', 'rejected'],
  },
  'sso-without-provider': {
    description: 'Status of a request to require single sign-on without a SAML provider',
    values: ['409', '200'],
  },
  invites: {
    description: 'When a person becomes a member who is invited by e-mail',
    values: ['at-once', 'when-accepted', 'unknown'],
    meanings: {
      'when-accepted': 'later; the response has the id of the user',
      unknown: 'later; the response has no id',
    },
  },
  'merge-rule-people': {
    description: 'People in merge rules who are not members',
    values: ['400', 'kept', 'dropped'],
  },
  'spec-processing': {
    description: 'Milliseconds until a new source of an OpenAPI specification is processed',
    values: ['0', '300', '3000'],
    meanings: { '300': 'it is `pending` until then, with the former version' },
  },
  publishing: {
    description: 'Effect of a request to publish a site',
    values: ['done', 'checkout'],
    meanings: { checkout: 'none, with status 200: a payment is needed first' },
  },
  'customization-values': {
    description:
      'Effect of customization values that the service does not know, or that the type of the site does not allow',
    values: ['kept', 'rejected', 'ignored'],
    meanings: { ignored: 'the former value is kept, with status 200' },
  },
  'grants-combine': {
    description: 'Level that applies if a space, its collections and the organization give several',
    values: ['nearest', 'highest'],
  },
  'site-levels': {
    description: 'Objects that the levels of a site apply to',
    values: ['site', 'spaces'],
    meanings: {
      site: 'the site alone',
      spaces: 'also its spaces, where they take precedence over levels of collections',
    },
  },
  'missing-grant': {
    description: 'A change of the level of a person or team without one',
    values: ['404', 'grants'],
  },
  'grant-again': {
    description: 'A grant to a person or team that already has a level',
    values: ['changes', 'kept', '409'],
  },
  'dead-grants': {
    description: 'Effect of deleting a team on its levels',
    values: ['stay', 'go'],
  },
  'redirect-source': { description: 'A second redirect of one source', values: ['409', 'replaces', 'both'] },
  'redirect-target': {
    description: 'Effect of deleting a section or site-space on redirects to it',
    values: ['dangles', 'goes'],
  },
  'audit-events': {
    description: 'Who may read audit events',
    values: ['shown', 'forbidden', 'missing'],
    meanings: { shown: 'administrators', forbidden: 'no one: status 403', missing: 'no one: status 404' },
  },
  'unknown-query': {
    description: 'Query parameters that the document does not have',
    values: ['rejected', 'ignored'],
  },
  'page-size': {
    description: 'Items per page if the request has no `limit`',
    values: ['50', '100', '10'],
  },
} as const satisfies Readonly<Record<string, VariantSwitch>>;

export type VariantName = keyof typeof variantTable;

export type Variants = { readonly [Name in VariantName]: (typeof variantTable)[Name]['values'][number] };

export const variantNames = Object.keys(variantTable) as readonly VariantName[];

export function variantSwitch(name: VariantName): VariantSwitch {
  return variantTable[name];
}

export function variantsWith(given: Partial<Variants> = {}): Variants {
  const entries = variantNames.map((name) => [name, given[name] ?? variantSwitch(name).values[0]]);
  return Object.fromEntries(entries) as Variants;
}

export function randomVariants(random: () => number): Variants {
  const entries = variantNames.map((name) => {
    const { values } = variantSwitch(name);
    return [name, values[Math.floor(random() * values.length)] ?? values[0]];
  });
  return Object.fromEntries(entries) as Variants;
}

/** Switches without their default, for example `proxy=whole text=nfc`. */
export function variantsText(variants: Partial<Variants>): string {
  return variantNames
    .filter((name) => (variants[name] ?? variantSwitch(name).values[0]) !== variantSwitch(name).values[0])
    .map((name) => `${name}=${variants[name]}`)
    .join(' ');
}
