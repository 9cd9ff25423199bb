/** Cost of planning the undo of a run that created many objects, relative to the plan of that run; both are saved as files. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { exponentOf } from './support/compare.ts';
import { count, size, tell, time } from './support/findings.ts';
import { octavo, runNode } from './support/process.ts';
import { inFolder } from './support/service.ts';

const sizes = [2500, 5000, 20_000];

const head = `octavo: 1
organization: org_acme
settings: { limits: { changes: null, deletes: null, deletePercent: null } }
teams:
`;

const measured = [];
for (const objects of sizes) {
  const teams = Array.from({ length: objects }, (_, at) => `  t${at}: { title: Team ${at}, was: [] }\n`);
  const taken = await inFolder(new Map([['acme.yaml', head + teams.join('')]]), async (cwd) => {
    const service = ['--base-url', `local:${join(cwd, 'live.db')}`];
    const seed = ['--seed', 'sample'];
    const run = (...args: string[]) => runNode([octavo, ...args, ...service], { cwd });
    const plan = await run('plan', '--out', 'plan.json', ...seed);
    rmSync(join(cwd, 'plan.json'));
    await run('apply', '--auto-approve');
    return { objects, plan, undo: await run('undo', '--out', 'undo.json') };
  });
  measured.push(taken);
}

tell('undo', [
  {
    title: 'Undoing many creations',
    about:
      'CPU of whole processes with the embedded service inside; one run each. An undo reads the live state of what it deletes, the plan had nothing to read.',
    lines: measured.map(({ objects, plan, undo }) => ({
      name: `${count(objects)} teams`,
      values: { plan: time(plan.cpu), undo: time(undo.cpu), 'peak memory': size(undo.peak) },
      ratio: undo.cpu / plan.cpu,
      atMost: 3,
    })),
  },
  {
    title: 'Growth',
    about: 'The exponent of growth of CPU: 1 is linear.',
    lines: [
      {
        name: 'undo',
        values: { from: count(sizes[0] ?? 0), to: count(sizes.at(-1) ?? 0) },
        ratio: exponentOf(measured.map(({ objects, undo }) => [objects, undo.cpu] as const)),
        atMost: 1.1,
      },
    ],
  },
]);
