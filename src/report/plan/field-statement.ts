/** A changed field, stated once: formats only do the layout. Pure. */
import { type Action, type FieldChange, isWhole } from '../../plan/plan.ts';
import { safeText } from '../text/safe-text.ts';
import { type DiffLine, inline, type ShownChange, showChange, showWhole } from './values.ts';

export type FieldStatement = ReturnType<typeof stateField>;

export function stateField(action: Action, field: FieldChange) {
  const { base, cause, ...reading } = field;
  const isAlone = isWhole(action) && (action !== 'replace' || field.before === undefined);
  const isConflict = cause === 'conflict' && !isAlone;
  const isRisk = field.forcesReplacement === true || isConflict || field.undecided !== undefined;
  const third = isConflict && base !== undefined ? base : undefined;
  return {
    name: safeText(field.field),
    shown: valuesOf(action, field, isAlone),
    /** True for a value of a new or deleted object, which is compared with nothing. */
    isAlone,
    /** Why it changes, or what else matters: `(conflict, last applied "Old")`. May be empty. */
    remark: field.forcesReplacement === true ? 'forces replacement' : isAlone ? '' : remarkOf(field),
    as: isRisk ? ('risk' as const) : ('faint' as const),
    /** The value that was applied last, in a conflict; otherwise empty. */
    applied: third === undefined ? [] : linesIn(showWhole(third, reading)),
    /** True if the remark has no room for the third value. */
    isLong: third !== undefined && inline(third, reading) === undefined,
  };
}

function remarkOf({ cause, base, undecided, at, ...reading }: FieldChange): string {
  if (cause === 'conflict') {
    const applied = base === undefined ? undefined : inline(base, reading);
    return applied === undefined ? '(conflict)' : `(conflict, last applied ${applied})`;
  }
  if (undecided !== undefined) return `(from a ${undecided}: cause not known)`;
  if (cause === 'input') return '(a variable changed)';
  const { name } = at?.template ?? {};
  return cause === 'changed' && name !== undefined ? `(from an input of template ${safeText(name)})` : '';
}

export function linesIn(shown: ShownChange): readonly DiffLine[] {
  if (shown.type === 'lines') return shown.lines;
  const { before, after } = shown;
  if (before === undefined) return [{ type: 'same', text: after }];
  return [
    { type: 'removed', text: before },
    { type: 'added', text: after },
  ];
}

function valuesOf(action: Action, field: FieldChange, isAlone: boolean): ShownChange {
  const shown = bareValues(action, field, isAlone);
  if (field.additive !== true) return shown;
  // A new list has no other entries yet.
  const text = field.before === undefined ? 'additive' : 'additive: others are kept';
  if (shown.type === 'inline') return { ...shown, after: `${shown.after} (${text})` };
  return { ...shown, lines: [{ type: 'gap', text }, ...shown.lines] };
}

function bareValues(action: Action, field: FieldChange, isAlone: boolean): ShownChange {
  if (isAlone) return showWhole(field.after === undefined ? field.before : field.after, field);
  const shown = showChange(field);
  const isLost = action === 'replace' && field.after === undefined;
  return isLost && shown.type === 'inline' ? { ...shown, after: '(lost)' } : shown;
}
