/** A secret is never shown, in any field of any kind, permitted there or not. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { registry } from '../../src/kinds/index.ts';
import type { Kind } from '../../src/kinds/kind.ts';
import { loadWorkspace } from '../../src/manifest/load-workspace.ts';
import { renderDiagnostics } from '../../src/report/diagnostics/diagnostics.ts';

let cwd = '';
beforeAll(() => {
  cwd = mkdtempSync(path.join(tmpdir(), 'octavo-secrets-'));
});
afterAll(() => rmSync(cwd, { recursive: true }));

const head = 'octavo: 1\norganization: org_acme\n';

/** A manifest with one object of a kind and its parents. */
function manifestWith(kind: Kind, object: string): string {
  const [place] = kind.manifest.places;
  if (place === undefined) return `octavo: 1\norganization: ${object}\n`;
  const parent = registry.byName(place.parent);
  const entry = `${place.key}: ${place.shape === 'single' ? object : `{ x-key: ${object} }`}`;
  return parent === registry.root ? `${head}${entry}\n` : manifestWith(parent, `{ ${entry} }`);
}

/** Everything that could be printed or saved of a workspace. */
async function everythingShown(text: string): Promise<string> {
  writeFileSync(path.join(cwd, 'a.yaml'), text);
  const { trees, diagnostics, sources } = await loadWorkspace({
    paths: [],
    overlays: [],
    env: { PW: 'hush-hush' },
    cwd,
    registry,
  });
  return [
    renderDiagnostics(diagnostics, sources, { color: false, width: 80 }),
    JSON.stringify(diagnostics),
    JSON.stringify(trees.map(({ data }) => ({ ...data, nodes: [...data.nodes] }))),
  ].join('\n');
}

const secret = '"${secret:PW}"';
const forms = [secret, `{ id: ${secret} }`, `[${secret}]`, `{ a: ${secret} }`];
const fields = registry.kinds.flatMap((kind) =>
  ['id', 'was', 'lifecycle', ...Object.keys(kind.fields)].map((name) => ({ kind, noun: kind.noun, name })),
);

test.each(fields)('hides a secret in $name of a $noun', async ({ kind, name }) => {
  for (const form of forms) {
    const object = kind.manifest.whole === name ? form : `{ ${name}: ${form} }`;
    expect(await everythingShown(manifestWith(kind, object))).not.toContain('hush');
  }
});

test.each([
  ['the organization', `octavo: 1\norganization: ${secret}\n`],
  ['what it is matched by', `octavo: 1\norganization: { match: { title: ${secret} } }\n`],
  [
    'settings',
    `${head}settings: { prune: ${secret}, protect: [${secret}], limits: { deletes: ${secret} } }\n`,
  ],
])('hides a secret in %s', async (_where, text) => {
  expect(await everythingShown(text)).not.toContain('hush');
});
