/** An apply with one line for each object of its plan. Pure. */
import { type ApplyView, appliedText } from './apply-view.ts';
import { compactPieces } from './plan-compact.ts';

/** The plan in short, and the result below. */
export const applyAsCompact: ApplyView = { plan: compactPieces, result: appliedText };
