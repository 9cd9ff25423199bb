/** An unknown name is reported once, at its place, with the name that may be meant. */
import { expect, test } from 'vitest';
import { loadTexts, onlyTree } from '../support/harness.ts';
import { sharedHarness } from '../support/shared-harness.ts';

const harness = await sharedHarness();

const head = 'octavo: 1\norganization: org_acme\n';

async function planOf(text: string) {
  const workspace = await loadTexts({ 'a.yaml': head + text });
  return { plan: await harness.plan(onlyTree(workspace)), diagnostics: workspace.diagnostics };
}

test('reports unknown members of a team once, each at its place', async () => {
  const { plan, diagnostics } = await planOf(
    'members: { ada@acme.dev: { role: admin } }\nteams:\n  press:\n    title: Press\n    members:\n      ada@acme.dve: owner\n      nobody.at.all@acme.dev: member\n',
  );
  expect(diagnostics).toEqual([]);
  expect(plan.refusals).toMatchObject([
    {
      message: 'there is no member ada@acme.dve, nobody.at.all@acme.dev in this organization',
      suggestion: [
        'a.yaml:8:7: did you mean ada@acme.dev?',
        'a.yaml:9:7: check the spelling',
        'people must be invited in the app before they can be named here',
      ].join('\n'),
    },
  ]);
});

test('suggests similar members for an unknown one', async () => {
  const { plan } = await planOf('members:\n  bbo@acme.dev: { role: read }\n');
  expect(plan.refusals[0]?.suggestion).toMatch(/^if it is "bob@acme.dev", add: id: /);
});

test('reports an unknown custom field by the live state', async () => {
  const text =
    'customFields: { owner-team: { type: text } }\nspaces:\n  a: { id: sp_guide, customFields: { onwer-team: people } }\n';
  const { diagnostics } = await loadTexts({ 'a.yaml': head + text });
  expect(diagnostics).toEqual([]);
  await expect(planOf(text)).rejects.toMatchObject({
    diagnostics: [
      {
        message: 'there is no custom field onwer-team in this organization',
        suggestion: 'did you mean owner-team?',
      },
    ],
  });
});
