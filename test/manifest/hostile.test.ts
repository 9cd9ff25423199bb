/** Files that are not manifests, or are malicious: each is reported cleanly, and none throws or takes long. */
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { registry } from '../../src/kinds/index.ts';
import { loadWorkspace } from '../../src/manifest/load-workspace.ts';
import { renderDiagnostics } from '../../src/report/diagnostics/diagnostics.ts';
import { anyCodePoint } from '../support/code-points.ts';
import { patience, tries } from '../support/runs.ts';

let cwd = '';
beforeEach(() => {
  cwd = mkdtempSync(path.join(tmpdir(), 'octavo-hostile-'));
});
afterEach(() => rmSync(cwd, { recursive: true }));

const head = 'octavo: 1\norganization: org_acme\n';

async function problems(paths: readonly string[] = []): Promise<readonly string[]> {
  const { diagnostics, sources } = await loadWorkspace({ paths, overlays: [], env: {}, cwd, registry });
  expect(renderDiagnostics(diagnostics, sources, { color: false, width: 80 })).not.toMatch(
    /\n\s+at .*\(.*:\d+:\d+\)/,
  );
  return diagnostics.map(({ code, at }) =>
    at === undefined ? code : `${code} ${at.file}:${at.line}:${at.column}`,
  );
}

test('reads the files in a folder named like a manifest', async () => {
  mkdirSync(path.join(cwd, 'x.yaml'));
  writeFileSync(path.join(cwd, 'x.yaml', 'a.yaml'), head);
  expect(await problems()).toEqual([]);
});

test('reports a binary file', async () => {
  writeFileSync(path.join(cwd, 'a.yaml'), Buffer.from([0x7f, 0x45, 0x4c, 0x46, 0, 1, 2]));
  expect(await problems()).toEqual(['not-text a.yaml:1:1']);
});

test('rejects a file of 50 MB', async () => {
  writeFileSync(path.join(cwd, 'a.yaml'), Buffer.alloc(50 * 1024 * 1024, 'x'));
  expect(await problems()).toEqual(['file-too-large a.yaml:1:1']);
});

test('rejects aliases that expand to billions of values', async () => {
  const levels = Array.from(
    { length: 12 },
    (_none, level) =>
      `x-${level}: &l${level} [${Array.from({ length: 10 }, () => (level === 0 ? 'lol' : `*l${level - 1}`)).join(', ')}]`,
  );
  writeFileSync(path.join(cwd, 'a.yaml'), `${head}${levels.join('\n')}\n`);
  expect((await problems()).map((problem) => problem.split(' ')[0])).toContain('too-many-values');
});

test.each([
  ['brackets', '['.repeat(100_000)],
  ['braces', '{a: '.repeat(100_000)],
  ['dashes', '- '.repeat(100_000)],
])('rejects 100,000 levels of %s', async (_name, text) => {
  writeFileSync(path.join(cwd, 'a.yaml'), `${head}teams: ${text}`);
  expect((await problems()).map((problem) => problem.split(' ')[0])).toEqual(['nested-too-deep']);
});

test('reports a thousand levels of indentation', async () => {
  const lines = Array.from({ length: 1000 }, (_none, level) => `${' '.repeat(level)}k:`);
  writeFileSync(path.join(cwd, 'a.yaml'), `${head}${lines.join('\n')}\n`);
  expect((await problems()).length).toBeGreaterThan(0);
});

test('rejects links out of the folder and ignores circular ones', async () => {
  const outside = mkdtempSync(path.join(tmpdir(), 'octavo-outside-'));
  writeFileSync(path.join(outside, 'key.pem'), 'PEM');
  symlinkSync(path.join(outside, 'key.pem'), path.join(cwd, 'key.pem'));
  symlinkSync('two', path.join(cwd, 'one'));
  symlinkSync('one', path.join(cwd, 'two'));
  writeFileSync(
    path.join(cwd, 'a.yaml'),
    `${head}samlProviders: { okta: { label: O, certificate: "\${file:key.pem}" } }\n`,
  );
  expect(await problems()).toEqual(['path-outside a.yaml:3:50']);
  rmSync(outside, { recursive: true });
});

test('reports files with only comments or no content as no manifests', async () => {
  writeFileSync(path.join(cwd, 'a.yaml'), '# nothing\n');
  writeFileSync(path.join(cwd, 'b.yaml'), '');
  expect(await problems()).toEqual(['no-manifests']);
});

test('accepts keys with a special meaning in JavaScript', async () => {
  writeFileSync(
    path.join(cwd, 'a.yaml'),
    `${head}teams:\n  __proto__: { title: P }\n  constructor: { title: C }\n  toString: { __proto__: { title: x } }\n`,
  );
  expect(await problems()).toEqual(['unknown-key a.yaml:6:15']);
});

test('never throws for random bytes and mangled manifests', { timeout: patience(60_000) }, async () => {
  const good = `${head}teams:\n  a: { title: "A", members: { ada@acme.dev: owner } }\nsites:\n  hub: { title: &t Hub, sections: { g: { title: *t, spaces: { m: { space: s } } } } }\n`;
  const mangled = fc
    .array(fc.tuple(fc.nat(good.length), fc.nat(6), fc.string({ unit: anyCodePoint, maxLength: 6 })), {
      maxLength: 6,
    })
    .map((edits) =>
      edits.reduce((text, [at, cut, insert]) => text.slice(0, at) + insert + text.slice(at + cut), good),
    );
  const bytes = fc.uint8Array({ maxLength: 200 });
  await fc.assert(
    fc.asyncProperty(fc.oneof(mangled, bytes), async (content) => {
      writeFileSync(path.join(cwd, 'a.yaml'), content);
      await problems();
    }),
    { ...tries(600) },
  );
});
