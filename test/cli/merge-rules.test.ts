/** Merge rules from the command line: reviewers that the service drops, rules that no manifest can express, and rejected values. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Seed } from '../../src/server/seed/seed-file.ts';
import type { Variants } from '../../src/server/variants.ts';
import { seed } from '../support/harness.ts';
import { folder, octavo } from './octavo.ts';
import { served } from './served.ts';

type SeedRules = Seed['organizations'][number]['mergeRules'];

const strange = {
  type: 'rules',
  rules: [
    { rule: 'require_author_to_merge' },
    { rule: 'require_two_moons', phase: 'full' },
    { rule: 'allow_bypass', users: ['user_bob', 'user_gone'] },
  ],
};

async function serve(variants: Partial<Variants>, mergeRules?: SeedRules) {
  const [organization] = seed.organizations;
  if (organization === undefined) throw new Error('the seed has an organization');
  const { env } = await served({
    seed: {
      ...seed,
      organizations: [{ ...organization, ...(mergeRules === undefined ? {} : { mergeRules }) }],
    },
    variants,
    form: '2026',
  });
  return env;
}

const acme = (fields: string) => `octavo: 1\norganization:\n  id: org_acme\n${fields}`;
const rulesOf = async (env: Record<string, string>) => {
  const { stdout } = await octavo(['api', 'orgs.get', 'organizationId=org_acme'], { cwd: folder({}), env });
  return JSON.parse(stdout).mergeRules.rules;
};

test('fails the step once if the service drops reviewers', async () => {
  const env = await serve({ 'merge-rule-people': 'dropped' }, strange);
  const cwd = folder({ 'acme.yaml': acme('  mergeRules: [require_agent_review]\n') });
  const first = await octavo(['apply', '--auto-approve'], { cwd, env });
  expect(first.code).not.toBe(0);
  expect(`${first.stdout}${first.stderr}`.replace(/\s+/g, ' ')).toContain(
    'the service did not store mergeReviewers: it left out user_gone',
  );
  expect((await octavo(['plan'], { cwd, env })).stdout).toContain('No changes');
});

test('keeps rules that Octavo does not know, and reports them as not exported', async () => {
  const env = await serve({ 'merge-rule-people': 'kept' }, strange);
  const cwd = folder({ 'acme.yaml': acme('  mergeRules: [require_author_to_merge]\n') });
  expect((await octavo(['plan'], { cwd, env })).stdout).toContain('No changes');
  const out = folder({});
  const exported = await octavo(['export', '--organization', 'acme', '--out', out], { cwd: out, env });
  expect(`${exported.stdout}${exported.stderr}`).toContain('mergeRules');
  const files = readdirSync(out, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.yaml'),
  );
  expect(files.map((name) => readFileSync(join(out, name), 'utf8')).join('')).not.toContain('two_moons');
  writeFileSync(
    join(cwd, 'acme.yaml'),
    acme('  mergeRules: []\n  mergeReviewers: { ADA@acme.dev: required }\n'),
  );
  const applied = await octavo(['apply', '--auto-approve'], { cwd, env });
  expect(applied.code, applied.stderr).toBe(0);
  expect(await rulesOf(env)).toEqual([
    { rule: 'require_specific_reviewers', users: ['user_ada'] },
    { rule: 'require_two_moons', phase: 'full' },
  ]);
});

test.each([
  ['mergeRules: [require_magic]', 'acme.yaml:4:'],
  ['mergeRules: inherit', 'acme.yaml:4:'],
  ['mergeRules: [{ message: no expression }]', 'acme.yaml:4:'],
  ['mergeReviewers: { ada@acme.dev: boss }', 'acme.yaml:4:'],
  ['mergeReviewers: { ada@acme.dev: [] }', 'acme.yaml:4:'],
])('rejects %s at its position', async (line, place) => {
  const { code, stderr } = await octavo(['validate'], { cwd: folder({ 'acme.yaml': acme(`  ${line}\n`) }) });
  expect(code).toBe(1);
  expect(stderr).toContain(place);
});

test('rejects reviewers without rules', async () => {
  const env = await serve({});
  const cwd = folder({
    'acme.yaml': acme('  mergeRules: none\n  mergeReviewers: { ada@acme.dev: required }\n'),
  });
  const { code, stdout, stderr } = await octavo(['plan'], { cwd, env });
  expect(code).not.toBe(0);
  expect(`${stdout}${stderr}`).toContain('organization: mergeReviewers need rules of their own');
});

test('rejects rules that would remove reviewers that no manifest names', async () => {
  const env = await serve({ 'merge-rule-people': 'kept' }, strange);
  const cwd = folder({ 'acme.yaml': acme('  mergeRules: none\n') });
  const { code, stderr } = await octavo(['plan'], { cwd, env });
  expect(code).not.toBe(0);
  expect(stderr).toContain('mergeRules: none removes its reviewers (2)');
  writeFileSync(join(cwd, 'acme.yaml'), acme('  mergeRules: none\n  mergeReviewers: {}\n'));
  const applied = await octavo(['apply', '--auto-approve'], { cwd, env });
  expect(applied.code, applied.stderr).toBe(0);
  expect(await rulesOf(env)).toBeUndefined();
});

const oneOf = (...users: string[]) => ({ rule: 'require_one_of_specific_reviewers', users });
const planOf = async (env: Record<string, string>, manifest: string) => {
  const { stdout, stderr } = await octavo(['plan'], { cwd: folder({ 'acme.yaml': manifest }), env });
  return `${stdout}${stderr}`.replace(/\s+/g, ' ');
};

test('resends details of known rules that a manifest cannot express', async () => {
  const rules = [
    { rule: 'require_at_least_one_approved_review', count: 2 },
    { rule: 'custom', expression: 'a > 1', severity: 'high' },
    { rule: 'require_specific_reviewers', users: ['user_cyd'], teams: ['team_one'] },
    oneOf('user_ada'),
    oneOf('user_bob'),
  ];
  const env = await serve({}, { type: 'rules', rules });
  const cwd = folder({
    'acme.yaml': acme(
      '  mergeRules: [require_author_to_merge, { expression: a > 1 }, require_at_least_one_approved_review]\n  mergeReviewers: { bob@acme.dev: bypass }\n',
    ),
  });
  const applied = await octavo(['apply', '--auto-approve'], { cwd, env });
  expect(applied.code, applied.stderr).toBe(0);
  const sent = await rulesOf(env);
  expect(sent).toEqual(expect.arrayContaining(rules));
  expect(sent).toHaveLength(rules.length + 2);
  expect((await octavo(['plan'], { cwd, env })).stdout).toContain('No changes');
  const more = await planOf(env, acme('  mergeReviewers: { ada@acme.dev: one-of }\n'));
  expect(more).toContain(
    'the service has require_one_of_specific_reviewers in a form that no manifest can hold',
  );
});

test.each(['organization', 'space'] as const)('exports the reviewers of an %s', async (what) => {
  const env = await serve({}, { type: 'rules', rules: [oneOf('user_ada', 'user_bob')] });
  const own = 'mergeRules: [], mergeReviewers: { ada@acme.dev: required }';
  const cwd = folder({ 'acme.yaml': acme(`spaces: { faq: { id: sp_faq, ${own} } }\n`) });
  expect((await octavo(['apply', '--auto-approve'], { cwd, env })).code).toBe(0);
  const out = folder({});
  const { stdout, stderr } = await octavo(['export', '--organization', 'acme', '--out', out], {
    cwd: out,
    env,
  });
  expect(`${stdout}${stderr}`).not.toContain('mergeReviewers');
  const text = readFileSync(join(out, 'octavo.yaml'), 'utf8');
  expect(text).toContain(
    what === 'space'
      ? 'mergeReviewers:\n      ada@acme.dev: required'
      : 'mergeReviewers:\n    ada@acme.dev: one-of\n    bob@acme.dev: one-of',
  );
});

const required = { rule: 'require_specific_reviewers', users: ['user_ada', 'user_bob'] };

test.each([
  [required, '{ ada@acme.dev: required, bob@acme.dev: one-of }', 'without a review of bob@acme.dev'],
  [oneOf('user_ada', 'user_bob'), '{}', 'without a review of ada@acme.dev or bob@acme.dev'],
  [oneOf('user_ada'), '{ ada@acme.dev: one-of, bob@acme.dev: one-of }', 'a review of bob@acme.dev is enough'],
  [oneOf('user_ada', 'user_bob'), '{ ada@acme.dev: one-of }', undefined],
  [oneOf('user_ada', 'user_bob'), '{ ada@acme.dev: required, bob@acme.dev: required }', undefined],
])('flags the change of %j to %s as a risk if it weakens reviews', async (rule, people, risk) => {
  const env = await serve({}, { type: 'rules', rules: [rule] });
  const text = await planOf(env, acme(`  mergeReviewers: ${people}\n`));
  expect(text).toContain('mergeReviewers');
  if (risk === undefined) expect(text).not.toContain('!');
  else expect(text).toContain(risk);
});

test.each([
  ['none', true],
  ['[], mergeReviewers: { ada@acme.dev: required }', false],
  ['[require_author_to_merge]', false],
  ['inherit', false],
])('flags a new space with the rules %s as a risk: %s', async (rules, isRisk) => {
  const text = await planOf(
    await serve({}),
    acme(`spaces: { fresh: { title: Fresh, mergeRules: ${rules} } }\n`),
  );
  expect(text).toContain('fresh');
  expect(text.includes('changes are merged without any rule in the space')).toBe(isRisk);
});
