/** How results are rendered: every format of a result is one of these. The tables of formats are in `cli/views.ts`. */
import type { TextOptions } from './plan-text.ts';

/** Renders a result; ends with a line break where it is not empty. Options are for terminals; files ignore them. */
export type View<T> = (result: T, options: TextOptions) => string;

/** Renders a result that may be very long, piece by piece. */
export type LongView<T> = (result: T, options: TextOptions) => Generator<string>;
