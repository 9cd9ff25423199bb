/**
 * Mistakes in a workspace of many files with two overlays, as octavo validate reports them: exactly one message for each, at its place, with a
 * help. The table has the whole message.
 */
import { describe, expect, test } from 'vitest';
import { registry } from '../../src/kinds/index.ts';
import { loadWorkspace } from '../../src/manifest/load-workspace.ts';
import { workspaceWarnings } from '../../src/manifest/warnings/workspace-warnings.ts';
import { hasErrors } from '../../src/util/diagnostic.ts';
import { memoryFiles } from '../support/memory-files.ts';
import { type AuthorSlip, authorFiles, authorSlips } from './author-slips.ts';

async function reported(texts: Readonly<Record<string, string>>): Promise<readonly string[]> {
  const cwd = '/w';
  const files = memoryFiles(
    Object.fromEntries(Object.entries(texts).map(([name, text]) => [`${cwd}/${name}`, text])),
  );
  const options = { paths: [], overlays: [], env: {}, cwd, registry, files, purpose: 'check' } as const;
  const workspace = await loadWorkspace({ ...options, now: Date.parse('2026-06-01') });
  const { diagnostics } = workspace;
  const found = hasErrors(diagnostics) ? [] : await workspaceWarnings(workspace, { registry, cwd, files });
  return [...diagnostics, ...found].map(
    ({ severity, message, at, suggestion }) =>
      `${severity} ${at === undefined ? '' : `${at.file}:${at.line}:${at.column}`} ${message} → ${suggestion}`,
  );
}

function after([file, from, to]: AuthorSlip): Readonly<Record<string, string>> {
  if (file.startsWith('+')) return { ...authorFiles, [file.slice(1)]: authorFiles[from] ?? to };
  const text = authorFiles[file] ?? '';
  expect(text.split(from).length, `${JSON.stringify(from)} is in ${file} once`).toBe(2);
  return { ...authorFiles, [file]: text.replace(from, () => to) };
}

test('accepts the workspace without mistakes', async () => {
  expect(await reported(authorFiles)).toEqual([]);
});

test('covers at least 66 mistakes, each with a message and a help', () => {
  expect(authorSlips.length).toBeGreaterThanOrEqual(66);
  for (const [, , , expected] of authorSlips)
    expect(expected).toMatch(/^(error|warning|hint) \S+:\d+:\d+ .+ → (?!undefined)/);
});

describe('reports one message for each mistake', () => {
  test.each(authorSlips)('in %s: %j → %j', async (...slip) => {
    expect(await reported(after(slip))).toEqual([slip[3]]);
  });
});
