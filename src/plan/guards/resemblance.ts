/** When texts, values and sets resemble each other enough to mean something. Pure. */
import type { Kind } from '../../kinds/kind.ts';
import type { Value } from '../../kinds/payload.ts';
import { isRecord } from '../../util/json.ts';
import { nearest } from '../../util/nearest.ts';
import { Secret } from '../../util/secret.ts';

/** Shorter names are part of many others. */
const shortestName = 4;

/** How much of two sets is the same. */
export interface Overlap {
  readonly share: 'none' | 'most' | 'all';
  /** Of the first set. */
  readonly size: number;
}

/** Compares two sets. */
export function overlapOf(left: ReadonlySet<string>, right: ReadonlySet<string>): Overlap {
  const { size } = left;
  const common = [...left].filter((item) => right.has(item)).length;
  if (common === 0) return { share: 'none', size };
  if (common === size && common === right.size) return { share: 'all', size };
  return { share: common * 2 >= Math.max(size, right.size) ? 'most' : 'none', size };
}

/** True for values that hardly two objects share: unique ones, and addresses. */
export function isTelling({ fields, unique }: Kind, name: string, value: Value): boolean {
  if (value === null || value instanceof Secret || name === 'title') return false;
  const type = fields[name]?.type;
  if (type === 'reference' || type === 'members' || type === 'map') return false;
  return unique?.some(({ field }) => field === name) === true || isAddress(value);
}

/** True for values that have an address in them: `https://…`, `acme.dev/docs`. */
function isAddress(value: Value): boolean {
  if (typeof value === 'string') return /^[a-z][a-z0-9+.-]*:|[^/ ]\.[^/ ]+\//i.test(value);
  return isRecord(value) && Object.values(value).some((inner) => isAddress(inner as Value));
}

/** True for titles that differ in a few letters, and where one has all the words of the other. */
export function areAlike(left: string, right: string): boolean {
  if (nearest(left, [right]) !== undefined) return true;
  const [few, many] = [wordsOf(left), wordsOf(right)].sort((one, other) => one.size - other.size);
  if (few === undefined || many === undefined) return false;
  return [...few].join('').length >= shortestName && [...few].every((word) => many.has(word));
}

function wordsOf(text: string): ReadonlySet<string> {
  return new Set(text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []);
}

/** True for a text that is the written one with some other values filled in; at least something must be written out. */
export function fitsTemplate(text: string, written: string): boolean {
  const parts = written.split(/\$\{[^}]*\}/);
  if (parts.every((part) => part.trim() === '')) return false;
  const escaped = parts.map((part) => part.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'));
  return new RegExp(`^${escaped.join('.*')}$`, 's').test(text);
}
