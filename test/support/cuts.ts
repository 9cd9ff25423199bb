/**
 * Cuts a plan after each of its requests: on a copy of the service, the apply is killed after the service carried out the request and
 * before its response arrives, when the journal knows least. The next apply continues with that journal, and must end where the whole
 * one does.
 */
import type { Api } from '../../src/contract/api.ts';
import { operations } from '../../src/contract/index.ts';
import { registry } from '../../src/kinds/index.ts';
import { readJournal } from '../../src/past/journal/read-journal.ts';
import { knownOf } from '../../src/past/record/known.ts';
import { standingRefusals } from '../../src/plan/plan.ts';
import { runApply } from '../../src/run/apply-run.ts';
import { asApproved } from '../../src/run/approval/approval.ts';
import { type PlanInputs, type PlanRun, planAll } from '../../src/run/planning.ts';
import type { LoggedRead } from '../../src/run/rehearse/read-log.ts';
import type { StageMaker } from '../../src/run/rehearse/rehearse.ts';
import { sameField } from '../../src/tree/difference.ts';
import type { LiveNode } from '../../src/tree/live.ts';
import { noOwnWork } from '../../src/tree/own-work.ts';
import { grouped } from '../../src/util/group.ts';
import { MemoryJournals } from '../sim/memory-journals.ts';

export interface CutPlan {
  readonly planned: PlanRun;
  readonly reads: readonly LoggedRead[];
  readonly makeStage: StageMaker;
  readonly now: () => Date;
  /** The next apply does not know the journal, as on a machine whose clock is late. */
  readonly forgets?: boolean | undefined;
}

/** What differs after each cut, with the last operation before it; empty for a plan that may be cut anywhere. */
export async function differencesOfCuts(plan: CutPlan): Promise<readonly string[]> {
  if (plan.planned.plan.organizations.every(({ steps }) => steps.length === 0)) return [];
  const whole = await ended(plan, Number.POSITIVE_INFINITY);
  const different: string[] = [];
  for (let at = 0; at < whole.writes.length; at += 1) {
    const problems = differences(plan, whole.again, (await ended(plan, at)).again);
    different.push(...problems.map((problem) => `after ${whole.writes[at]}: ${problem}`));
  }
  return different;
}

interface Ended {
  readonly writes: readonly string[];
  /** The plan after the last apply, or why there is none. */
  readonly again: PlanRun | string;
}

async function ended({ planned, reads, makeStage, now, forgets }: CutPlan, at: number): Promise<Ended> {
  const { plan, inputs } = planned;
  const calls = plan.organizations.flatMap(({ steps }) => steps.flatMap((step) => step.calls));
  const stage = await makeStage({ reads, calls });
  const source = { api: stage.api, registry, sleep: () => Promise.resolve() };
  const { api, cut, writes } = cutAfter(stage.api, at);
  const { memory: _memory, ...forgetful } = planned;
  const store = new MemoryJournals();
  const run = 'r-0-00000000';
  const about = { run, command: 'apply', version: '0', host: '', process: { pid: 1 }, service: '' };
  const options = { parallelism: 1, locked: { now: () => 0 } } as const;
  const journal = { ...about, store, now };
  const applied = runApply({ ...source, api }, asApproved(forgetful), { ...options, journal }, noCommit);
  await Promise.race([cut, applied]);
  const died = { ...readJournal(store, run), isOver: true };
  const runs = new Map(plan.organizations.map(({ label }) => [label, [died]]));
  const unfinished = { runs, died: [], pending: new Map(), restored: [] };
  const trees = inputs.trees.map((tree) => tree.with({ id: plan.organizations[0]?.organizationId ?? '' }));
  const learned = await knownOf({} as Parameters<typeof knownOf>[0], trees, new Map(), unfinished);
  const known = new Map(
    [...learned].map(([label, { own = noOwnWork, pending = [] }]) => {
      const before = inputs.known?.get(label);
      return [label, { ...before, own, pending: [...(before?.pending ?? []), ...pending] }];
    }),
  );
  const next = { ...inputs, trees, known: forgets === true ? inputs.known : known };
  try {
    const again = await settled(source, next);
    return { writes, again };
  } finally {
    await stage.close();
  }
}

