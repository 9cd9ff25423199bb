/** `validate` without the variables checks everything that does not depend on them. */
import { expect, test } from 'vitest';
import { registry } from '../../src/kinds/index.ts';
import { loadWorkspace } from '../../src/manifest/load-workspace.ts';
import { memoryFiles } from '../support/memory-files.ts';

async function errorsIn(text: string, organization = 'organization: org_acme'): Promise<readonly string[]> {
  const files = memoryFiles({ '/w/a.yaml': `octavo: 1\n${organization}\n${text}\n` });
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

test('rejects a variable where only a mapping is valid: no value can make it one', async () => {
  const [error] = await errorsIn('', 'organization: { match: "${env:NAME}" }');
  expect(error).toBe('match without a hostname or a title');
});
