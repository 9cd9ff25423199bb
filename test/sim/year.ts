/**
 * A year of a team: authors, pipelines, a person in the app and an operator, one event after the other, and what must be so after
 * each. A run with a fault has a twin, the same year without it: both are in the same state once the run was repeated.
 */
import fc from 'fast-check';
import type { Form } from '../../src/contract/form.ts';
import { edit, others, swapping } from '../support/commit-edits.ts';
import { commits } from '../support/commits.ts';
import { differences } from '../support/snapshot.ts';
import { combinations } from '../support/variants.ts';
import { type FaultKind, faultKinds } from './process.ts';
import { Team } from './team.ts';

const who = fc.constantFrom('ada', 'ada', 'bob');
/** Changes of one file; `replace` shows another space in a site. */
const edits = fc.record({
  who,
  file: fc.nat(2),
  changes: fc.array(edit([...swapping, ...others]), { minLength: 1, maxLength: 3 }),
  replace: fc.option(fc.nat(20), { freq: 4 }),
});

export type SimEdit = typeof edits extends fc.Arbitrary<infer T> ? T : never;

const fault = fc.record({
  /** Part of the effects of the undisturbed run. */
  at: fc.integer({ min: 0, max: 99 }),
  how: fc.constantFrom<FaultKind>('before', 'after', 'after', ...faultKinds),
  next: fc.constantFrom('again', 'again', 'machine', 'none'),
});

const event = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ type: fc.constant('edit' as const), edits, pushes: fc.boolean() }),
  },
  {
    weight: 10,
    arbitrary: fc.record({
      type: fc.constant('apply' as const),
      /** Pushed before. */
      edits,
      late: fc.constant(0),
      isFresh: fc.boolean(),
      fault,
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      type: fc.constant('apply' as const),
      edits: fc.option(edits, { freq: 2, nil: undefined }),
      late: fc.constantFrom(0, 0, 1),
      isFresh: fc.boolean(),
      fault: fc.constant(undefined),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ type: fc.constant('revert' as const), who, back: fc.constantFrom(0, 0, 0, 1, 2) }),
  },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('rebase' as const), who }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('plan' as const), who }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('mv' as const), who, at: fc.nat(5) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      type: fc.constant('app' as const),
      what: fc.constantFrom('rename', 'rename', 'delete', 'create', 'condition'),
      at: fc.nat(8),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      type: fc.constant('accept' as const),
      who,
      what: fc.constantFrom('--accept', '--accept', '--pin'),
    }),
  },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('undo' as const) }) },
  /** The record is gone from the remote. */
  { weight: 1, arbitrary: fc.record({ type: fc.constant('lose' as const) }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('split' as const), who, at: fc.nat(3) }) },
);

const loud: ReadonlySet<SimEvent['type']> = new Set(['app', 'undo', 'lose']);

export type SimEvent = typeof event extends fc.Arbitrary<infer T> ? T : never;

export const years = fc
  .record({
    form: fc.constantFrom<Form>('document', 'document', '2026'),
    commits,
    /** The service reads the document differently. */
    reading: combinations,
    /** Machines share a lock. */
    hasLock: fc.boolean(),
    /** Someone works past git: in the app, or takes runs back. */
    isQuiet: fc.boolean(),
    /** Minutes that the clocks of jobs are ahead or behind, in turn. */
    skew: fc.constantFrom(0, 0, 5, 90),
    events: fc.array(event, { minLength: 4, maxLength: 25, size: 'max' }),
  })
  // A failure prints its story instead.
  .map((year) => ({ ...year, [fc.toStringMethod]: () => 'the story below' }));

export type Year = typeof years extends fc.Arbitrary<infer T> ? T : never;

/** How a year went, for the counts of a test. */
export interface Lived {
  readonly wrong: readonly string[];
  /** What happened, as shell. */
  readonly story: readonly string[];
  readonly counts: Readonly<Record<string, number>>;
  readonly outputs: readonly string[];
}

