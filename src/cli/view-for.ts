/** Picks how a result is shown from the table of its views. */
import type { TextOptions } from '../report/plan-text.ts';
import type { Invocation } from './invocation.ts';

/** How a command wants text laid out. */
export function textOptions({ flags, output: { color, width } }: Invocation): TextOptions {
  return { color, width, showUnmanaged: flags.showUnmanaged };
}

/** The view of that format; text where none is named. Parsing lets no other format pass than those of the table. */
export function viewFor<V>(views: { readonly text: V } & Readonly<Record<string, V>>, format = 'text'): V {
  const view = Object.hasOwn(views, format) ? views[format] : undefined;
  if (view !== undefined) return view;
  throw new Error(`no view for the format ${format}`);
}
