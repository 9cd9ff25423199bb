/** Emoji as the API has them: characters, or their code points in hex. */

const character =
  /^(?:\p{Emoji_Presentation}|\p{Extended_Pictographic}|\p{Regional_Indicator}|[0-9#*]\u{FE0F}?\u{20E3})/u;
const code = /^[0-9a-fA-F]{2,6}(?:-[0-9a-fA-F]{2,6})*$/;

/** Matches an emoji, or a spelling of its code points. */
export const emojiPattern = new RegExp(
  `${code.source}|^(?=${character.source.slice(1)})(?:\\p{Emoji}|\\p{Emoji_Component}|\\p{Extended_Pictographic}|\\u{200D}|\\u{FE0F}|\\u{FE0E}|\\u{20E3})+$`,
  'u',
);

/** An emoji as code points in hex: `👋` and `1f44b` are equal, and variation selectors are ignored. */
export function emojiPoints(written: string): string {
  const points = code.test(written)
    ? written.toLowerCase().split('-')
    : [...written].map((one) => (one.codePointAt(0) ?? 0).toString(16));
  return points
    .map((point) => point.replace(/^0+/, ''))
    .filter((point) => point !== 'fe0f')
    .join('-');
}

/** An emoji as a character: `1f44b` becomes `👋`. Any other text is returned unchanged. */
export function emojiText(written: string): string {
  if (!code.test(written)) return written;
  const points = written.split('-').map((point) => Number.parseInt(point, 16));
  if (points.some((point) => point > 0x10ffff)) return written;
  const text = String.fromCodePoint(...points);
  return character.test(text) ? text : written;
}
