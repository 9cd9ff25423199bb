/** A plan with one line for each object, under what is dangerous. Pure. */
import { greatest } from '../util/lists.ts';
import { actionPaints, actionSigns } from './change-lines.ts';
import { shorten } from './change-texts.ts';
import { inBrief } from './dangers.ts';
import type { ObjectChange } from './object-changes.ts';
import { PlanText, type TextOptions } from './plan-text.ts';
import type { ChangeGroup, MarkedPlan } from './plan-view.ts';
import { displayWidth, safeText } from './safe-text.ts';
import { makeStyle } from './style.ts';

/** Widest column of addresses. */
const widestAddress = 48;

/** The plan line by line; each ends with a line break. */
export function* compactPieces(marked: MarkedPlan, options: TextOptions): Generator<string> {
  yield* new PlanText(options, { changes: (group, width) => compactLines(group, options, width) }).write(
    marked,
  );
}

function* compactLines(
  { heading, changes }: ChangeGroup,
  options: TextOptions,
  width: number,
): Generator<string> {
  const style = makeStyle(options);
  const paints = actionPaints(style);
  if (heading !== undefined) yield style.strong(heading);
  const addresses = changes.map(({ address }) => displayWidth(safeText(address)));
  const column = Math.min(widestAddress, greatest(addresses));
  const lineOf = (change: ObjectChange): string => {
    const address = safeText(change.address);
    const sign = paints[change.action](actionSigns[change.action]);
    const room = width - 6 - Math.max(column, displayWidth(address));
    const text = shorten(safeText(inBrief(change)), room);
    const gap = ' '.repeat(Math.max(0, column - displayWidth(address)));
    return `  ${sign} ${style.strong(address)}${gap}  ${style.faint(text)}`.trimEnd();
  };
  for (const change of changes) yield lineOf(change);
  yield '';
}
