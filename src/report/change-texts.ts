/** Pieces of the text of one change: what is said beside a value, and how values are compared. Pure. */
import type { Action, CascadedDelete, FieldChange } from '../plan/plan.ts';
import { countOf } from '../util/count.ts';
import { isWhole } from './object-changes.ts';
import { displayWidth, firstColumns, quote, safeText } from './safe-text.ts';
import { inline, type ShownChange, showChange, showWhole } from './values.ts';

/** Cascaded deletes that are listed by name; more are counted. */
const namedCascade = 3;

/** A field's values as they are shown: only one where there is nothing to compare with. */
export function valuesOf(action: Action, field: FieldChange): ShownChange {
  if (isAlone(action, field)) return showWhole(field.after === undefined ? field.before : field.after, field);
  const shown = showChange(field);
  const isLost = action === 'replace' && field.after === undefined;
  return isLost && shown.type === 'inline' ? { ...shown, after: '(lost)' } : shown;
}

/** A title in quotes after a space; empty where there is none. */
export function titleText(title: string | undefined): string {
  return title === undefined ? '' : ` ${quote(title)}`;
}

/** True when there is nothing to compare a value with. */
export function isAlone(action: Action, { before }: FieldChange): boolean {
  return isWhole(action) && (action !== 'replace' || before === undefined);
}

/** What is said beside the values of a field. */
export function remarkText({ forcesReplacement }: FieldChange, conflict: FieldChange | undefined): string {
  if (forcesReplacement === true) return '  forces replacement';
  return conflict === undefined ? '' : conflictText(conflict);
}

/** The beginning of a text, where the whole does not fit. */
export function shorten(text: string, width: number): string {
  return displayWidth(text) <= width ? text : `${firstColumns(text, Math.max(0, width - 1))}…`;
}

/** Marks a change of both sides, with the value that both changed; empty where only one side changed. */
export function conflictText({ cause, base, ...reading }: Partial<FieldChange>): string {
  if (cause !== 'conflict') return '';
  const applied = base === undefined ? undefined : inline(base, reading);
  return applied === undefined ? '  (conflict)' : `  (conflict, last applied ${applied})`;
}

/** What a delete also deletes: by name where it is little, else by number. */
export function cascadeText(cascade: readonly CascadedDelete[]): string {
  if (cascade.length <= namedCascade)
    return cascade.map(({ noun, title }) => `${safeText(noun)} ${quote(title)}`).join(', ');
  const counts = new Map<string, number>();
  for (const { noun } of cascade) counts.set(noun, (counts.get(noun) ?? 0) + 1);
  return [...counts].map(([noun, count]) => countOf(count, safeText(noun))).join(', ');
}
