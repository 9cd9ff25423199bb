/**
 * Differences between services that the API document does not define, as switches of the embedded service. The first value of a switch
 * is the default. A client must converge with each combination.
 */

interface VariantSwitch<Values extends readonly [string, ...string[]] = readonly [string, ...string[]]> {
  readonly description: string;
  readonly values: Values;
  readonly meanings?: Readonly<Record<string, string>> | undefined;
}

function variant<const Values extends readonly [string, ...string[]]>(
  description: string,
  values: Values,
  meanings?: { readonly [Value in Values[number]]?: string },
): VariantSwitch<Values> {
  return { description, values, meanings: meanings as VariantSwitch['meanings'] };
}

export const variantTable = {
  'ungrouped-section': variant(
    'Place of a section that is removed from its group',
    ['end', 'start', 'before-group', 'after-group'],
    { end: 'the end of the site', start: 'the start of the site' },
  ),
  'deleted-group': variant('Place of the sections of a deleted group', ['end', 'place'], {
    end: 'the end of the site',
    place: "the group's place",
  }),
  'localized-texts': variant(
    'Effect of changing the texts in some languages on the texts in others',
    ['replaced', 'merged'],
    { replaced: 'they are removed', merged: 'they are kept' },
  ),
  'duplicate-title': variant(
    "Title of a duplicated space: the source's, or with a suffix",
    ['same', 'suffix'],
    { suffix: 'the title and "(copy)", cut to 50 characters' },
  ),
  'duplicate-place': variant("Place of a duplicated space in the source's parent", ['end', 'after-source'], {
    'after-source': 'right after it',
  }),
  'root-site-spaces': variant(
    "Place of a site's root site-spaces after it gets its first section",
    ['moved', 'stay'],
    { moved: 'moved into the section' },
  ),
  'section-path': variant('Path of a new section', ['title', 'opaque'], {
    title: 'made from its title',
    opaque: 'a random one',
  }),
  proxy: variant(
    'How the `proxy` of a site is returned, for a request with `acme.dev/docs`',
    ['split', 'whole'],
    {
      split: '`origin: acme.dev`, `target: /docs`',
      whole: '`origin: acme.dev/docs`, and as `target` the URL behind it',
    },
  ),
  'list-lag': variant('Milliseconds that lists lag behind writes; single objects do not', [
    '0',
    '20',
    '100',
    '500',
  ]),
  'missing-delete': variant('Status of a delete of something that does not exist', ['404', '204']),
  'conflict-status': variant('Status of requests that are valid but not possible in the current state', [
    '409',
    '400',
  ]),
  text: variant('How strings in request bodies are stored', ['as-is', 'trimmed', 'nfc', 'collapsed'], {
    trimmed: 'without surrounding whitespace',
    nfc: 'in Unicode normalization form C',
    collapsed: 'with one space for several',
  }),
  paths: variant('How paths, basenames and slugs in request bodies are stored', ['as-is', 'lower'], {
    lower: 'in lower case',
  }),
  urls: variant('How URLs in request bodies are stored', ['as-is', 'normalized'], {
    normalized: 'as browsers write them: the host in lower case, `/` for an empty path',
  }),
  certificates: variant('How certificates in request bodies are stored', ['as-is', 'rewrapped', 'bare'], {
    rewrapped: 'in lines of 76 characters',
    bare: 'the base64 alone, in one line',
  }),
  'empty-names': variant(
    'Empty titles, names, labels and subjects, where the document sets no minimum length',
    ['accepted', 'rejected'],
  ),
  'unknown-fields': variant('Fields in responses that the document does not have', ['no', 'yes']),
  'unknown-values': variant(
    'Values in responses that the document does not list, in fields that no request sets',
    ['no', 'yes'],
  ),
  'select-options': variant(
    'Select fields without options, and options that are removed while spaces have them as values',
    ['accepted', 'rejected'],
  ),
  'sso-without-provider': variant('Status of a request to require single sign-on without a SAML provider', [
    '409',
    '200',
  ]),
  invites: variant(
    'When a person becomes a member who is invited by e-mail',
    ['at-once', 'when-accepted', 'unknown'],
    {
      'when-accepted': 'later; the response has the id of the user',
      unknown: 'later; the response has no id',
    },
  ),
  'merge-rule-people': variant('People in merge rules who are not members', ['400', 'kept', 'dropped']),
  'spec-processing': variant(
    'Milliseconds until a new source of an OpenAPI specification is processed',
    ['0', '300', '3000'],
    { '300': 'it is `pending` until then, with the former version' },
  ),
  publishing: variant('Effect of a request to publish a site', ['done', 'checkout'], {
    checkout: 'none, with status 200: a payment is needed first',
  }),
  'customization-values': variant(
    'Effect of customization values that the service does not know, or that the type of the site does not allow',
    ['kept', 'rejected', 'ignored'],
    { ignored: 'the former value is kept, with status 200' },
  ),
  'grants-combine': variant(
    'Level that applies if a space, its collections and the organization give several',
    ['nearest', 'highest'],
  ),
  'site-levels': variant('Objects that the levels of a site apply to', ['site', 'spaces'], {
    site: 'the site alone',
    spaces: 'also its spaces, where they take precedence over levels of collections',
  }),
  'missing-grant': variant('A change of the level of a person or team without one', ['404', 'grants']),
  'grant-again': variant('A grant to a person or team that already has a level', ['changes', 'kept', '409']),
  'dead-grants': variant('Effect of deleting a team on its levels', ['stay', 'go']),
  'redirect-source': variant('A second redirect of one source', ['409', 'replaces', 'both']),
  'redirect-target': variant('Effect of deleting a section or site-space on redirects to it', [
    'dangles',
    'goes',
  ]),
  'audit-events': variant('Who may read audit events', ['shown', 'forbidden', 'missing'], {
    shown: 'administrators',
    forbidden: 'no one: status 403',
    missing: 'no one: status 404',
  }),
  'unknown-query': variant('Query parameters that the document does not have', ['rejected', 'ignored']),
  'page-size': variant('Items per page if the request has no `limit`', ['50', '100', '10']),
} as const;

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
