/** Each guarantee of the security model names tests that exist. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { root } from '../cli/octavo.ts';

const text = readFileSync(join(root, 'docs/security-model.md'), 'utf8');
const listed = [...text.matchAll(/^(\d+)\. (.*)$/gm)].map(([, number, names = '']) => ({
  number,
  names: [...names.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name),
}));

test('every number stands for tests that exist, and is used', () => {
  expect(listed.map(({ number }) => number)).toEqual(listed.map((_, at) => String(at + 1)));
  for (const { number, names } of listed) {
    expect(text).toContain(`[${number}]`);
    expect(names.length).toBeGreaterThan(0);
    for (const name of names) expect(existsSync(join(root, name)), name).toBe(true);
  }
  const used = [...text.matchAll(/\[(\d+)\]/g)].map(([, number]) => Number(number));
  expect(Math.max(...used)).toBe(listed.length);
});

test('every guarantee has a number', () => {
  const section = /^## Guarantees\n([\s\S]*?)^## /m.exec(text)?.[1] ?? '';
  const guarantees = section.split(/^- /m).slice(1);
  expect(guarantees.length).toBeGreaterThan(12);
  for (const one of guarantees) expect(one).toMatch(/\[\d+\]/);
});
