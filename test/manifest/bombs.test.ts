/** Small workspaces that would expand enormously: each is rejected quickly, with one clear problem. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { registry } from '../../src/kinds/index.ts';
import type { ManifestFiles } from '../../src/manifest/files/disk.ts';
import { loadWorkspace } from '../../src/manifest/load-workspace.ts';
import { memoryFiles } from '../support/memory-files.ts';

let cwd = '';
beforeEach(() => {
  cwd = mkdtempSync(path.join(tmpdir(), 'octavo-bombs-'));
});
afterEach(() => rmSync(cwd, { recursive: true }));

const head = 'octavo: 1\norganization: org_acme\n';

async function codes(): Promise<readonly string[]> {
  const { diagnostics } = await loadWorkspace({ paths: [], overlays: [], env: {}, cwd, registry });
  return [...new Set(diagnostics.map(({ code }) => code))];
}

const times = (count: number, part: (index: number) => string) =>
  Array.from({ length: count }, (_none, index) => part(index));

test('rejects files that include each other ten times each, nine levels deep', async () => {
  for (let level = 0; level < 9; level += 1) {
    const item = level === 8 ? 'lol' : `"\${yaml:${level + 1}.txt}"`;
    writeFileSync(path.join(cwd, `${level}.txt`), `[${times(10, () => item).join(', ')}]`);
  }
  writeFileSync(path.join(cwd, 'a.yaml'), `${head}x-lol: "\${yaml:0.txt}"\n`);
  expect(await codes()).toEqual(['too-many-inclusions']);
});

test('rejects a folder with too many folders before it reads any file', async () => {
  const names = Array.from({ length: 25_000 }, (_none, index) => `f${index}`);
  let listed = 0;
  const files: ManifestFiles = {
    ...memoryFiles({}),
    type: async () => 'folder',
    list: async (folder) => {
      if (folder !== '/') listed += 1;
      return folder === '/'
        ? [...names.map((name) => ({ name, type: 'folder' as const })), { name: 'm.yaml', type: 'file' }]
        : [];
    },
    read: () => Promise.reject(new Error('read a file')),
  };
  const loading = loadWorkspace({ paths: [], overlays: [], env: {}, cwd: '/', registry, files });
  await expect(loading).rejects.toMatchObject({
    diagnostics: [{ code: 'too-many-folders', message: '/ contains more than 20000 folders' }],
  });
  expect(listed).toBeLessThan(2 * names.length);
});

test('rejects one text that includes a large file many times', async () => {
  writeFileSync(path.join(cwd, 'big.txt'), 'x'.repeat(1024 * 1024));
  writeFileSync(path.join(cwd, 'a.yaml'), `${head}x-big: "${'${file:big.txt}'.repeat(5000)}"\n`);
  expect(await codes()).toEqual(['too-many-inclusions']);
});

test('rejects a large structure included many times', async () => {
  writeFileSync(path.join(cwd, 'big.json'), JSON.stringify(times(100_000, (index) => `value ${index}`)));
  const entries = times(5000, (index) => `x-${index}: "\${json:big.json}"`);
  writeFileSync(path.join(cwd, 'a.yaml'), `${head}${entries.join('\n')}\n`);
  expect(await codes()).toEqual(['too-many-inclusions']);
});

test('rejects a large YAML structure included many times', async () => {
  writeFileSync(path.join(cwd, 'big.txt'), times(100_000, (index) => `- value ${index}\n`).join(''));
  const entries = times(5000, (index) => `x-${index}: "\${yaml:big.txt}"`);
  writeFileSync(path.join(cwd, 'a.yaml'), `${head}${entries.join('\n')}\n`);
  const { diagnostics } = await loadWorkspace({ paths: [], overlays: [], env: {}, cwd, registry });
  expect(diagnostics.map(({ code, at }) => [code, at?.line])).toEqual([['too-many-values', 7]]);
});

test('reports thousands of unknown references among thousands of objects', async () => {
  const teams = times(5000, (index) => `  team-number-${index}: { title: T${index} }`);
  const providers = times(5000, (index) => `  p${index}: { label: L${index}, defaultTeam: nobody-${index} }`);
  const text = `${head}teams:\n${teams.join('\n')}\nsamlProviders:\n${providers.join('\n')}\n`;
  writeFileSync(path.join(cwd, 'a.yaml'), text);
  expect(await codes()).toEqual(['unknown-reference']);
});

test.each(['${', '${env:', '${x}', '${env:A}', '$${'])(
  'rejects a text that consists only of %s',
  async (part) => {
    writeFileSync(path.join(cwd, 'a.yaml'), `${head}teams:\n  a:\n    title: "${part.repeat(100_000)}"\n`);
    const { diagnostics } = await loadWorkspace({ paths: [], overlays: [], env: { A: 'a' }, cwd, registry });
    expect(diagnostics.map(({ code }) => code)).toEqual(['too-many-inclusions']);
  },
);

test('reports an unclosed ${ once, and other interpolations at their places', async () => {
  writeFileSync(
    path.join(cwd, 'a.yaml'),
    `${head}teams:\n  a: { title: "\${a} \${env:NONE} \${b} \${ \${ \${" }\n`,
  );
  const { diagnostics } = await loadWorkspace({ paths: [], overlays: [], env: {}, cwd, registry });
  expect(diagnostics.map(({ message, at }) => `${at?.column} ${message}`)).toEqual([
    '16 unknown interpolation ${a}',
    '21 environment variable NONE is not set',
    '33 unknown interpolation ${b}',
    '38 unclosed ${',
  ]);
});
