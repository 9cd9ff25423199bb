/** Text for ASCII terminals: each sign becomes the nearest ASCII one, any other character an escape. Pure. */

const signs: Readonly<Record<string, string>> = {
  '→': '->',
  '↕': '^',
  '±': '-/+',
  '⟲': 'r',
  '✓': 'ok',
  '✗': 'x',
  '⋮': ':',
  '…': '...',
  '−': '-',
  '·': '-',
  '•': '*',
  '“': '"',
  '”': '"',
  '‘': "'",
  '’': "'",
};

export function* inAscii(pieces: Iterable<string>): Generator<string> {
  for (const piece of pieces) yield asciiText(piece);
}

/** Example: `\\u{1f44b}` for a waving hand. */
function asciiText(text: string): string {
  return text.replace(
    /\P{ASCII}/gu,
    (character) => signs[character] ?? `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`,
  );
}
