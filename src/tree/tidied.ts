/** Services trim texts, and combine letters with their marks. */
import type { Value } from '../kinds/parts/payload.ts';
import { decoded } from '../util/href.ts';
import { isRecord, mapInside } from '../util/json.ts';

export function trimmed(text: string): string {
  return text.trim();
}

export function normalized(text: string): string {
  return text.normalize('NFC');
}

export function tidied(text: string): string {
  return normalized(trimmed(text));
}

/** Equal for texts that differ only in case, whitespace, marks or compatible letters. */
export function folded(text: string): string {
  return decoded(text)
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[\p{Z}\p{C}\p{M}]+/gu, '');
}

export function withTexts(value: Value, change: (text: string) => Value): Value {
  if (typeof value === 'string') return change(value);
  if (isRecord(value) && 'toJSON' in value) return value;
  return mapInside(value, (inner) => withTexts(inner as Value, change)) as Value;
}
