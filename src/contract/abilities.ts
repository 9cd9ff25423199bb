/**
 * What a service can do beyond the API document, or no longer. The document and the newer form are two ends of a line on which real
 * services lie; operations, kinds and fields name the ability that they need.
 */

const table = {
  customFields: { of: 'document', what: 'custom fields' },
  groupOperations: { of: 'document', what: 'requests that put a section into a group' },
  imports: { of: 'document', what: 'imports, links, backlinks and transfers of spaces' },
  titledTranslations: { of: 'document', what: 'translations with a title' },
  children: { of: '2026', what: 'drafts, links or groups in groups' },
  sort: { of: '2026', what: 'one order of everything in a site' },
  mergeRules: { of: '2026', what: 'merge rules' },
  invites: { of: '2026', what: 'invitations by e-mail' },
  specVisibility: { of: '2026', what: 'visibility of OpenAPI specifications' },
  linkInvites: { of: '2026', what: 'link invites of spaces and collections' },
  spaces: { of: '2026', what: 'languages or templates for spaces' },
  redirects: { of: '2026', what: 'redirects' },
  customization: { of: '2026', what: 'requests that customize sites' },
  access: { of: '2026', what: 'access of teams and members to spaces, collections and sites' },
  publishing: { of: '2026', what: 'requests that publish sites' },
} as const;

export type Ability = keyof typeof table;

export type Abilities = ReadonlySet<Ability>;

/** One ability, or several that must come together. */
export type Needs = Ability | readonly Ability[];

/** The first ability that is needed and not there. */
export function lackedBy(abilities: Abilities, needs: Needs | undefined): Ability | undefined {
  if (needs === undefined) return undefined;
  return [needs].flat().find((ability) => !abilities.has(ability));
}

/** In the order of the reference. */
export const abilities = Object.keys(table) as readonly Ability[];

export type Preset = 'document' | '2026';

/** The two ends of the line. */
export const presets: Readonly<Record<Preset, Abilities>> = {
  document: new Set(abilities.filter((name) => table[name].of === 'document')),
  '2026': new Set(abilities.filter((name) => table[name].of === '2026')),
};

/** For people: what a service without the ability does not have. */
export function abilityText(ability: Ability): string {
  return table[ability].what;
}

/** A sentence for reference pages. */
export function needsText(needs: Needs): string {
  const names = [needs].flat();
  const list = names.map((name) => `\`${name}\``).join(' and ');
  const isOld = names.some((name) => table[name].of === 'document');
  return `${isOld ? 'Not' : 'Only'} at services of the form \`2026\` (${names.length === 1 ? 'ability' : 'abilities'} ${list}).`;
}

/** For example `2026`, `2026-sort`, `document+sort-customFields`. */
export const profilePattern = new RegExp(`^(document|2026)(?:[+-](?:${abilities.join('|')}))*$`);

/** Undefined if it is not a profile. */
export function readProfile(text: string): Abilities | undefined {
  const preset = profilePattern.exec(text)?.[1];
  if (preset === undefined) return undefined;
  const own = new Set(presets[preset as Preset]);
  for (const [, sign, name] of text.matchAll(/([+-])(\w+)/g)) {
    if (sign === '+') own.add(name as Ability);
    else own.delete(name as Ability);
  }
  return own;
}

/** Of a plan, which names its profile unless that is the document's. */
export function abilitiesOf({ profile = 'document' }: { readonly profile?: string }): Abilities {
  return readProfile(profile) ?? presets.document;
}

/** The same abilities have the same name, whatever the profile that they were read from. */
export function profileName(own: Abilities): string {
  const distance = (preset: Preset) =>
    abilities.filter((name) => own.has(name) !== presets[preset].has(name));
  const [to, preset] =
    distance('document').length <= distance('2026').length
      ? ([distance('document'), 'document'] as const)
      : ([distance('2026'), '2026'] as const);
  return preset + to.map((name) => `${own.has(name) ? '+' : '-'}${name}`).join('');
}

/** As its organization shows: the newest form has merge rules in each one, and no earlier one has. */
export function abilitiesShown(organization: unknown): Abilities {
  const isNewer = typeof organization === 'object' && organization !== null && 'mergeRules' in organization;
  return presets[isNewer ? '2026' : 'document'];
}
