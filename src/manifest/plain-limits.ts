/** What the fast reader of YAML leaves to `yaml`, because the two may treat it differently or because it is an error. */
import { SCALAR_STYLE, type ScalarEvent } from 'js-yaml';
import type { LocatedEntry } from './located.ts';
import { Declined } from './plain-gaps.ts';

/**
 * What is left to `yaml`: characters that the two may treat differently; anchors, aliases and tags; directives, explicit keys,
 * and marks of documents that are not alone on their line.
 */
const unusual =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
  /[\0-\x09\x0b-\x1f\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]|(?:^|[\s,[{])[&*!?](?=\S)|^ *\?|^%|^\.\.\.|^---(?! *(?:$|#))/m;

const loneSurrogate = /\p{Surrogate}/u;

/** True for a text that is not even tried. */
export function isUnusual(text: string): boolean {
  return unusual.test(text) || loneSurrogate.test(text);
}

/** Refuses a text with an escape for half of a character. */
export function refuseHalfCharacter(value: string): void {
  if (loneSurrogate.test(value)) throw new Declined();
}

/** Below the limit of manifests, at which `yaml` says what is wrong. */
export const maxPlainDepth = 100;

/** Shorter than what `yaml` refuses as a key. */
const maxKeyLength = 500;

/** Refuses a key that may be too long. */
export function refuseLongKey(start: number, end: number): void {
  if (end - start > maxKeyLength) throw new Declined();
}

/** Refuses a text over several lines, and one with escapes beyond those that JSON has. */
export function refuseEscapes(written: string, style: ScalarEvent['style']): void {
  if (style === SCALAR_STYLE.PLAIN || written.includes('\n')) throw new Declined();
  if (style !== SCALAR_STYLE.DOUBLE_QUOTED) return;
  if (/\\(?!["/nrt]|u[\dA-Fa-f]{4})/.test(written.replaceAll('\\\\', ''))) throw new Declined();
}

/** Of a few keys each is compared with each; of many, a set is made. */
const few = 8;

/** Refuses a mapping with the same key twice. */
export function refuseTwice(entries: readonly LocatedEntry[]): void {
  const isTwice =
    entries.length <= few
      ? entries.some(({ key }, at) => entries.findIndex((other) => other.key === key) < at)
      : new Set(entries.map(({ key }) => key)).size < entries.length;
  if (isTwice) throw new Declined();
}
