/** A year of requests: what happens, in which order, and what must be so at its end. */
import fc from 'fast-check';
import type { Form } from '../../src/contract/form.ts';
import { edit, others, swapping } from '../support/commit-edits.ts';
import { commits } from '../support/commits.ts';
import { combinations } from '../support/variants.ts';
import { type FaultKind, faultKinds } from './process.ts';
import { Requests } from './requests.ts';
import type { Lived } from './year.ts';

const who = fc.constantFrom('ada', 'bob');
const edits = fc.record({
  file: fc.nat(2),
  changes: fc.array(
    fc.oneof(
      { weight: 2, arbitrary: edit([...swapping, ...others]) },
      { weight: 1, arbitrary: edit(['set']).map((one) => ({ ...one, first: 0 })) },
      {
        weight: 2,
        arbitrary: fc.record({ type: fc.constant('grow' as const), list: fc.nat(5), first: fc.nat(3) }),
      },
    ),
    { minLength: 1, maxLength: 2 },
  ),
});
const fault = fc.option(
  fc.record({
    at: fc.integer({ min: 0, max: 60 }),
    how: fc.constantFrom<FaultKind>('before', 'after', ...faultKinds),
  }),
  { freq: 2, nil: undefined },
);
/** Most plan jobs run, and most check out the merge. */
const isPlanned = fc.constantFrom(true, true, true, true, false);
const isMerge = fc.constantFrom(true, true, false);
const at = fc.nat(3);
const one = <T extends string>(type: T) => ({ type: fc.constant(type) });

const event = fc.oneof(
  { weight: 12, arbitrary: fc.record({ ...one('open'), who, edits, isPlanned, isMerge }) },
  { weight: 2, arbitrary: fc.record({ ...one('push'), at, who, edits, isPlanned }) },
  { weight: 3, arbitrary: fc.record({ ...one('plan'), at, isMerge, fault }) },
  { weight: 8, arbitrary: fc.record({ ...one('merge'), at, isSquash: fc.boolean() }) },
  /** Follows what errors say, at once. */
  { weight: 7, arbitrary: fc.record({ ...one('job'), at, fault, follows: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ ...one('direct'), who, edits }) },
  { weight: 1, arbitrary: fc.record({ ...one('drift'), accepts: fc.boolean() }) },
  {
    weight: 1,
    arbitrary: fc.record({
      ...one('app'),
      what: fc.constantFrom('rename' as const, 'create' as const),
      at: fc.nat(8),
    }),
  },
);

export type RequestEvent = typeof event extends fc.Arbitrary<infer T> ? T : never;

export const requestYears = fc
  .record({
    form: fc.constantFrom<Form>('document', 'document', '2026'),
    commits,
    reading: combinations,
    /** No one changes anything in the app, or pushes past requests. */
    isQuiet: fc.boolean(),
    events: fc.array(event, { minLength: 10, maxLength: 30, size: 'max' }),
  })
  // A failure prints its story instead.
  .map((year) => ({ ...year, [fc.toStringMethod]: () => 'the story below' }));

export type RequestYear = typeof requestYears extends fc.Arbitrary<infer T> ? T : never;

const loud: ReadonlySet<RequestEvent['type']> = new Set(['app', 'direct']);

export async function liveRequests(year: RequestYear): Promise<Lived> {
  const team = new Requests(year);
  const counts: Record<string, number> = {};
  const count = (what: string, number = 1) => {
    counts[what] = (counts[what] ?? 0) + number;
  };
  const { story, outputs } = team.world;
  try {
    if (!(await team.begin())) return { wrong: [], story, outputs, counts };
    count('begun');
    for (const event of year.events.filter(({ type }) => !year.isQuiet || !loud.has(type))) {
      const { wrong, isHit, code } = await team.live(event, 'fault' in event ? event.fault : undefined);
      count(event.type);
      if (event.type === 'job') count(`job ended ${code}`);
      if (isHit) count('cut');
      if (wrong.length > 0) return { wrong, story, outputs, counts };
    }
    const end = await team.settle();
    for (const [what, number] of Object.entries(team.counts)) count(what, number);
    return { wrong: end.wrong, story, outputs, counts };
  } finally {
    await team.close();
  }
}

/** Leaves out events as long as the year breaks a law, and tells the rest in shell. */
export async function shortestOf(year: RequestYear, lived: Lived): Promise<string> {
  let shortest = { year, lived };
  for (let at = year.events.length - 1; at >= 0; at -= 1) {
    const events = shortest.year.events.filter((_event, index) => index !== at);
    const shorter = { ...shortest.year, events };
    const again = await liveRequests(shorter);
    if (again.wrong.length > 0) shortest = { year: shorter, lived: again };
  }
  const { wrong, story } = shortest.lived;
  return [...wrong, '', '# For each person and job: a clone of one remote', ...story].join('\n');
}
