/** The committed reference page matches the contract; `UPDATE=1` regenerates it. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { operationIds } from '../../src/contract/index.ts';
import { operationsReference } from '../../src/reference/operations.ts';

const page = new URL('../../docs/reference/operations.md', import.meta.url);

test('docs/reference/operations.md is up to date', () => {
  const text = operationsReference();
  if (process.env.UPDATE === '1') {
    mkdirSync(new URL('.', page), { recursive: true });
    writeFileSync(page, text);
  }
  expect(readFileSync(page, 'utf8')).toBe(text);
  for (const id of operationIds) expect(text).toContain(`### ${id}\n`);
});
