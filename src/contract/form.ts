/** The two API versions of the service: that of the API document, and a newer one, which lacks some operations and adds others. */

/** Names in settings and flags. */
export const forms = ['document', '2026'] as const;

/** API version of a service; see the head of this file. */
export type Form = (typeof forms)[number];

/** `needs`: the only form that has it; undefined if both do. */
export function isLacking(form: Form, needs: Form | undefined): boolean {
  return needs !== undefined && needs !== form;
}

/** A sentence for reference pages. */
export function needsText(needs: Form): string {
  return needs === 'document'
    ? 'Not at services of the form `2026`.'
    : 'Only at services of the form `2026`.';
}

/** The form of a plan. A plan names its profile unless it is the document's, and may name one of a later Octavo version. */
export function formOf({ profile }: { readonly profile?: string }): Form {
  return forms.find((one) => one === profile) ?? 'document';
}

/** Detects the form from an organization: only the newer form has `mergeRules` in it. */
export function formShown(organization: unknown): Form {
  const isNewer = typeof organization === 'object' && organization !== null && 'mergeRules' in organization;
  return isNewer ? '2026' : 'document';
}
