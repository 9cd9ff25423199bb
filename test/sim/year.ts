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
  /** Days from today of the last day of a share link, or of a member of a team. */
  ends: fc.option(fc.record({ at: fc.nat(9), days: fc.integer({ min: -1, max: 2 }) }), { freq: 5 }),
  /** Of the entry that was changed last. */
  isSame: fc.boolean(),
});

export type SimEdit = typeof edits extends fc.Arbitrary<infer T> ? T : never;

const fault = fc.record({
  /** Part of the effects of the undisturbed run. */
  at: fc.integer({ min: 0, max: 99 }),
  how: fc.constantFrom<FaultKind>('before', 'after', 'after', ...faultKinds),
  /** The same command follows, here, on a new machine, or there once an operator removed the lock; or later work ends what the run began. */
  next: fc.constantFrom('again', 'machine', 'unlock', 'later', 'later', 'later'),
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
  { weight: 2, arbitrary: fc.record({ type: fc.constant('night' as const) }) },
  /** The record is gone from the remote, or someone pushed the one before it. */
  { weight: 1, arbitrary: fc.record({ type: fc.constant('lose' as const), isRewritten: fc.boolean() }) },
  /** Someone who may read less, and write nothing. */
  { weight: 1, arbitrary: fc.record({ type: fc.constant('reader' as const), applies: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('split' as const), who, at: fc.nat(3) }) },
);

/** What may differ while a run is cut: what people and undo see, and a value that is accepted. */
const apart: ReadonlySet<SimEvent['type']> = new Set(['app', 'undo', 'lose', 'accept']);
/** What depends on the runs that there were. */
const knowing: ReadonlySet<SimEvent['type']> = new Set(['undo', 'lose']);
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
  /** A run was cut, and the state may differ from the twin's until the next run is complete. */
  let isBehind = false;
  let wasEverBehind = false;
  const forgetTwin = async () => {
    await twin?.close();
    twin = undefined;
  };
  const count = (what: string) => {
    counts[what] = (counts[what] ?? 0) + 1;
  };
  const lived = (wrong: readonly string[]): Lived => ({
    wrong,
    story: team.world.story,
    outputs: team.world.outputs,
    counts: { ...counts, ended: team.world.outputs.filter((text) => text.includes('ended on')).length },
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
      const open = undisturbed === undefined ? [at % 12] : placesOf(undisturbed.effects, at);
      const isHit = isFaulty && open.length > 0 && (how !== 'hold' || year.hasLock);
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
        // A machine that is gone has taken its journal along.
        if (next === 'later' && one.type === 'apply' && !one.isFresh) isBehind = true;
        else if (next === 'later') await forgetTwin();
        else {
          const wrong = await team.again(one, {
            isOther: next !== 'again',
            unlocks: next === 'unlock',
            // What the twin refuses may already have failed here.
            wanted: isBehind ? undefined : undisturbed?.code,
          });
          if (wrong.length > 0) return lived(wrong);
        }
      }
      if (team.isForgotten || (team.wasHit && (isBehind ? apart : knowing).has(one.type))) await forgetTwin();
      const isWhole = one.type === 'apply' && result.code === 0 && one.late === 0;
      const wasBehind = isBehind;
      if (isWhole && !result.isHit) isBehind = false;
      if (twin === undefined || isBehind || !(wasBehind || result.isHit)) continue;
      if (wasBehind && undisturbed?.code !== 0) {
        await forgetTwin();
        continue;
      }
      wasEverBehind ||= wasBehind;
      const differing = await differencesOf(twin, team, wasEverBehind);
      if (differing.length > 0) return lived([`DIFFERENT from the twin: ${differing.join(', ')}`]);
    }
    const end = await team.settle();
    if (end.wrong.length > 0 || twin === undefined) return lived(end.wrong);
    const twins = await twin.settle();
    if (isBehind && (end.code !== 0 || twins.code !== 0)) return lived([]);
    const differing = await differencesOf(twin, team, wasEverBehind || isBehind);
    return lived(
      differing.length === 0 ? [] : [`DIFFERENT from the twin at the end: ${differing.join(', ')}`],
    );
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

/**
 * A revision has a random id. Where one of them skipped a version, values of site-spaces that no one declares may differ, since the
 * service derives a path from the space; and so may which of them is managed.
 */
async function differencesOf(twin: Team, team: Team, hasSkipped: boolean): Promise<readonly string[]> {
  const states = [await twin.world.snapshot(), await team.world.snapshot()] as const;
  const some = twin.leavesOutSiteSpaces || team.leavesOutSiteSpaces ? '' : '\\.';
  const isOwn = new RegExp(`\\.siteSpaces${some}`);
  return differences(...states).filter(
    (path) => !path.endsWith('.revision') && !(hasSkipped && isOwn.test(path)),
  );
}
