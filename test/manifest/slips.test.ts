/**
 * Typing mistakes, one each in an otherwise valid workspace: each is at most one error, at its place, without follow-up
 * errors. The table has the old text, the new text and the error.
 */
import { expect, test } from 'vitest';
import { registry } from '../../src/kinds/index.ts';
import { disk, type ManifestFiles } from '../../src/manifest/files/disk.ts';
import { loadWorkspace } from '../../src/manifest/load-workspace.ts';
import { certificate } from '../support/certificate.ts';
import { organizationFile, type Slip, sitesFile, slips } from './slips.ts';

const cwd = '/workspace';

function inFiles(texts: Readonly<Record<string, string>>): ManifestFiles {
  const nameOf = (file: string) => file.slice(cwd.length + 1);
  return {
    ...disk,
    type: async (file) => (file === cwd ? 'folder' : nameOf(file) in texts ? 'file' : 'missing'),
    list: async () => Object.keys(texts).map((name) => ({ name, type: 'file' as const })),
    size: async (file) => texts[nameOf(file)]?.length ?? 0,
    read: async (file) => new TextEncoder().encode(texts[nameOf(file)] ?? ''),
    real: async (file) => file,
  };
}

async function problemsOf(texts: Readonly<Record<string, string>>) {
  const env = { ORG: 'org_acme', PARTNER_TAG: '2026', CERT: certificate };
  const files = inFiles(texts);
  const { diagnostics } = await loadWorkspace({ paths: [], overlays: [], env, cwd, registry, files });
  return diagnostics;
}

async function problemsAfter([file, from, to]: Slip): Promise<readonly string[]> {
  const texts = { 'organization.yaml': organizationFile, 'sites.yaml': sitesFile };
  if (file === 'copy') return lines(await problemsOf({ ...texts, [to]: texts[from as keyof typeof texts] }));
  const name = `${file}.yaml` as const;
  expect(texts[name], `${JSON.stringify(from)} is in ${name}`).toContain(from);
  return lines(await problemsOf({ ...texts, [name]: texts[name].replace(from, () => to) }));
}

function lines(diagnostics: Awaited<ReturnType<typeof problemsOf>>): readonly string[] {
  return diagnostics
    .filter(({ severity }) => severity !== 'hint')
    .map(
      ({ severity, code, at }) =>
        `${severity === 'error' ? '' : '? '}${code} ${at?.file.replace('.yaml', '')}:${at?.line}:${at?.column}`,
    );
}

test('accepts the workspace without mistakes', async () => {
  expect(await problemsAfter(['organization', 'title: Acme', 'title: Acme', ''])).toEqual([]);
});

test('covers at least 98 mistakes', () => {
  expect(slips.length).toBeGreaterThanOrEqual(98);
});

test.each(slips)('reports at most one error in %s: %j → %j', async (...slip) => {
  const [, , , expected] = slip;
  expect(await problemsAfter(slip)).toEqual(expected === '' ? [] : [expected]);
});
