/** Query strings decode to what the contract types, and hostile names stay harmless. */
import { expect, test } from 'vitest';
import { decodeQuery, encodeQuery, operations } from '../../src/contract/index.ts';

test('booleans, numbers and lists are decoded where the schema says so', () => {
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

test('what does not fit is left for the schema to refuse', () => {
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

test('encoding and decoding a query gives the query back', () => {
  const query = { limit: 3, authors: ['ü', 'b&c'], status: 'open' };
  const search = new URLSearchParams(encodeQuery(query).toString());
  expect({ ...decodeQuery(operations['comments.list'].query, search) }).toEqual(query);
});
