/** Signs and words for actions; the same as in the text of a plan. */

import { lineText } from '../../../util/places.ts';
import type { PageChange, PageData, PageField, PageOrganization } from '../page-data.ts';

type PageAction = PageChange['action'];

export const signs: Readonly<Record<PageAction, string>> = {
  create: '+',
  update: '~',
  move: '↕',
  replace: '±',
  delete: '−',
  restore: '⟲',
};

export const done: Readonly<Record<PageAction, string>> = {
  create: 'created',
  update: 'updated',
  move: 'moved',
  replace: 'replaced',
  delete: 'deleted',
  restore: 'restored',
};

export function countText(count: number, noun: string): string {
  if (count === 1) return `1 ${noun}`;
  return `${count} ${/[^aeiou]y$/.test(noun) ? `${noun.slice(0, -1)}ies` : `${noun}s`}`;
}

/** For example `Organization Acme (org_acme), base main@4f1c2aa`. */
export function aboutText({ name, id, base }: PageOrganization): string {
  const known = id === undefined ? '' : ` (${id})`;
  return `Organization ${name}${known}${base === undefined ? '' : `, base ${base}`}`;
}

export function linesOf(text: string): readonly string[] {
  return text === '' ? [] : text.split('\n');
}

/** Empty without a place. */
export function atText(at: PageChange['at']): string {
  return at === undefined ? '' : lineText(at);
}

export function textsOf(shown: PageField['shown']): readonly string[] {
  return shown.type === 'lines' ? shown.lines.map(({ text }) => text) : [shown.before ?? '', shown.after];
}

export function totals({ organizations }: PageData): {
  readonly changed: number;
  readonly drifted: number;
  readonly refused: number;
  readonly risky: number;
  readonly conflicts: number;
} {
  let [changed, drifted, refused, risky, conflicts] = [0, 0, 0, 0, 0];
  for (const organization of organizations) {
    changed += organization.changed.change;
    drifted += organization.changed.drift;
    conflicts += organization.changed.conflicts;
    for (const { risks, action } of organization.changes)
      if (risks.length > 0 && action !== 'delete' && action !== 'replace') risky += 1;
    for (const { others } of organization.refusals) refused += 1 + others.length;
  }
  return { changed, drifted, refused, risky, conflicts };
}
