/** Dropping undefined keys, at run time and for the compiler. */
import { expect, expectTypeOf, test } from 'vitest';
import { defined } from '../../src/util/defined.ts';

test('drops only undefined values', () => {
  const fields = { a: undefined, b: null, c: false, d: 0, e: '', f: [undefined], g: { h: undefined } };
  expect(Object.keys(defined(fields))).toEqual(['b', 'c', 'd', 'e', 'f', 'g']);
  expect(defined(fields).f).toBe(fields.f);
});

test('keeps the order of keys and a key named like the prototype', () => {
  expect(JSON.stringify(defined({ z: 1, y: undefined, a: 2 }))).toBe('{"z":1,"a":2}');
  const odd = JSON.parse('{"__proto__": {"x": 1}, "a": 1}') as object;
  expect(Object.keys(defined(odd))).toEqual(['__proto__', 'a']);
});

test('has the type required by exact optional properties', () => {
  const title = 'x' as string | undefined;
  const icon = null as string | null | undefined;
  const row = defined({ id: 'a', title, icon });
  expectTypeOf(row.id).toEqualTypeOf<string>();
  expectTypeOf<{ readonly id: string; readonly title?: string; readonly icon?: string | null }>(row);
  const exact: { readonly id: string; readonly title?: string } = { ...defined({ id: 'a', title }) };
  expect(exact).toEqual({ id: 'a', title: 'x' });
  // @ts-expect-error an optional key without undefined does not take one
  const wrong: { readonly title?: string } = { title };
  expect(wrong).toEqual({ title: 'x' });
});