const noCommit = () => Promise.resolve(undefined);

async function settled(source: Parameters<typeof planAll>[0], inputs: PlanInputs): Promise<PlanRun | string> {
  const planned = await planAll(source, inputs);
  const refused = standingRefusals(planned.plan).map(({ address, message }) => `${address} ${message}`);
  if (refused.length > 0) return `refused: ${refused.join('; ')}`;
  const result = await runApply(source, asApproved(planned), { locked: { now: () => 0 } }, noCommit);
  const made = result.organizations.map(({ label, made: ids }) => [label, ids] as const);
  const known = new Map(
    made.map(([label, ids]) => {
      const { knownIds = [], ...before } = inputs.known?.get(label) ?? {};
      return [label, { ...before, knownIds: new Map([...knownIds, ...ids]) }];
    }),
  );
  const again = await planAll(source, { ...inputs, known });
  const left = again.plan.organizations.flatMap(({ steps }) => steps.map(({ id }) => id));
  return left.length === 0 ? again : `still differs: ${left.join(', ')}`;
}

/** Notes the requests that change something. After the one with this index, nothing is answered. */
function cutAfter(api: Api, last: number) {
  const writes: string[] = [];
  let cutNow = () => {};
  const cut = new Promise<void>((done) => {
    cutNow = done;
  });
  const never = new Promise<never>(() => undefined);
  const cutting: Api = {
    all: (operation, input) => (writes.length > last ? never : api.all(operation, input)),
    send: async (operation, input) => {
      if (writes.length > last) return never;
      if (operations[operation].method !== 'GET') writes.push(operation);
      const answer = await api.send(operation, input);
      if (writes.length <= last) return answer;
      cutNow();
      return never;
    },
  };
  return { api: cutting, cut, writes };
}

/** Objects and fields that two ends do not have alike. New ids differ, so addresses or kinds stand for them. */
function differences({ planned }: CutPlan, whole: Ended['again'], other: Ended['again']): readonly string[] {
  if (typeof whole === 'string') throw new Error(whole);
  if (typeof other === 'string') return [other];
  const lives = [...(planned.lives ?? [])];
  const before = new Set(lives.flatMap(([, live]) => live.nodes().map(({ id }) => id)));
  const [ours, theirs] = [objectsIn(whole, before), objectsIn(other, before)];
  return [...new Set([...ours.keys(), ...theirs.keys()])].flatMap((name) => {
    const [wanted, found] = [ours.get(name) ?? [], theirs.get(name) ?? []];
    if (wanted.length !== found.length) return [`${name}: ${found.length} instead of ${wanted.length}`];
    const others = wanted.flatMap(({ kind, fields }, at) =>
      Object.entries(registry.byName(kind).fields).flatMap(([field, rule]) => {
        const [left = null, right = null] = [fields[field], found[at]?.fields[field]].map(
          (value) => value ?? rule.absent ?? null,
        );
        return sameField(rule, left, right) && sameField(rule, right, left) ? [] : [field];
      }),
    );
    return others.length === 0 ? [] : [`${name}: other ${others.join(', ')}`];
  });
}

function objectsIn({ plan, lives }: PlanRun, before: ReadonlySet<string>) {
  const all = plan.organizations.flatMap(({ label, ids }) => {
    const nodes = lives?.get(label)?.nodes() ?? [];
    const names = new Map(nodes.map(({ kind, id }) => [id, `new ${kind}`]));
    for (const [address, id] of Object.entries(ids)) names.set(id, address);
    for (const id of before) names.delete(id);
    return nodes.map(({ kind, id, container, fields }) => {
      const text = JSON.stringify({ kind, id, within: container.id, fields });
      const named = text.replace(/"((?:[^"\\]|\\.)*)"/g, (quoted, value: string) =>
        names.has(value) ? JSON.stringify(names.get(value)) : quoted,
      );
      return JSON.parse(named) as Pick<LiveNode, 'kind' | 'id' | 'fields'> & { readonly within: string };
    });
  });
  return grouped(all, ({ kind, id, within }) => `${kind} ${id} in ${within}`);
}
