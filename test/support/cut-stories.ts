/** Stories of a run that is cut off, and of its twin that is not: a person goes on in one of five ways, and both must end alike. */
import { appendFileSync } from 'node:fs';
import type { Form } from '../../src/contract/form.ts';
import type { OrganizationPlan } from '../../src/plan/plan.ts';
import type { DesiredTree } from '../../src/tree/desired-tree.ts';
import { DiagnosticError } from '../../src/util/diagnostic.ts';
import { commitSeed } from './commits.ts';
import { type Cut, driftIn, Workspace } from './cut-runs.ts';
import { treeOf } from './harness.ts';
import { differences } from './snapshot.ts';

export const ways = ['again', 'machine', 'revert', 'correct', 'undo'] as const;

type Way = (typeof ways)[number];

export interface Trees {
  readonly world: DesiredTree;
  readonly older: DesiredTree;
  readonly newer: DesiredTree;
  readonly corrected: DesiredTree;
}

/** Undefined for documents that contradict themselves. */
async function treesOf(documents: Record<keyof Trees, object>): Promise<Trees | undefined> {
  try {
    const [world, older, newer, corrected] = await Promise.all(Object.values(documents).map(treeOf));
    return { world, older, newer, corrected } as Trees;
  } catch (error) {
    if (error instanceof DiagnosticError) return undefined;
    throw error;
  }
}

async function begin(workspace: Workspace, { world, older }: Trees): Promise<boolean> {
  if ((await workspace.apply(world)) !== 'done') return false;
  workspace.forget();
  return (await workspace.apply(older)) === 'done';
}

/** The undisturbed story. */
async function twin(workspace: Workspace, way: Way, trees: Trees): Promise<boolean> {
  if ((await workspace.apply(trees.newer)) !== 'done') return false;
  if (way === 'revert') return (await workspace.apply(trees.older)) === 'done';
  if (way === 'correct') return (await workspace.apply(trees.corrected)) === 'done';
  return true;
}

/** Plans and applies after the cuts. Returns what is wrong, or `told` if the plan names what is left. */
async function goOn(
  workspace: Workspace,
  way: Way,
  { trees, cuts }: { readonly trees: Trees; readonly cuts: readonly Cut[] },
): Promise<readonly string[] | 'told'> {
  const tree = { again: trees.newer, machine: trees.newer, revert: trees.older, correct: trees.corrected }[
    way === 'undo' ? 'revert' : way
  ];
  const machine = way === 'machine' ? 'elsewhere' : 'here';
  let plan: OrganizationPlan | undefined;
  try {
    plan =
      way === 'undo'
        ? (await workspace.planUndo()).planned.plan.organizations[0]
        : await workspace.plan(tree, machine);
  } catch (error) {
    if (error instanceof DiagnosticError) return [`STUCK: ${error.message}`];
    throw error;
  }
  if (plan === undefined) return ['STUCK: no plan'];
  const drift = driftIn(plan);
  const refused = plan.refusals.map(({ guard, address, message }) => `${guard} ${address} ${message}`);
  // Other requests in flight were not carried out.
  const isCarriedOut =
    cuts.length === 1 && cuts[0]?.how === 'after' && workspace.lastJournal().open.length === 1;
  const untrue = plan.notes.filter(({ message }) => isCarriedOut && message.includes('was not carried out'));
  const wrong = [
    ...untrue.map(({ message, address }) => `UNTRUE: ${address}: ${message}`),
    ...(drift.length > 0 ? [`DRIFT: ${drift.join(', ')}`] : []),
    ...(refused.length > 0 ? [`REFUSED: ${refused.join(', ')}`] : []),
  ];
  if (refused.length > 0) return wrong;
  // The same command leaves nothing over.
  const isAgain = way === 'again' || way === 'machine';
  const isTold =
    !isAgain && ((plan.leftovers ?? []).length > 0 || plan.notes.some(({ code }) => code === 'not-undone'));
  const ending = way === 'undo' ? await workspace.undo() : await workspace.apply(tree, { machine });
  if (ending !== 'done') return [...wrong, `STUCK: ${ending}: ${workspace.errors.join('; ')}`];
  if (isAgain && !workspace.isRecorded)
    return [...wrong, `STUCK: not recorded: ${JSON.stringify(plan.leftovers)}`];
  if (way !== 'undo') {
    const rest = await workspace.plan(tree, machine);
    if (rest.steps.length > 0)
      return [...wrong, `NOT EMPTY: ${rest.steps.map(({ kind, phase }) => `${kind}#${phase}`).join()}`];
    const stillLeft = new Set(rest.leftovers?.map(({ kind, id }) => `${kind} ${id}`));
    const forgotten = plan.leftovers?.filter(({ kind, id }) => !stillLeft.has(`${kind} ${id}`)) ?? [];
    if (forgotten.length > 0)
      return [...wrong, `FORGOTTEN: ${forgotten.map(({ address }) => address).join()}`];
  }
  return wrong.length > 0 ? wrong : isTold ? 'told' : [];
}

/** How stories went, by kind of ending. */
export const counts: Record<string, number> = {};
const count = (what: string) => {
  counts[what] = (counts[what] ?? 0) + 1;
};

/** A file for all that is wrong, instead of an error at the first. */
export const log = process.env.TWINS_LOG;

export async function story(
  form: Form,
  documents: Record<keyof Trees, object>,
  cut: Cut,
  way: Way,
  second?: Cut,
): Promise<readonly string[]> {
  const trees = await treesOf(documents);
  if (trees === undefined) return [];
  const [one, other] = [new Workspace(commitSeed, form), new Workspace(commitSeed, form)];
  try {
    if (!(await begin(one, trees)) || !(await begin(other, trees))) {
      count('no beginning');
      return [];
    }
    const before = await other.snapshot();
    let isUndisturbed = false;
    try {
      isUndisturbed = await twin(other, way, trees);
    } catch (error) {
      if (!(error instanceof DiagnosticError)) throw error;
    }
    if (!isUndisturbed) {
      count('refused without a cut');
      return [];
    }
    const ending = await one.apply(trees.newer, { cut });
    if (ending === 'done') {
      count('not cut');
      return [];
    }
    // An undo would undo the second run alone.
    const isTwice = second !== undefined && way !== 'undo';
    if (isTwice && (await one.apply(trees.newer, { cut: second })) === 'done') {
      count('not cut again');
      return [];
    }
    count(`${way} ${cut.how}${isTwice ? `, ${second.how}` : ''}`);
    const cuts = isTwice ? [cut, second] : [cut];
    const wrong = await goOn(one, way, { trees, cuts });
    if (wrong === 'told') {
      count(`told ${way}`);
      return [];
    }
    const wanted =
      way === 'undo' ? [before] : [await other.snapshot(), ...(way === 'revert' ? [before] : [])];
    const after = await one.snapshot();
    // A revision has a random id.
    const [different = []] = wanted
      .map((state) => differences(state, after).filter((path) => !path.endsWith('.revision')))
      .sort((left, right) => left.length - right.length);
    const all = [...wrong, ...(different.length === 0 ? [] : [`DIFFERENT: ${different.join(', ')}`])];
    if (all.length > 0 && log !== undefined)
      appendFileSync(
        log,
        `\n${form} ${way} ${cut.how} ${cut.at}: ${all.join('\n   ').slice(0, 1500)}\n   ${one.stepsOfLastCut}\n`,
      );
    for (const text of all) count(text.replace(/:.*/s, ''));
    return all;
  } finally {
    await one.close();
    await other.close();
  }
}
