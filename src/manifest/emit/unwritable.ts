/** Detects values that a manifest cannot express, however quoted. */
import { isRecord } from '../../util/json.ts';
import { dataOf, depthOf } from '../../yaml/data.ts';
import { maxDepth } from '../../yaml/located.ts';

const wrapping = 40;

const password = /^[a-z][a-z\d+.-]*:\/\/[^/?#\s@]*:[^/?#\s@]+@/i;

export function whyUnwritable(value: unknown): string | undefined {
  if (depthOf(dataOf(value)) > maxDepth - wrapping) return 'it is nested too deep';
  return whyInside(value);
}

function whyInside(value: unknown): string | undefined {
  if (typeof value === 'string') return whyNoText(value);
  if (typeof value === 'number') return Number.isFinite(value) ? undefined : 'it is not a JSON number';
  if (Array.isArray(value)) return firstOf(value, whyInside);
  if (!isRecord(value)) return undefined;
  return firstOf(Object.entries(value), ([key, inner]) => whyNoKey(key) ?? whyInside(inner));
}

function whyNoKey(key: string): string | undefined {
  if (key.includes('${') || key === '<<') return `manifests do not take ${JSON.stringify(key)} as a key`;
  return isWhole(key) ? undefined : 'a key contains a lone surrogate';
}

function whyNoText(text: string): string | undefined {
  if (password.test(text)) return 'it contains a password: write ${secret:NAME} instead';
  return isWhole(text) ? undefined : 'it contains a lone surrogate';
}

function isWhole(text: string): boolean {
  return !/\p{Surrogate}/u.test(text);
}

function firstOf<T>(items: readonly T[], why: (item: T) => string | undefined): string | undefined {
  return items.map(why).find((reason) => reason !== undefined);
}
