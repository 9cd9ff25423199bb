/** A plan as JUnit: well-formed whatever the titles, one test case for each object, and secrets in none. */
import { expect, test } from 'vitest';
import type { Plan } from '../../src/plan/plan.ts';
import { planJunit } from '../../src/report/plan/junit.ts';
import { Secret } from '../../src/util/secret.ts';
import { everything, planOf, step } from './plan-samples.ts';
import { xmlElements } from './xml-elements.ts';

const marks = { digest: '', approval: '', version: '' };
const render = (plan: Plan) => [...planJunit({ plan, marks }, { color: false, width: 80 })].join('');

test('objects that match pass, those that differ fail with their cause', () => {
  const plan = planOf({
    withBase: true,
    ids: {
      organization: 'org',
      'teams/docs': 't1',
      'teams/platform': 't2',
      'teams/b10': 'x',
      'teams/b2': 'y',
    },
    steps: [
      step({
        address: 'teams/docs',
        noun: 'team',
        action: 'update',
        phase: 'update',
        fields: [{ field: 'title', before: 'Dcos', after: 'Docs', cause: 'drift' }],
      }),
      step({ address: 'teams/new', noun: 'team', action: 'create', phase: 'create', cause: 'changed' }),
    ],
    refusals: [
      {
        guard: 'protect',
        address: 'sites/hub',
        message: 'it is protected',
        suggestion: 'lift it',
        steps: [],
      },
    ],
  });
  const xml = render(plan);
  const elements = xmlElements(xml);
  expect(elements[0]).toMatchObject({
    name: 'testsuites',
    attributes: { name: 'octavo', tests: '7', failures: '3', errors: '0', skipped: '0' },
  });
  const cases = elements.filter(({ name }) => name === 'testcase').map(({ attributes }) => attributes.name);
  expect(cases).toEqual([
    'organization',
    'sites/hub',
    'teams/b2',
    'teams/b10',
    'teams/docs',
    'teams/new',
    'teams/platform',
  ]);
  expect(elements.filter(({ name }) => name === 'failure').map(({ attributes }) => attributes)).toEqual([
    { type: 'refused', message: 'it is protected' },
    { type: 'drift', message: 'update team: title' },
    { type: 'changed', message: 'create team' },
  ]);
  expect(xml).toContain('>title: &quot;Dcos&quot; → &quot;Docs&quot;</failure>');
});

test('everything that a plan can hold is well-formed', () => {
  const elements = xmlElements(render(everything));
  expect(elements.filter(({ name }) => name === 'failure').length).toBeGreaterThan(3);
  expect(xmlElements(render({ format: 1, organizations: [] }))).toHaveLength(1);
});

test('hostile titles stay text, and secrets are not shown', () => {
  const hostile = `"]]></failure><script>&'\u0000\u001b[31m\u202e\uFFFE`;
  const xml = render(
    planOf({
      label: hostile,
      steps: [
        step({
          address: `teams/${hostile}`,
          noun: 'team',
          action: 'update',
          phase: 'update',
          risks: [{ text: hostile }],
          fields: [
            { field: 'title', before: hostile, after: `${hostile}\n${hostile}` },
            {
              field: 'certificate',
              before: new Secret('(hidden)', 'old-secret'),
              after: new Secret('x', 'new-secret'),
            },
          ],
        }),
      ],
    }),
  );
  const names = xmlElements(xml).map(({ name }) => name);
  expect([...new Set(names)]).toEqual(['testsuites', 'testsuite', 'testcase', 'failure']);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they must not be there.
  expect(xml).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u202e\uFFFE]|old-secret|new-secret/);
});
