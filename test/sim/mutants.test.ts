/** The faults that years must find are still places of the source. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { mutants } from './mutants.ts';

const src = fileURLToPath(new URL('../../src', import.meta.url));

test.each(mutants)('the source has one place for the fault: $name', ({ file, from, to }) => {
  const text = readFileSync(join(src, file), 'utf8');
  expect(text.split(from)).toHaveLength(2);
  expect(from).not.toBe(to);
});
