/**
 * Broken workspaces, one folder each, with their diagnostics as golden files. `UPDATE_GOLDEN=1` rewrites them;
 * read the result: each place must be that of the cause, each message true, and each suggestion must work.
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { registry } from '../../src/kinds/index.ts';
import { loadWorkspace } from '../../src/manifest/load-workspace.ts';
import { renderDiagnostics } from '../../src/report/diagnostics/diagnostics.ts';

const folder = path.join(import.meta.dirname, 'broken');
const cases = readdirSync(folder).sort();

interface Options {
  readonly paths?: readonly string[];
  readonly overlays?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

test('covers at least 60 broken workspaces', () => {
  expect(cases.length).toBeGreaterThanOrEqual(60);
});

describe.each(cases)('the broken workspace %s', (name) => {
  test('is reported as in the golden file', async () => {
    const cwd = path.join(folder, name);
    const optionsFile = path.join(cwd, 'options.json');
    const options = existsSync(optionsFile) ? (JSON.parse(readFileSync(optionsFile, 'utf8')) as Options) : {};
    const { diagnostics, sources } = await loadWorkspace({
      paths: options.paths ?? [],
      overlays: options.overlays ?? [],
      env: options.env ?? { TEAM: 'set' },
      cwd,
      registry,
    });
    expect(diagnostics.length).toBeGreaterThan(0);
    const text = renderDiagnostics(diagnostics, sources, { color: false, width: 80 });
    const golden = path.join(cwd, 'expected.txt');
    if (process.env.UPDATE_GOLDEN === '1') writeFileSync(golden, text);
    expect(text).toBe(readFileSync(golden, 'utf8'));
  });
});
