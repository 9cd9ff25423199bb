/** A very large organization, as a seed. */
import type { Seed } from '../../src/server/index.ts';

/** Organization `org_large`, with the given number of sites and members, and 2,000 pages. */
export function largeSeed(sites: number, members: number): Seed {
  const words = ['Developer', 'Partner', 'Internal', 'Status', 'Release'];
  return {
    organizations: [
      {
        id: 'org_large',
        title: 'Large',
        spaces: Array.from({ length: 50 }, (_, at) => ({
          id: `sp_${at}`,
          title: `Space ${at}`,
          pages: Array.from({ length: 40 }, (_, page) => ({
            title: `Page ${page}`,
            markdown: `# Page ${page}\n\nHow the guide number ${at * 40 + page} explains what to do.`,
          })),
        })),
        sites: Array.from({ length: sites }, (_, at) => ({
          id: `site_${at}`,
          title: `${words[at % words.length]} Hub ${at}`,
          published: at % 2 === 0,
          ...(at % 100 === 0 ? { spaces: [{ space: `sp_${(at / 100) % 50}` }] } : {}),
        })),
        members: Array.from({ length: members }, (_, at) => ({
          id: `user_${at}`,
          email: `person${at}@large.example`,
          displayName: `Person ${at % 100} Number ${at}`,
          role: at % 10 === 0 ? ('edit' as const) : ('read' as const),
          joinedAt: new Date(Date.UTC(2020, 0, 1) + at * 60_000).toISOString(),
        })),
      },
    ],
  };
}
