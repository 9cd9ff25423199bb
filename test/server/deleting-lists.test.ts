/** Reading a page, deleting its items and reading the next page: every list returns each item once. */
import { afterAll, beforeEach, expect, test } from 'vitest';
import type { Seed } from '../../src/server/index.ts';
import { startInMemory } from './call.ts';

const numbers = Array.from({ length: 12 }, (_none, at) => at);
const space = (name: string) => (at: number) => ({
  id: `sp_${name}_${at}`,
  title: `Needle ${name} ${at}`,
  pages: [{ title: `Needle ${at}`, markdown: 'needle' }],
});
const seed: Seed = {
  organizations: [
    {
      id: 'org_a',
      title: 'Acme',
      members: [
        { id: 'user_ada', email: 'ada@acme.dev', role: 'read', token: 'ada' },
        { id: 'user_owner', email: 'owner@octavo.example', role: 'admin' },
      ],
      teams: numbers.map((at) => ({
        id: `team_${at}`,
        title: `Team ${at}`,
        members: { 'ada@acme.dev': 'member' as const },
      })),
      collections: [
        { type: 'collection', id: 'col_full', title: 'Full', spaces: numbers.map(space('in')) },
        ...numbers.map((at) => ({
          type: 'collection' as const,
          id: `col_${at}`,
          title: `C ${at}`,
          collections: [{ type: 'collection' as const, id: `col_${at}_in`, title: `Inner ${at}` }],
        })),
      ],
      spaces: [
        ...numbers.map(space('out')),
        {
          id: 'sp_talk',
          title: 'Talk',
          changeRequests: [
            {
              id: 'cr',
              subject: 'Talk',
              comments: numbers.map((at) => ({
                id: `com_${at}`,
                markdown: `${at}`,
                replies: numbers.map((reply) => ({ id: `rep_${at}_${reply}`, markdown: `${reply}` })),
              })),
            },
          ],
        },
      ],
      sites: [
        {
          id: 'site_sections',
          title: 'Sections',
          sections: [
            { id: 'sect_stays', title: 'Stays', spaces: [{ space: 'sp_talk' }] },
            ...numbers.map((at) => ({
              id: `sgrp_${at}`,
              title: `G ${at}`,
              sections: [0, 1].map((inner) => ({
                id: `sect_${at}_${inner}`,
                title: `S ${at} ${inner}`,
                spaces: [{ space: 'sp_talk' }],
              })),
            })),
          ],
        },
        {
          id: 'site_plain',
          title: 'Plain',
          spaces: [
            { space: 'sp_talk' },
            ...numbers.map((at) => ({ id: `entry_${at}`, space: `sp_in_${at}` })),
          ],
        },
      ],
    },
  ],
};

const { service, call } = await startInMemory(seed);
beforeEach(() => service.reset(seed));
afterAll(() => service.close());

const org = '/v1/orgs/org_a';
const sections = `${org}/sites/site_sections/sections`;
const groups = `${org}/sites/site_sections/section-groups`;
const entries = `${org}/sites/site_plain/site-spaces`;
const comments = '/v1/spaces/sp_talk/change-requests/cr/comments';
const teams = `${org}/members/user_ada/teams`;

interface Item {
  readonly id?: string;
  readonly space?: { readonly id: string };
  readonly team?: { readonly id: string };
}

const idOf = ({ id, space: held, team }: Item) => id ?? team?.id ?? held?.id ?? '';

test.each([
  ['collections', `${org}/collections?`, (id: string) => `/v1/collections/${id}`],
  ['spaces of a collection', '/v1/collections/col_full/spaces?', (id: string) => `/v1/spaces/${id}`],
  ['sections', `${sections}?`, (id: string) => (id === 'sect_stays' ? null : `${sections}/${id}`)],
  ['groups', `${groups}?`, (id: string) => `${groups}/${id}`],
  ['site-spaces', `${entries}?default=false&`, (id: string) => `${entries}/${id}`],
  ['comments, newest first', `${comments}?`, (id: string) => `${comments}/${id}`],
  ['comments', `${comments}?order=asc&`, (id: string) => `${comments}/${id}`],
  ["a member's spaces", `${org}/members/user_ada/spaces?`, (id: string) => `/v1/spaces/${id}`],
  [
    "a member's spaces, last first",
    `${org}/members/user_ada/spaces?order=desc&`,
    (id: string) => `/v1/spaces/${id}`,
  ],
  ["a member's teams", `${teams}?`, (id: string) => `${org}/teams/${id}`],
  ['the search', `${org}/search?query=needle&`, (id: string) => `/v1/spaces/${id}`],
] as const)(
  'returns each item once if shown items are deleted between pages: %s',
  async (_name, path, addressOf) => {
    const whole = (await call('GET', `${path}limit=1000`)).body.items.map(idOf);
    expect(whole.length).toBeGreaterThanOrEqual(12);
    for (const limit of [1, 5]) {
      if (limit > 1) service.reset(seed);
      const seen: string[] = [];
      for (let page = ''; ; ) {
        const { body } = await call('GET', `${path}limit=${limit}${page}`);
        for (const id of body.items.map(idOf)) {
          // The contents of a deleted collection are deleted, too.
          seen.push(id);
          const address = addressOf(id);
          const { status } = address === null ? { status: 205 } : await call('DELETE', address);
          if (!/^col_\d+_in$/.test(id)) expect(status, id).toBeLessThan(210);
        }
        if (body.next === undefined) break;
        page = `&page=${body.next.page}`;
      }
      const gone = (id: string) => /^col_\d+_in$/.test(id) && !seen.includes(id);
      expect(seen).toEqual(whole.filter((id: string) => !gone(id)));
    }
  },
);

test('splits nested lists into pages in the order of the whole list', async () => {
  for (const path of [
    `${org}/collections?`,
    `${org}/collections?nested=false&`,
    `${sections}?`,
    `${groups}?`,
  ]) {
    const whole = (await call('GET', `${path}limit=1000`)).body.items.map(idOf);
    for (const limit of [1, 2, 7]) {
      const seen: string[] = [];
      for (let page = ''; ; ) {
        const { body } = await call('GET', `${path}limit=${limit}${page}`);
        seen.push(...body.items.map(idOf));
        if (body.next === undefined) break;
        page = `&page=${body.next.page}`;
      }
      expect(seen).toEqual(whole);
    }
  }
});
