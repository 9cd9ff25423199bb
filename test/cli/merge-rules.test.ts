/** Merge rules from the command line: what the service leaves out, what no manifest can hold, and what is refused. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { presets } from '../../src/contract/abilities.ts';
import { startService } from '../../src/server/index.ts';
import type { Variants } from '../../src/server/variants.ts';
import { seed } from '../support/harness.ts';
import { folder, octavo } from './octavo.ts';

const strange = {
  type: 'rules',
  rules: [
    { rule: 'require_author_to_merge' },
    { rule: 'require_two_moons', phase: 'full' },
    { rule: 'allow_bypass', users: ['user_bob', 'user_gone'] },
  ],
};

async function serve(variants: Partial<Variants>, mergeRules?: typeof strange) {
  const [organization] = seed.organizations;
  if (organization === undefined) throw new Error('the seed has an organization');
  const service = await startService({
    data: ':memory:',
    seed: {
      ...seed,
      organizations: [{ ...organization, ...(mergeRules === undefined ? {} : { mergeRules }) }],
    },
    variants,
    abilities: presets['2026'],
  });
  onTestFinished(() => service.close());
  return { OCTAVO_BASE_URL: service.url, OCTAVO_TOKEN: service.token };
}

const acme = (fields: string) => `octavo: 1\norganization:\n  id: org_acme\n${fields}`;
const rulesOf = async (env: Record<string, string>) => {
  const { stdout } = await octavo(['api', 'orgs.get', 'organizationId=org_acme'], { cwd: folder({}), env });
  return JSON.parse(stdout).mergeRules.rules;
};

test('people whom the service leaves out are an error of the step, once', async () => {
  const env = await serve({ 'merge-rule-people': 'dropped' }, strange);
  const cwd = folder({ 'acme.yaml': acme('  mergeRules: [require_agent_review]\n') });
  const first = await octavo(['apply', '--auto-approve'], { cwd, env });
  expect(first.code).not.toBe(0);
  expect(`${first.stdout}${first.stderr}`.replace(/\s+/g, ' ')).toContain(
    'the service did not take mergeReviewers: it left out user_gone',
  );
  expect((await octavo(['plan'], { cwd, env })).stdout).toContain('No changes');
});

test('rules that Octavo does not know stay, and exports say that they are left out', async () => {
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
])('%s is refused at its place', async (line, place) => {
  const { code, stderr } = await octavo(['validate'], { cwd: folder({ 'acme.yaml': acme(`  ${line}\n`) }) });
  expect(code).toBe(1);
  expect(stderr).toContain(place);
});

test('reviewers without rules are refused', async () => {
  const env = await serve({});
  const cwd = folder({
    'acme.yaml': acme('  mergeRules: none\n  mergeReviewers: { ada@acme.dev: required }\n'),
  });
  const { code, stdout, stderr } = await octavo(['plan'], { cwd, env });
  expect(code).not.toBe(0);
  expect(`${stdout}${stderr}`).toContain('mergeReviewers need rules of their own');
});

test('rules do not take reviewers away that no manifest names', async () => {
  const env = await serve({ 'merge-rule-people': 'kept' }, strange);
  const cwd = folder({ 'acme.yaml': acme('  mergeRules: none\n') });
  const { code, stderr } = await octavo(['plan'], { cwd, env });
  expect(code).not.toBe(0);
  expect(stderr).toContain('mergeRules: none takes its reviewers away (2)');
  writeFileSync(join(cwd, 'acme.yaml'), acme('  mergeRules: none\n  mergeReviewers: {}\n'));
  const applied = await octavo(['apply', '--auto-approve'], { cwd, env });
  expect(applied.code, applied.stderr).toBe(0);
  expect(await rulesOf(env)).toBeUndefined();
});
