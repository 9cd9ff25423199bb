/** An organization of 50,000 objects of many kinds, as a seed. */
import type { Seed } from '../../src/server/index.ts';

/** Number of objects of each kind; half of the spaces are at the root, the others in collections. */
export const crowd = {
  members: 15_000,
  spaces: 20_000,
  collections: 500,
  sites: 3_000,
  siteSpaces: 9_000,
  teams: 1_500,
  specifications: 500,
};

const each = <T>(count: number, make: (at: number) => T): T[] =>
  Array.from({ length: count }, (_, at) => make(at));

/** Organization `org_crowd`, with ids that end in numbers: `sp_0`, `col_0`, `site_0`, `user_0`, `team_0`. */
export function crowdedSeed(): Seed {
  const rooted = crowd.spaces / 2;
  const perCollection = (crowd.spaces - rooted) / crowd.collections;
  const perSite = crowd.siteSpaces / crowd.sites;
  const space = (at: number) => ({
    id: `sp_${at}`,
    title: `Space ${at}`,
    ...(at % 50 === 0 ? { defaultLevel: null } : {}),
  });
  return {
    organizations: [
      {
        id: 'org_crowd',
        title: 'Crowd',
        members: each(crowd.members, (at) => ({
          id: `user_${at}`,
          email: `person${at}@crowd.example`,
          displayName: `Person ${at}`,
          role: at % 10 === 0 ? ('edit' as const) : ('read' as const),
        })),
        teams: each(crowd.teams, (at) => ({
          id: `team_${at}`,
          title: `Team ${at}`,
          members: Object.fromEntries(
            each(5, (n) => [`user_${(at * 7 + n) % crowd.members}`, 'member' as const]),
          ),
        })),
        openapi: each(crowd.specifications, (at) => ({
          slug: `spec-${at}`,
          versions: [{ openapi: '3.1.0' }],
        })),
        spaces: each(rooted, space),
        collections: each(crowd.collections, (at) => ({
          type: 'collection' as const,
          id: `col_${at}`,
          title: `Collection ${at}`,
          ...(at % 25 === 0 ? { defaultLevel: null } : {}),
          spaces: each(perCollection, (n) => space(rooted + at * perCollection + n)),
        })),
        sites: each(crowd.sites, (at) => ({
          id: `site_${at}`,
          title: `Site ${at}`,
          published: at % 2 === 0,
          spaces: each(perSite, (n) => ({ space: `sp_${(at * perSite + n) % crowd.spaces}` })),
        })),
      },
    ],
  };
}
