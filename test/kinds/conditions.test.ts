/** Errors of conditions that Octavo reports, and conditions that only the service can judge. */
import { expect, test } from 'vitest';
import { registry } from '../../src/kinds/index.ts';
import { conditionRemark } from '../../src/kinds/parts/conditions.ts';

test('checks every field that is a condition', () => {
  const conditions = registry.kinds.flatMap(({ fields }) =>
    Object.values(fields).filter(({ trait }) => trait?.is === 'condition'),
  );
  expect(conditions.length).toBeGreaterThan(1);
  for (const { remark } of conditions) expect(remark).toBe(conditionRemark);
});

test.each([
  'visitor.claims.unsigned.beta',
  '!visitor.claims.unsigned.beta',
  'visitor.claims.plan == "pro" && !(visitor.claims.age > 3 || false)',
  "visitor.claims?.plan === 'it\\'s' ? true : visitor.claims['a-b']",
  '"beta" in visitor.claims.groups',
  'visitor.claims.groups.includes("a", -1) && ["x", "y"].includes(visitor.claims.x)',
  'visitor.claims.f()',
  'not visitor.claims.a',
  'visitor.claims.größe >= 1.5',
  'a',
  'b || c',
  // These may be valid in other expression languages.
  '/^a/.test(visitor.claims.a)',
  'visitor.claims.a |> f',
  '{ a: 1 }',
  '@visitor',
  'visitor.name == "x"',
])('accepts %s', (condition) => {
  expect(conditionRemark(condition)).toBeUndefined();
});

test.each([
  ['visitor.claims.unsigned.beta ==', 'it ends with =='],
  ['visitor.claims.a &&', 'it ends with &&'],
  ['!', 'it ends with !'],
  ['== true', '== has no value before it: it starts with it'],
  ['visitor.claims.a && || b', '|| has no value before it: it follows &&'],
  ['visitor.claims.a == == b', '== has no value before it: it follows =='],
  ['visitor.claims..a', '. has no value before it: it follows .'],
  ['(visitor.claims.a', 'a ( is not closed'],
  ['visitor.claims.a)', 'unmatched )'],
  ['visitor.claims["a")', 'unmatched )'],
  ['(visitor.claims.a &&)', '&& has no value after it'],
  ['visitor.claims.plan == "pro', 'a quote is not closed'],
  ["visitor.claims.plan == 'pro", 'a quote is not closed'],
  ['visitor.claims.a visitor.claims.b', 'there is no operator between a and visitor'],
  ['visitor.claims.a ! b', 'there is no operator between a and !'],
  ['visitor.claims.a and b', 'there is no operator between a and and', 'visitor.claims.a && b'],
  ['visitor.claims.a = true', '= does not compare', 'visitor.claims.a == true'],
  ['vistor.claims.a', 'vistor.claims is not an attribute of visitors', 'visitor.claims.a'],
  ['!a || visitor.claim.b', 'visitor.claim is not an attribute of visitors', '!a || visitor.claims.b'],
])('reports %s', (condition, message, instead?: string) => {
  expect(conditionRemark(condition)).toEqual({ message, ...(instead && { instead }) });
});
