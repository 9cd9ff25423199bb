/** Picks how a result is shown from the table of its views. */

/** The view of that format; text where none is named. Parsing lets no other format pass than those of the table. */
export function viewFor<V>(views: { readonly text: V } & Readonly<Record<string, V>>, format = 'text'): V {
  const view = Object.hasOwn(views, format) ? views[format] : undefined;
  if (view !== undefined) return view;
  throw new Error(`no view for the format ${format}`);
}
