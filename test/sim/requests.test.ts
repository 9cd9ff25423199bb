/** Stories of requests that were found in years, each told once. */
import { describe, expect, test } from 'vitest';
import type { Document } from '../support/arbitrary.ts';
import { some } from '../support/runs.ts';
import { Requests } from './requests.ts';
import type { RequestEvent } from './year-requests.ts';

const section = (title: string, path: string, space: string) => ({
  title,
  path,
  spaces: { main: { space, path: 'one' } },
});
const document = {
  octavo: 1,
  organization: 'org_acme',
  spaces: {
    g1: { id: 'sp_g1', title: 'Guide' },
    g2: { id: 'sp_g2', title: 'Reference' },
    g3: { id: 'sp_g3', title: 'Recipes' },
  },
  collections: {},
  teams: { a: { title: 'Red' }, b: { title: 'Blue' } },
  sites: {
    docs: {
      title: 'Docs',
      type: 'basic',
      visibility: 'unlisted',
      sections: {
        one: section('First', 'p', 'g1'),
        two: section('Second', 'q', 'g2'),
        three: section('Third', 'r', 'g3'),
      },
    },
  },
} as Document;

/** Requests of a new team, and how each of its events ended. */
async function story<T>(
  tell: (does: (event: RequestEvent) => Promise<number | 'killed'>, team: Requests) => Promise<T>,
): Promise<T> {
  const commits = { live: document, older: document, newer: document };
  const team = new Requests({
    form: 'document',
    commits,
    reading: { variants: {} },
    isQuiet: true,
    events: [],
  } as never);
  try {
    expect(await team.begin()).toBe(true);
    return await tell(async (event) => {
      const { wrong, code } = await team.live(event, undefined);
      expect(wrong, team.world.outputs.at(-1)).toEqual([]);
      return code;
    }, team);
  } finally {
    await team.close();
  }
}

const planned = { isPlanned: true, isMerge: true } as const;
const grows = (who: 'ada' | 'bob', first: number): RequestEvent => ({
  ...{ type: 'open', who, ...planned },
  edits: { file: 1, changes: [{ type: 'grow', list: 0, first }] },
});
const merges = (at: number): RequestEvent => ({ type: 'merge', at, isSquash: false });
const job = (at: number, follows = false): RequestEvent => ({ type: 'job', at, fault: undefined, follows });

describe('three requests that add a section each to one site, merged in quick order', () => {
  test.each(some(['012', '021', '102', '120', '201', '210', '02', '12', '2', '22']))(
    'end with all sections if their jobs run in the order %s',
    async (order) => {
      await story(async (does, team) => {
        for (const [at, who] of (['ada', 'bob', 'ada'] as const).entries())
          expect(await does(grows(who, at)), team.world.outputs.at(-1)).toBe(0);
        for (const at of [2, 1, 0]) await does(merges(at));
        expect(team.counts).toEqual({ merged: 3 });
        for (const at of order) expect(await does(job(2 - Number(at))), team.world.outputs.at(-1)).toBe(0);
        expect((await team.settle()).wrong).toEqual([]);
      });
    },
  );
});

test('a request that was planned before the job of an earlier one is applied after what the error says', async () => {
  await story(async (does, team) => {
    const renames = (value: 'Docs' | 'Help'): RequestEvent => ({
      ...{ type: 'open', who: 'ada', ...planned },
      edits: {
        file: 0,
        changes: [{ type: 'set', list: 0, first: 0, second: 0, field: 'title', value }],
      },
    });
    await does(renames('Docs'));
    await does(merges(0));
    expect(await does(renames('Help'))).toBe(0);
    expect(await does(job(0))).toBe(0);
    await does(merges(0));
    expect(await does(job(0))).toBe(1);
    expect(team.world.outputs.at(-1)?.replace(/\s+/g, ' ')).toContain(
      'nothing was applied: run the plan job of request 21 again, and then the job of the last commit',
    );
    expect(await does(job(0, true)), team.world.outputs.at(-1)).toBe(0);
    expect((await team.settle()).wrong).toEqual([]);
  });
});
