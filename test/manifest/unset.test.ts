/** `validate` without the variables checks everything that does not depend on them. */
import { expect, test } from 'vitest';
import { registry } from '../../src/kinds/index.ts';
import { loadWorkspace } from '../../src/manifest/load-workspace.ts';
import { memoryFiles } from '../support/memory-files.ts';

async function errorsIn(text: string): Promise<readonly string[]> {
  const files = memoryFiles({ '/w/a.yaml': `octavo: 1\norganization: org_acme\n${text}\n` });
  const options = { paths: [], overlays: [], env: {}, cwd: '/w', registry, files, purpose: 'check' } as const;
  const { diagnostics } = await loadWorkspace(options);
  return diagnostics.filter(({ severity }) => severity === 'error').map(({ message }) => message);
}

test.each([
  'samlProviders: { okta: { defaultTeam: { id: "${env:TEAM}" } } }',
  'teams: { a: { members: { ada@acme.dev: "${env:ROLE}" } } }',
  'sites: { s: { adaptiveContent: { enabled: "${env:ON}" } } }',
  'settings: { limits: { deletes: "${env:MOST}" }, protect: ["${env:GLOB}"] }',
  'spaces: { a: { was: ["${env:FORMER}"], lifecycle: { ignore: ["${env:FIELD}", title] } } }',
])('reports no error for unset variables: %s', async (text) => {
  expect(await errorsIn(text)).toEqual([]);
});

test('checks the values next to an unset variable', async () => {
  const [error] = await errorsIn(
    'teams: { a: { members: { ada@acme.dev: "${env:ROLE}", bob@acme.dev: boss } } }',
  );
  expect(error).toBe('unknown value "boss" of "bob@acme.dev" in members');
});