export async function live(year: Year): Promise<Lived> {
  const team = new Team(year);
  const hasFaults = year.events.some((one) => one.type === 'apply' && one.fault !== undefined);
  let twin = hasFaults ? new Team(year) : undefined;
  const counts: Record<string, number> = {};
  const count = (what: string) => {
    counts[what] = (counts[what] ?? 0) + 1;
  };
  const lived = (wrong: readonly string[]): Lived => ({
    wrong,
    story: team.world.story,
    outputs: team.world.outputs,
    counts,
  });
  try {
    const begun = await team.begin();
    if (begun === undefined || begun.length > 0) return lived(begun ?? []);
    count('begun');
    await twin?.begin();
    const events = year.events.filter(({ type }) => !year.isQuiet || !loud.has(type));
    for (const [index, one] of events.entries()) {
      for (const each of [team, twin])
        if (each !== undefined) each.isUndoneNext = events[index + 1]?.type === 'undo';
      const undisturbed = await twin?.live(one, undefined);
      const isFaulty = one.type === 'apply' && one.fault !== undefined;
      const { at, how, next } = (isFaulty ? one.fault : undefined) ?? {
        at: 0,
        how: 'hold' as const,
        next: 'again',
      };
      const open = undisturbed === undefined ? [] : placesOf(undisturbed.effects, at);
      const isHit = isFaulty && twin !== undefined && open.length > 0 && (how !== 'hold' || year.hasLock);
      const result = await team.live(
        one,
        isHit ? { at: open[Math.floor((at * open.length) / 100)] ?? 0, how } : undefined,
      );
      count(one.type);
      if (one.type === 'apply') count(`apply ended ${result.code}`);
      if (result.wrong.length > 0) return lived(result.wrong);
      if (undisturbed !== undefined && undisturbed.wrong.length > 0)
        return lived(undisturbed.wrong.map((text) => `in the twin: ${text}`));
      if (result.isHit) {
        count(`${how} ${next}`);
        if (next === 'none') {
          await twin?.close();
          twin = undefined;
        } else {
          const wrong = await team.again(one, {
            isOther: next === 'machine',
            wanted: undisturbed?.code ?? 0,
          });
          if (wrong.length > 0) return lived(wrong);
        }
      }
      if (one.type === 'undo' && team.wasHit) {
        await twin?.close();
        twin = undefined;
      }
      if (twin === undefined || !result.isHit) continue;
      const apart = await differencesOf(twin, team);
      if (apart.length > 0) return lived([`DIFFERENT from the twin: ${apart.join(', ')}`]);
    }
    const wrong = await team.settle();
    if (wrong.length > 0 || twin === undefined) return lived(wrong);
    await twin.settle();
    const apart = await differencesOf(twin, team);
    return lived(apart.length === 0 ? [] : [`DIFFERENT from the twin at the end: ${apart.join(', ')}`]);
  } finally {
    await team.close();
    await twin?.close();
  }
}

/** Most faults meet requests to the service and what stands between them; locks have many effects, and few faults. */
function placesOf(effects: readonly string[], at: number): readonly number[] {
  const isMeant = [
    (name: string) => name.includes(' /v1/'),
    (name: string) => name.includes(' /v1/'),
    (name: string) => name.includes(' /v1/') || name.startsWith('journal'),
    (name: string) => !name.includes('/locks/'),
    () => true,
  ][at % 5];
  const meant = effects.flatMap((name, index) => (isMeant?.(name) === true ? [index] : []));
  return meant.length > 0 ? meant : effects.map((_name, index) => index);
}

/** A revision has a random id. */
async function differencesOf(twin: Team, team: Team): Promise<readonly string[]> {
  const states = [await twin.world.snapshot(), await team.world.snapshot()] as const;
  return differences(...states).filter((path) => !path.endsWith('.revision'));
}
