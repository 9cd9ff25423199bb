/** The only place with terminal codes. */

/** Returns text unchanged if color is off. */
export type Paint = (text: string) => string;

export interface Style {
  readonly strong: Paint;
  readonly faint: Paint;
  readonly added: Paint;
  readonly changed: Paint;
  readonly moved: Paint;
  readonly removed: Paint;
  readonly replaced: Paint;
  readonly restored: Paint;
  readonly risk: Paint;
}

export function makeStyle({ color }: { readonly color: boolean }): Style {
  const paint =
    (open: number, close: number): Paint =>
    (text) =>
      color && text !== '' ? `\u001b[${open}m${text}\u001b[${close}m` : text;
  return {
    strong: paint(1, 22),
    faint: paint(2, 22),
    added: paint(32, 39),
    changed: paint(33, 39),
    moved: paint(36, 39),
    removed: paint(31, 39),
    replaced: paint(35, 39),
    restored: paint(34, 39),
    risk: paint(33, 39),
  };
}
