/** The most similar texts, of a few and of very many. */
import { expect, test } from 'vitest';
import { mostAlike, nearest } from '../../src/util/nearest.ts';

const self = (text: string) => text;

test('returns the word that differs least, or undefined if all differ much', () => {
  expect(nearest('titl', ['tile', 'title', 'table'])).toBe('title');
  expect(nearest('TITLE', ['title'])).toBe('title');
  expect(nearest('title', ['visibility'])).toBeUndefined();
  expect(nearest('title', ['title'])).toBeUndefined();
  expect(nearest('title', ['title', 'titles'])).toBe('titles');
});

test('compares no long texts letter by letter, which takes the square of their length', () => {
  const long = 'x'.repeat(5000);
  expect(nearest(`${long}a`, [`${long}b`])).toBeUndefined();
  expect(mostAlike([`${long}b`, 'xb'], self, { words: [`${long}a`, 'xa'], count: 1 })).toEqual(['xb']);
});

test('sorts by similarity, then alphabetically', () => {
  const items = ['Docs crew', 'Zebra', 'Docs crews', 'Alpha', 'docs Crew'];
  expect(mostAlike(items, self, { words: ['Docs crew'], count: 3 })).toEqual([
    'Docs crew',
    'docs Crew',
    'Docs crews',
  ]);
  expect(mostAlike(items, self, { words: [], count: 2 })).toEqual(['Alpha', 'Docs crew']);
});

test('finds words with the same beginning or end among thousands', () => {
  const named = (prefix: string) => Array.from({ length: 2000 }, (_, at) => `${prefix} ${at}`);
  const items = [...named('Unlisted thing'), 'Developer experience', 'The quality crew'];
  const words = [...named('New object'), 'Developer experiences', 'A quality crew'];
  let calls = 0;
  const textOf = (item: string) => {
    calls += 1;
    return item;
  };
  expect(mostAlike(items, textOf, { words, count: 2 })).toEqual(['Developer experience', 'The quality crew']);
  expect(calls).toBe(items.length);
});
