/** Signs and words for what happens to objects; the same as in the text of a plan. */
import type { PageChange, PageData } from '../page-data.ts';

type PageAction = PageChange['action'];

/** A sign for each action. */
export const signs: Readonly<Record<PageAction, string>> = {
  create: '+',
  update: '~',
  move: '↕',
  replace: '±',
  delete: '−',
  restore: '⟲',
};

/** What has happened to an object after the plan. */
export const done: Readonly<Record<PageAction, string>> = {
  create: 'created',
  update: 'updated',
  move: 'moved',
  replace: 'replaced',
  delete: 'deleted',
  restore: 'restored',
};

/** A number with its noun. */
export function countText(count: number, noun: string): string {
  if (count === 1) return `1 ${noun}`;
  return `${count} ${/[^aeiou]y$/.test(noun) ? `${noun.slice(0, -1)}ies` : `${noun}s`}`;
}

/** Changed and drifted objects, refusals and risks of all organizations. */
export function totals({ organizations }: PageData): {
  readonly changed: number;
  readonly drifted: number;
  readonly refused: number;
  readonly risky: number;
  readonly conflicts: number;
} {
  let [changed, drifted, refused, risky, conflicts] = [0, 0, 0, 0, 0];
  for (const organization of organizations) {
    changed += organization.changed;
    drifted += organization.drifted;
    conflicts += organization.conflicts;
    for (const { risks, action } of organization.changes)
      if (risks.length > 0 && action !== 'delete' && action !== 'replace') risky += 1;
    for (const { others } of organization.refusals) refused += 1 + others.length;
  }
  return { changed, drifted, refused, risky, conflicts };
}
