/** Descriptions of schemas on reference pages and in `octavo api`. */
import { expect, test } from 'vitest';
import * as z from 'zod';
import { describeProperties, describeSchema } from '../../src/contract/describe-schema.ts';
import { openEnum } from '../../src/contract/values.ts';
import { oneOrMore } from '../../src/util/data-schema.ts';

test.each([
  [z.string(), 'string'],
  [z.string().min(1).max(64), 'string (1 to 64 characters)'],
  [z.string().max(64), 'string (at most 64 characters)'],
  [z.string().min(1), 'string (not empty)'],
  [z.string().min(8), 'string (at least 8 characters)'],
  [z.array(z.string()).min(1), 'list of strings (not empty)'],
  [z.array(z.string()).min(1).max(9), 'list of strings (1 to 9 items)'],
  [z.int().min(0), 'integer'],
  [z.int().min(1), 'integer (at least 1)'],
  [z.string().min(2).max(64), 'string (2 to 64 characters)'],
  [z.string().regex(/^a+$/), 'string (pattern `^a+$`)'],
  [z.url(), 'URL'],
  [z.boolean().nullable(), 'boolean or null'],
  [z.int().min(1).max(64), 'integer (1 to 64)'],
  [z.enum(['asc', 'desc']), 'one of `asc`, `desc`'],
  [openEnum('asc', 'desc'), 'one of `asc`, `desc`'],
  [z.literal(1), '`1`'],
  [z.array(z.string()).max(5), 'list of strings (at most 5 items)'],
  [oneOrMore(z.string()), 'string or list of strings'],
  [z.record(z.string(), z.boolean()), 'mapping to boolean'],
  [z.strictObject({ a: z.string(), b: z.int().optional() }), '{ `a`: string; `b`?: integer }'],
  [z.union([z.string(), z.string()]), 'string'],
])('schema %# is described as %s', (schema, expected) => {
  expect(describeSchema(schema)).toBe(expected);
});

test('describes the properties of an object', () => {
  const schema = z.strictObject({
    title: z.string().describe('Shown in lists'),
    icon: z.string().optional(),
  });
  expect(describeProperties(schema)).toEqual([
    { name: 'title', required: true, value: 'string', meaning: 'Shown in lists' },
    { name: 'icon', required: false, value: 'string', meaning: '' },
  ]);
});

test('omits a pattern that is too long to read', () => {
  const [short, long] = ['^[a-z]+$', `^(?:${'[a-z]'.repeat(20)})$`];
  const schema = z.object({
    short: z.string().regex(new RegExp(short)),
    long: z.string().regex(new RegExp(long)),
  });
  const texts = JSON.stringify(describeProperties(schema));
  expect(texts).toContain(short);
  expect(texts).not.toContain(long);
});
