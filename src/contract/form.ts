/** The two forms of the service: that of the API document, and a newer one, which lacks some operations and has others. */

/** As settings and flags name them. */
export const forms = ['document', '2026'] as const;

/** See the head of this file. */
export type Form = (typeof forms)[number];

/** `needs`: the form that has it; absent if each does. */
export function isLacking(form: Form, needs: Form | undefined): boolean {
  return needs !== undefined && needs !== form;
}

/** A sentence for reference pages. */
export function needsText(needs: Form): string {
  return needs === 'document'
    ? 'Not at services of the form `2026`.'
    : 'Only at services of the form `2026`.';
}

/** Of a plan, which names its profile unless that is the document's, and may name one of a later version. */
export function formOf({ profile }: { readonly profile?: string }): Form {
  return forms.find((one) => one === profile) ?? 'document';
}

/** As its organization shows: the newer form has merge rules in each one, and the document's has none. */
export function formShown(organization: unknown): Form {
  const isNewer = typeof organization === 'object' && organization !== null && 'mergeRules' in organization;
  return isNewer ? '2026' : 'document';
}
