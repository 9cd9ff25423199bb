/**
 * Plans of pull requests as reviewers see them: each folder of `review/` contains the changed files, and changes made in the app.
 * The golden files have been read and found clear; `UPDATE_GOLDEN=1` rewrites them: read them again.
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { parse } from 'yaml';
import { planViews } from '../src/cli/show/views.ts';
import type { ApiInput } from '../src/contract/api.ts';
import type { OperationId } from '../src/contract/index.ts';
import { registry } from '../src/kinds/index.ts';
import { disk } from '../src/manifest/files/disk.ts';
import { rulesFile } from '../src/manifest/files/paths.ts';
import { readRules } from '../src/manifest/read-rules.ts';
import type { Plan } from '../src/plan/plan.ts';
import type { JudgingRule } from '../src/review/rules.ts';
import { digestsOf } from '../src/run/approval/digest.ts';
import { judging } from '../src/run/rules/load-rules.ts';
import type { DesiredTree } from '../src/tree/desired-tree.ts';
import { asPlan, type Harness, loadTexts, onlyTree, startHarness } from './support/harness.ts';
import { reviewSeed } from './support/review-seed.ts';

const folder = path.join(import.meta.dirname, 'review');
const update = process.env.UPDATE_GOLDEN === '1';
const cases = readdirSync(folder).filter((name) => /^\d/.test(name));

let harness: Harness | undefined;
afterEach(async () => {
  await harness?.close();
  harness = undefined;
});

/** The manifests of the folders; files of later ones replace files with the same name. */
async function treeOf(...folders: readonly string[]): Promise<DesiredTree> {
  const files = new Map<string, string>();
  for (const from of folders.map((name) => path.join(folder, name)).filter((one) => existsSync(one))) {
    for (const file of readdirSync(from).filter((one) => one.endsWith('.yaml'))) {
      if (file !== 'meddle.yaml' && file !== rulesFile)
        files.set(file, readFileSync(path.join(from, file), 'utf8'));
    }
  }
  return onlyTree(await loadTexts(Object.fromEntries(files)));
}

/** The plan of a pull request against a workspace in which the base was applied. */
async function planOf(run: Harness, name: string): Promise<Plan> {
  const before = ['base', path.join(name, 'before')];
  const base = await treeOf(...before);
  const first = await run.plan(base);
  await run.apply(base, first);
  const { ids } = await run.plan(base);
  const meddle = path.join(folder, name, 'meddle.yaml');
  if (existsSync(meddle)) {
    const text = readFileSync(meddle, 'utf8').replace(
      /\{\{(.+?)\}\}/g,
      (_, address: string) => ids[address] ?? address,
    );
    for (const { operation, ...input } of parse(text) as ({ operation: OperationId } & ApiInput)[])
      await run.api.send(operation, input);
  }
  const tree = await treeOf(...before, name);
  return asPlan(await run.plan(tree, { base, recorded: ids, rules: await rulesOf(tree, name) }));
}

/** The rules of the base, for a pull request with a label. */
async function rulesOf(tree: DesiredTree, name: string): Promise<readonly JudgingRule[]> {
  const text = await readRules(
    disk,
    path.join(folder, name, rulesFile),
    path.join(folder, name),
    ' at 4f1c2aa',
  );
  const labels = new Map([['allow-site-deletes', 'eve']]);
  return judging(tree, text, { labels, teams: new Map(), pull: 'pull request 11' });
}

test.each(cases)('%s has the reviewed plan in each format', async (name) => {
  harness = await startHarness(reviewSeed, registry, name.endsWith('-2026') ? '2026' : 'document');
  const plan = await planOf(harness, name);
  const digested = { plan, digests: digestsOf(plan) };
  const shown = async (format: 'text' | 'markdown', width: number) =>
    [...(await planViews[format]())(digested, { color: false, width })].join('');
  const results = {
    'plan-80.txt': await shown('text', 80),
    'plan-160.txt': await shown('text', 160),
    'plan.md': await shown('markdown', 80),
  };
  for (const [file, text] of Object.entries(results)) {
    const golden = path.join(folder, name, file);
    if (update) writeFileSync(golden, text);
    expect(text).toBe(readFileSync(golden, 'utf8'));
  }
});
