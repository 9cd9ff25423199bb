/** Features that the newer form removed: an error at their place in manifests; everything else works without them. */
import { expect } from 'vitest';
import { isScalar, parseAllDocuments, visit } from 'yaml';
import type { Diagnostic } from '../../src/util/diagnostic.ts';

/** Keyed by the key in manifests. */
const takenAway: Readonly<Record<string, readonly string[]>> = {
  customFields: ['this service has no custom fields', 'this service has no field customFields for spaces'],
  translations: ['this service has no translations'],
};

/** The manifests without these keys. */
export function withoutTakenAway(text: string): string {
  return parseAllDocuments(text)
    .map((document) => {
      visit(document, {
        Pair: (_at, { key }) =>
          isScalar(key) && Object.hasOwn(takenAway, String(key.value)) ? visit.REMOVE : undefined,
      });
      return document.toString();
    })
    .join('---\n');
}

/** Expects that each problem is about one key, with a place in a line of the object or the key. */
export function expectTakenAway(problems: readonly Diagnostic[], textOf: (file: string) => string): void {
  expect(problems.length).toBeGreaterThan(0);
  for (const { severity, code, message, address = '', at } of problems) {
    expect({ severity, code }).toEqual({ severity: 'error', code: 'not-in-service' });
    const key = Object.keys(takenAway).find((name) => takenAway[name]?.includes(message));
    expect(key, message).toBeDefined();
    const line = textOf(at?.file ?? '').split('\n')[(at?.line ?? 0) - 1];
    expect(line).toContain(address.startsWith(`${key}/`) ? address.split('/').at(-1) : key);
  }
}
