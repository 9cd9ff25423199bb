/** Manifests with templates declare the same as manifests written by hand, and every place leads to a record and a template. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { registry } from '../../src/kinds/index.ts';
import { renderedText } from '../../src/manifest/emit/render.ts';
import { formatText } from '../../src/manifest/format/format-text.ts';
import { loadWorkspace, type Workspace } from '../../src/manifest/load-workspace.ts';
import { planAll } from '../../src/run/planning.ts';
import type { SourceRange } from '../../src/util/diagnostic.ts';
import { stableStringify } from '../../src/util/json.ts';
import { acceptDrift } from '../support/accepted-drift.ts';
import { specifications, workspaces } from '../support/arbitrary.ts';
import { type Harness, onlyTree, seed, startHarness } from '../support/harness.ts';
import { memoryFiles } from '../support/memory-files.ts';
import { memoryService } from '../support/memory-service.ts';
import { patience, portion, tries } from '../support/runs.ts';
import { templated } from '../support/templated.ts';

const service = memoryService(seed);
afterAll(() => service.close());

const specs = Object.fromEntries(Object.entries(specifications).map(([name, text]) => [`/w/${name}`, text]));

function load(texts: Readonly<Record<string, string>>): Promise<Workspace> {
  const own = Object.entries(texts).map(([name, text]) => [`/w/${name}`, text]);
  const files = memoryFiles({ ...Object.fromEntries(own), ...specs });
  return loadWorkspace({ paths: ['.'], overlays: [], env: {}, cwd: '/w', registry, files });
}

const yaml = (document: unknown) => stringify(document, { aliasDuplicateObjects: false });

/** The tree without places. */
function declared(workspace: Workspace): string {
  const tree = onlyTree(workspace);
  const nodes = [...tree.nodes.values()].map(({ at: _at, fieldAt: _places, ...node }) => node);
  return stableStringify([tree.label, tree.settings, nodes]);
}

async function planned(workspace: Workspace) {
  const trees = [onlyTree(workspace)];
  const { plan } = await planAll({ api: service.api, registry }, { trees, pasts: new Map(), choices: {} });
  return plan.organizations.map(({ steps, refusals, unmanaged }) => ({
    steps: steps.map(({ at: _at, fields, ...step }) => ({
      ...step,
      fields: fields.map(({ at: _place, ...field }) => field),
    })),
    refusals,
    unmanaged,
  }));
}

function lineAt({ sources }: Workspace, { file, line }: Pick<SourceRange, 'file' | 'line'>): string {
  return sources.get(file)?.split('\n')[line - 1] ?? '';
}

/** Places of an object from a template: the record or `use`, and a line of the template. */
function wrongPlaces(workspace: Workspace): readonly string[] {
  const wrong: string[] = [];
  for (const { address, at, fieldAt } of onlyTree(workspace).nodes.values()) {
    for (const [field, place] of Object.entries({ '': at, ...fieldAt })) {
      const { usedAt, template } = place;
      const isTemplate = (one: SourceRange | undefined) => one?.file === 'templates.yaml';
      const isSound =
        lineAt(workspace, place) !== '' &&
        (usedAt === undefined || /\b(?:use|key):/.test(lineAt(workspace, usedAt))) &&
        (template === undefined || template.file === 'templates.yaml') &&
        (!isTemplate(place) || usedAt !== undefined || template !== undefined) &&
        (template === undefined || field === '' || /\$\{input:/.test(lineAt(workspace, template)));
      if (!isSound) wrong.push(`${address} ${field}: ${JSON.stringify(place)}`);
    }
  }
  return wrong;
}

test('declares and plans the same with random templates as written by hand', {
  timeout: patience(120_000),
}, async () => {
  let made = 0;
  await fc.assert(
    fc.asyncProperty(
      workspaces('org_acme'),
      fc.integer({ min: 1, max: 2 ** 31 - 2 }),
      async (document, choice) => {
        const byHand = await load({ 'acme.yaml': yaml(document) });
        fc.pre(byHand.diagnostics.every(({ severity }) => severity !== 'error'));
        const { document: own, templates } = templated(document, choice);
        made += Object.keys(templates).length;
        const texts = { 'acme.yaml': yaml(own), 'templates.yaml': yaml({ octavo: 1, templates }) };
        const workspace = await load(texts);
        const errors = workspace.diagnostics.filter(({ severity }) => severity === 'error');
        expect(errors).toEqual([]);
        expect(declared(workspace)).toBe(declared(byHand));
        expect(wrongPlaces(workspace)).toEqual([]);
        expect(await planned(workspace)).toEqual(await planned(byHand));
        const rendered = await load({ 'acme.yaml': renderedText(workspace, registry) });
        expect(declared(rendered)).toBe(declared(byHand));
        for (const text of Object.values(texts))
          expect(formatText(text, { registry })).toHaveProperty('text');
      },
    ),
    { ...tries(60), endOnFailure: true },
  );
  expect(made).toBeGreaterThan(portion(60));
});

const folder = mkdtempSync(join(tmpdir(), 'octavo-templates-'));
let harness: Harness;
beforeAll(async () => {
  harness = await startHarness();
  mkdirSync(join(folder, 'specs'));
  for (const [name, text] of Object.entries(specifications)) writeFileSync(join(folder, name), text);
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await harness.close();
});

test('writes accepted drift of template objects into records and inputs, never into templates', {
  timeout: patience(300_000),
}, async () => {
  let accepted = 0;
  await fc.assert(
    fc.asyncProperty(
      workspaces('org_acme'),
      workspaces('org_acme'),
      fc.integer({ min: 1, max: 2 ** 31 - 2 }),
      async (first, second, choice) => {
        harness.reset();
        const { document, templates } = templated(first, choice);
        const templateText = yaml({ octavo: 1, templates });
        writeFileSync(join(folder, 'acme.yaml'), yaml(document));
        writeFileSync(join(folder, 'templates.yaml'), templateText);
        const { run, open } = await acceptDrift(harness, { folder, first, second });
        expect(readFileSync(join(folder, 'templates.yaml'), 'utf8')).toBe(templateText);
        accepted += run.accepted.length;
        expect(open).toEqual([]);
      },
    ),
    { ...tries(6), endOnFailure: true },
  );
  expect(accepted).toBeGreaterThan(portion(6));
});
