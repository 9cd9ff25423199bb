/** Each example with the 2026 API, without kinds and fields that this API lacks. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { registry } from '../../src/kinds/index.ts';
import { disk } from '../../src/manifest/files/disk.ts';
import { loadWorkspace } from '../../src/manifest/load-workspace.ts';
import type { Seed } from '../../src/server/index.ts';
import type { DesiredTree } from '../../src/tree/desired-tree.ts';
import { DiagnosticError, hasErrors } from '../../src/util/diagnostic.ts';
import { startHarness } from '../support/harness.ts';
import { isDeep } from '../support/runs.ts';
import { expectTakenAway, withoutTakenAway } from '../support/taken-away.ts';

const examples = path.join(import.meta.dirname, '..', '..', 'examples');

/** Pipelines and programs, not workspaces. */
const others = ['ci', 'demo', 'policies'];

/** Examples with custom fields and titled translations, which the 2026 API lacks. */
const withTakenAway = ['acme'];

const workspaces = readdirSync(examples).filter((name) => !others.includes(name));

test.each([...workspaces.map((name) => [name, []] as const), ['multi', ['production']] as const])(
  'examples/%s %j can be applied, after which the plan is empty',
  async (name, overlays) => {
    const load = async (readText: (text: string) => string) => {
      const read = async (file: string) => {
        const bytes = await disk.read(file);
        return file.endsWith('.yaml') ? Buffer.from(readText(Buffer.from(bytes).toString())) : bytes;
      };
      const files = { ...disk, read, size: async (file: string) => (await read(file)).length };
      const cwd = path.join(examples, name);
      const workspace = await loadWorkspace({ paths: [], overlays, env: {}, cwd, registry, files });
      expect(hasErrors(workspace.diagnostics)).toBe(false);
      // The fleet has 200 organizations.
      return workspace.trees.filter((_tree, at) => isDeep || at % 25 === 0);
    };
    const whole = await load((text) => text);
    const rest = await load(withoutTakenAway);
    const harness = await startHarness(seedOf(name, rest), registry, '2026');
    onTestFinished(() => harness.close());
    let isWhole = true;
    for (const [at, tree] of rest.entries()) {
      const problems = await problemsOf(harness.plan(whole[at] ?? tree));
      if (problems.length > 0) {
        isWhole = false;
        expectTakenAway(problems, (file) => readFileSync(path.resolve(examples, name, file), 'utf8'));
      }
      const planned = await harness.plan(tree);
      const { organizations } = await harness.apply(tree, planned);
      const outcomes = organizations.flatMap((one) => one.outcomes.map(({ type }) => type));
      expect(outcomes.filter((type) => type !== 'done' && type !== 'satisfied')).toEqual([]);
      expect(outcomes.length).toBeGreaterThan(0);
      expect((await harness.plan(tree)).steps).toEqual([]);
    }
    expect(isWhole).toBe(!withTakenAway.includes(name));
  },
);

/** The seed file of the example, or empty organizations. */
function seedOf(name: string, trees: readonly DesiredTree[]): Seed {
  const file = path.join(examples, name, 'seed.json');
  if (existsSync(file)) return JSON.parse(readFileSync(file, 'utf8')) as Seed;
  const organizations = trees.map(({ id = 'org_one', match }) => ({ id, title: id, ...match }));
  return { organizations };
}

async function problemsOf(planning: Promise<unknown>): Promise<DiagnosticError['diagnostics']> {
  try {
    await planning;
    return [];
  } catch (error) {
    if (error instanceof DiagnosticError) return error.diagnostics;
    throw error;
  }
}
