/**
 * A plan without changes compared with Terraform's, with the same number of objects without a provider (`terraform_data`). If Terraform is
 * not installed, reports that and skips the comparison.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { byTurns, median, ratioOf } from './support/compare.ts';
import { count, type Findings, size, tell, time } from './support/findings.ts';
import { octavo, runNode, timeCommand, type Used } from './support/process.ts';
import { inFolder, startBench } from './support/service.ts';
import { workspaceOf } from './support/workspace.ts';

/** Number of objects, and of runs for each. */
const sizes: readonly (readonly [objects: number, rounds: number])[] = [
  [100, 9],
  [1000, 9],
  [10_000, 3],
];
/** Maximum ratios of wall time and CPU time. */
const goals: ReadonlyMap<string, number> = new Map([
  ['100 wall', 0.7],
  ['10000 CPU', 0.12],
]);
const measures = ['wall', 'CPU', 'peak memory'] as const;

const provider = 'provider["terraform.io/builtin/terraform"]';

const installed = spawnSync('terraform', ['version', '-json'], { encoding: 'utf8' });
if (installed.error !== undefined || installed.status !== 0) {
  process.stdout.write('terraform is not installed, so there is nothing to compare with\n');
} else {
  const { terraform_version: version } = JSON.parse(installed.stdout) as {
    readonly terraform_version: string;
  };
  const lines: Findings['lines'][number][] = [];
  for (const [objects, rounds] of sizes) lines.push(...(await bench(objects, rounds, version)));
  tell('terraform', [
    {
      title: 'Plans that change nothing, against Terraform',
      about:
        `Terraform ${version} with as many terraform_data resources, no provider and its state in a file; no latency on either side. ` +
        `Medians of ${sizes.map(([, rounds]) => rounds).join(', ')} rounds by turns, after one that is not counted.`,
      lines,
    },
  ]);
}

async function bench(
  objects: number,
  rounds: number,
  version: string,
): Promise<readonly Findings['lines'][number][]> {
  const service = await startBench(objects);
  const folder = mkdtempSync(join(tmpdir(), 'octavo-bench-terraform-'));
  try {
    const { manifests, objects: declared } = workspaceOf(objects);
    writeFileSync(join(folder, 'main.tf'), configurationOf(declared));
    writeFileSync(join(folder, 'terraform.tfstate'), stateOf(declared, version));
    await terraform(folder, 'init');
    const { plan, theirs } = await inFolder(manifests, (cwd) =>
      byTurns(rounds, {
        plan: () => runNode([octavo, 'plan'], { cwd, env: service.env }),
        // Exits with 2 if there are changes: then the state is not the one that Terraform would have written.
        theirs: () => terraform(folder, 'plan', '-detailed-exitcode'),
      }),
    );
    return measures.map((what) => {
      const [ours, others] = [
        plan.map((one) => figureOf(one, what)),
        theirs.map((one) => figureOf(one, what)),
      ];
      const show = what === 'peak memory' ? size : time;
      const goal = goals.get(`${objects} ${what}`);
      return {
        name: `${count(declared)} objects, ${what}`,
        values: { octavo: show(median(ours)), terraform: show(median(others)) },
        ratio: ratioOf(ours, others),
        ...(goal === undefined ? {} : { atMost: goal }),
      };
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
    await service.stop();
  }
}

function figureOf({ wall, cpu, peak }: Omit<Used, 'output'>, what: (typeof measures)[number]): number {
  if (what === 'wall') return wall;
  return what === 'CPU' ? cpu : peak;
}

function configurationOf(objects: number): string {
  return Array.from(
    { length: objects },
    (_, at) => `resource "terraform_data" "r${at}" {\n  input = { title = "Object ${at}" }\n}\n`,
  ).join('');
}

/**
 * The state in the form that `terraform apply` writes. A real apply takes more than ten minutes for 10,000 objects, because it writes the
 * whole state after each.
 */
function stateOf(objects: number, version: string): string {
  const value = (at: number) => ({ value: { title: `Object ${at}` }, type: ['object', { title: 'string' }] });
  const resources = Array.from({ length: objects }, (_, at) => ({
    mode: 'managed',
    type: 'terraform_data',
    name: `r${at}`,
    provider,
    instances: [
      {
        schema_version: 0,
        attributes: {
          id: `00000000-0000-4000-8000-${String(at).padStart(12, '0')}`,
          input: value(at),
          output: value(at),
          triggers_replace: null,
        },
        sensitive_attributes: [],
      },
    ],
  }));
  const lineage = '00000000-0000-4000-9000-000000000000';
  const head = { version: 4, terraform_version: version, serial: 1, lineage, outputs: {} };
  return JSON.stringify({ ...head, resources, check_results: null }, undefined, 2);
}

function terraform(cwd: string, ...args: string[]) {
  return timeCommand('terraform', [...args, '-input=false', '-no-color'], cwd);
}
