/**
 * A plan that changes nothing against Terraform's own, of as many objects that need no provider (`terraform_data`). Where no
 * terraform is installed, it says so and compares nothing.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { byTurns, median, ratioOf } from './support/compare.ts';
import { count, type Findings, tell, time } from './support/findings.ts';
import { octavo, runNode, timeCommand } from './support/process.ts';
import { inFolder, startBench } from './support/service.ts';
import { workspaceOf } from './support/workspace.ts';

/** Objects, and how often each is run. */
const sizes: readonly (readonly [objects: number, rounds: number])[] = [
  [100, 9],
  [10_000, 3],
];
/** What the ratio of the wall time, and that of the CPU time, may be. */
const goals = new Map([
  [100, { wall: 0.7 }],
  [10_000, { cpu: 0.06 }],
]);

const installed = spawnSync('terraform', ['version'], { encoding: 'utf8' });
if (installed.error !== undefined || installed.status !== 0) {
  process.stdout.write('terraform is not installed, so there is nothing to compare with\n');
} else {
  const [version = ''] = installed.stdout.split('\n');
  const lines: Findings['lines'][number][] = [];
  for (const [objects, rounds] of sizes) lines.push(...(await bench(objects, rounds)));
  tell('terraform', [
    {
      title: 'Plans that change nothing, against Terraform',
      about: `${version} with as many terraform_data resources and no provider; no latency on either side; by turns.`,
      lines,
    },
  ]);
}

async function bench(objects: number, rounds: number): Promise<readonly Findings['lines'][number][]> {
  const service = await startBench(objects);
  const folder = mkdtempSync(join(tmpdir(), 'octavo-bench-terraform-'));
  try {
    const { manifests, objects: declared } = workspaceOf(objects);
    const resources = Array.from(
      { length: declared },
      (_, at) => `resource "terraform_data" "r${at}" {\n  input = { title = "Object ${at}" }\n}\n`,
    );
    writeFileSync(join(folder, 'main.tf'), resources.join(''));
    for (const args of [['init'], ['apply', '-auto-approve']]) await terraform(folder, ...args);
    const { plan, theirs } = await inFolder(manifests, (cwd) =>
      byTurns(rounds, {
        plan: () => runNode([octavo, 'plan'], { cwd, env: service.env }),
        theirs: () => terraform(folder, 'plan'),
      }),
    );
    return (['wall', 'cpu'] as const).map((what) => {
      const [ours, others] = [plan.map((one) => one[what]), theirs.map((one) => one[what])];
      const goal = goals.get(objects)?.[what as 'wall'];
      return {
        name: `${count(declared)} objects, ${what === 'cpu' ? 'CPU' : what}`,
        values: { octavo: time(median(ours)), terraform: time(median(others)) },
        ratio: ratioOf(ours, others),
        ...(goal === undefined ? {} : { atMost: goal }),
      };
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
    await service.stop();
  }
}

function terraform(cwd: string, ...args: string[]) {
  return timeCommand('terraform', [...args, '-input=false', '-no-color'], cwd);
}
