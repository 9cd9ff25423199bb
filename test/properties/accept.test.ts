/** After accepting any drift, the manifests match the live state, and little else has changed in them. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { registry } from '../../src/kinds/index.ts';
import { formatText } from '../../src/manifest/format/format-text.ts';
import { loadWorkspace } from '../../src/manifest/load-workspace.ts';
import { hasErrors } from '../../src/util/diagnostic.ts';
import { acceptDrift } from '../support/accepted-drift.ts';
import { specifications, workspaces } from '../support/arbitrary.ts';
import { commented } from '../support/commented.ts';
import { type Harness, startHarness } from '../support/harness.ts';
import { patience, tries } from '../support/runs.ts';

let harness: Harness;
const folder = mkdtempSync(join(tmpdir(), 'octavo-accept-'));
beforeAll(async () => {
  harness = await startHarness();
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await harness.close();
});

mkdirSync(join(folder, 'specs'));
for (const [name, text] of Object.entries(specifications)) writeFileSync(join(folder, name), text);
const file = join(folder, 'acme.yaml');
const load = () => loadWorkspace({ paths: ['.'], cwd: folder, env: {}, overlays: [], registry });

/** Writes the manifest, with comments if they do not break it. */
async function textOf(document: object): Promise<string> {
  const plain = stringify(document);
  const text = commented(plain);
  writeFileSync(file, text);
  if (!hasErrors((await load()).diagnostics)) return text;
  writeFileSync(file, plain);
  return plain;
}

test('accepts all drift except refused changes and writes no other change', {
  timeout: patience(300_000),
}, async () => {
  await fc.assert(
    fc.asyncProperty(workspaces('org_acme'), workspaces('org_acme'), async (first, second) => {
      harness.reset();
      const text = await textOf(first);
      const { run, plan, open } = await acceptDrift(harness, { folder, first, second });
      // Places of accepted changes are in files that changed.
      const changed = run.files.map(({ name }) => name);
      expect(changed).toEqual(expect.arrayContaining(run.accepted.flatMap(({ at }) => at?.file ?? [])));
      expect(open).toEqual([]);
      if (plan.steps.length === 0) expect(readFileSync(file, 'utf8')).toBe(text);
      expect(formatText(readFileSync(file, 'utf8'), { registry })).toHaveProperty('text');
    }),
    { ...tries(4), endOnFailure: true },
  );
});
