/** Emoji of spaces: characters, or their code points in hex joined by hyphens. Responses have the latter. Pure. */

const maxLength = 50;

/** One emoji or more: flags, keycaps, and pictures with their modifiers, tags and joined parts. */
const emoji = (() => {
  const picture = String.raw`(?![0-9#*])\p{Emoji}(?:\p{Emoji_Modifier}|\uFE0F|[\u{E0020}-\u{E007E}]+\u{E007F})?`;
  const one = String.raw`\p{Regional_Indicator}{2}|[0-9#*]\uFE0F?\u20E3|${picture}(?:\u200D${picture})*`;
  return new RegExp(`^(?:${one})+$`, 'u');
})();

/** The spelling of an emoji in responses, without variation selectors; undefined where the text is none, or is too long. */
export function emojiCode(text: string): string | undefined {
  const characters = /^[0-9a-f]{2,6}(?:-[0-9a-f]{2,6})*$/i.test(text) ? decoded(text) : text;
  if (characters === undefined || !emoji.test(characters)) return undefined;
  const points = [...characters].map((one) => (one.codePointAt(0) ?? 0).toString(16));
  const code = points.filter((point) => point !== 'fe0f').join('-');
  return code.length > maxLength ? undefined : code;
}

function decoded(code: string): string | undefined {
  const points = code.split('-').map((one) => Number.parseInt(one, 16));
  return points.some((point) => point > 0x10ffff) ? undefined : String.fromCodePoint(...points);
}
