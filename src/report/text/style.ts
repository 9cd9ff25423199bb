/** The only place with terminal codes. */

export type Style = ReturnType<typeof makeStyle>;

/** Returns texts unchanged if color is off. */
export function makeStyle({ color }: { readonly color: boolean }) {
  const paint =
    (open: number, close: number) =>
    (text: string): string =>
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
