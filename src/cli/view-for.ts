/** Picks how a result is shown from the table of its views. */
import { userError } from '../util/user-error.ts';

/** The view of that format; text where none is named. Throws a DiagnosticError for a format that the result lacks. */
export function viewFor<V>(views: { readonly text: V } & Readonly<Record<string, V>>, format = 'text'): V {
  const view = Object.hasOwn(views, format) ? views[format] : undefined;
  if (view !== undefined) return view;
  const known = Object.keys(views).join(', ');
  throw userError('format', `unknown format "${format}"`, `use one of: ${known}`);
}
