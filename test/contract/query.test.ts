/** Query strings decode to the types of the contract, and hostile names are harmless. */
import { expect, test } from 'vitest';
import { decodeQuery, encodeQuery, operations } from '../../src/contract/index.ts';

test('decodes booleans, numbers and lists by the schema', () => {
  const { query } = operations['comments.list'];
  const decoded = decodeQuery(query, new URLSearchParams('limit=10&order=asc&authors=a&authors=b'));
  expect({ ...decoded }).toEqual({ limit: 10, order: 'asc', authors: ['a', 'b'] });
  expect(query.safeParse(decoded).success).toBe(true);
  expect({
    ...decodeQuery(operations['siteSpaces.list'].query, new URLSearchParams('default=false')),
  }).toEqual({
    default: false,
  });
});

test('keeps invalid values for the schema to reject', () => {
  const { query } = operations['siteSpaces.list'];
  for (const search of [
    'default=yes',
    'limit=1e3',
    'limit=ten',
    'limit=1001',
    'limit=',
    'page=a&page=b',
    'unknown=1',
    '__proto__=1',
  ]) {
    expect(query.safeParse(decodeQuery(query, new URLSearchParams(search))).success, search).toBe(false);
  }
});

test('decodes an encoded query to the same query', () => {
  const query = { limit: 3, authors: ['ü', 'b&c'], status: 'open' };
  const search = new URLSearchParams(encodeQuery(query).toString());
  expect({ ...decodeQuery(operations['comments.list'].query, search) }).toEqual(query);
});
