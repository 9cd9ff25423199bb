/**
 * A workspace with about the given number of objects, in two forms: as a seed of the embedded service, and as the manifests that declare
 * exactly that.
 */
import type { Seed } from '../../src/server/index.ts';
import { push } from '../../src/util/group.ts';

/** A workspace that is live and declared alike, so that its plan is empty. */
export interface Workspace {
  readonly seed: Seed;
  /** Texts by file name. */
  readonly manifests: ReadonlyMap<string, string>;
  /** Number of objects in the manifests. */
  readonly objects: number;
  readonly sites: number;
}

/** The organization of each workspace. */
export const organization = 'org_bench';

const perSite = { sections: 12, spaces: 5, members: 3 };
/** Includes the site's collection and spaces, site, sections, site-spaces, group, share link, schema, members and team. */
const objectsPerSite = 6 + 1 + 3 * perSite.sections + 3 + perSite.members + 1;
/** The last sections of a site are in a group. */
const grouped = 3;
const teamSize = 10;

const each = <T>(count: number, make: (at: number) => T): T[] =>
  Array.from({ length: count }, (_, at) => make(at));

const email = (at: number) => `person${at}@bench.example`;
const spaceId = (site: number, at: number) => `sp_${site}_${at}`;

/**
 * Sites with twelve sections of two site-spaces each, a group, a share link and an adaptive schema; a collection of five spaces, three
 * people and a team for each. The sections of all sites have the same titles, which reveals quadratic algorithms.
 */
export function workspaceOf(objects: number, files = 1): Workspace {
  const sites = Math.max(1, Math.round(objects / objectsPerSite));
  const pieces = each(sites, (site) => Object.entries(piecesOf(site, sites))).flat();
  const count = Math.min(files, pieces.length);
  const manifests = new Map<string, string>();
  for (let file = 0; file < count; file += 1) {
    const from = Math.floor((file * pieces.length) / count);
    const to = Math.floor(((file + 1) * pieces.length) / count);
    manifests.set(`part-${file}.yaml`, manifestOf(pieces.slice(from, to)));
  }
  return { seed: seedOf(sites), manifests, objects: sites * objectsPerSite, sites };
}

/** A single file: each collection once, with all its entries. */
function manifestOf(pieces: readonly (readonly [collection: string, text: string])[]): string {
  const texts = new Map<string, string[]>();
  for (const [name, text] of pieces) push(texts, name, text);
  const parts = [...texts].map(([name, entries]) => `${name}:\n${entries.join('')}`);
  return `octavo: 1\norganization: { id: ${organization} }\n${parts.join('')}`;
}

/** Objects of a site, by the collection of the manifest that contains them. */
function piecesOf(site: number, sites: number): Readonly<Record<string, string>> {
  const people = membersOf(site, sites);
  return {
    members: each(perSite.members, (at) => `  ${email(site * perSite.members + at)}: { role: read }\n`).join(
      '',
    ),
    teams: `  team-${site}:\n    title: Team ${site}\n    members:\n${people.map((one) => `      ${one}: member\n`).join('')}`,
    collections:
      `  books-${site}:\n    title: Books ${site}\n    spaces:\n` +
      each(
        perSite.spaces,
        (at) => `      space-${site}-${at}: { id: ${spaceId(site, at)}, title: Space ${site} ${at} }\n`,
      ).join(''),
    sites: siteText(site),
  };
}

function siteText(site: number): string {
  const section = (at: number, indent: string) =>
    `${indent}section-${at}:\n` +
    `${indent}  title: Section ${at}\n` +
    `${indent}  path: section-${at}\n` +
    `${indent}  icon: book\n` +
    `${indent}  description: What stands in section ${at}\n` +
    `${indent}  spaces:\n` +
    `${indent}    first: { space: space-${site}-${at % perSite.spaces}, path: first }\n` +
    `${indent}    second: { space: space-${site}-${(at + 1) % perSite.spaces}, path: second }\n` +
    `${indent}  default: first\n`;
  const loose = perSite.sections - grouped;
  return (
    `  site-${site}:\n    title: Site ${site}\n    visibility: public\n    default: section-0\n    sections:\n` +
    each(loose, (at) => section(at, '      ')).join('') +
    '      more:\n        title: More\n        sections:\n' +
    each(grouped, (at) => section(loose + at, '          ')).join('') +
    '    shareLinks:\n      partners: { name: Partners, active: true }\n' +
    `    adaptiveSchema: ${JSON.stringify(schemaOf())}\n`
  );
}

function schemaOf(): Record<string, unknown> {
  return {
    type: 'object',
    properties: {
      unsigned: {
        type: 'object',
        properties: { beta: { type: 'boolean', description: 'Sees what is new' } },
        additionalProperties: false,
      },
    },
    additionalProperties: false,
  };
}

/** The people of a team: neighbors, so that each is in a few teams. */
function membersOf(team: number, sites: number): readonly string[] {
  const people = sites * perSite.members;
  return each(Math.min(teamSize, people), (at) => email((team * perSite.members + at) % people));
}

function seedOf(sites: number): Seed {
  const section = (site: number, at: number) => ({
    id: `sect_${site}_${at}`,
    title: `Section ${at}`,
    path: `section-${at}`,
    icon: 'book',
    description: `What stands in section ${at}`,
    default: at === 0,
    spaces: [
      { space: spaceId(site, at % perSite.spaces), path: 'first', default: true },
      { space: spaceId(site, (at + 1) % perSite.spaces), path: 'second' },
    ],
  });
  const loose = perSite.sections - grouped;
  return {
    organizations: [
      {
        id: organization,
        title: 'Bench',
        members: each(sites * perSite.members, (at) => ({
          id: `user_${at}`,
          email: email(at),
          displayName: `Person ${at}`,
          role: 'read' as const,
        })),
        teams: each(sites, (at) => ({
          id: `team_${at}`,
          title: `Team ${at}`,
          members: Object.fromEntries(membersOf(at, sites).map((one) => [one, 'member' as const])),
        })),
        collections: each(sites, (site) => ({
          type: 'collection' as const,
          id: `col_${site}`,
          title: `Books ${site}`,
          spaces: each(perSite.spaces, (at) => ({ id: spaceId(site, at), title: `Space ${site} ${at}` })),
        })),
        sites: each(sites, (site) => ({
          id: `site_${site}`,
          title: `Site ${site}`,
          sections: [
            ...each(loose, (at) => section(site, at)),
            {
              id: `group_${site}`,
              title: 'More',
              sections: each(grouped, (at) => section(site, loose + at)),
            },
          ],
          shareLinks: [{ id: `share_${site}`, name: 'Partners', active: true }],
          adaptiveSchema: schemaOf(),
        })),
      },
    ],
  };
}

/** An organization with only teams. */
export function teamsSeed(count: number): Seed {
  const teams = each(count, (at) => ({ id: `team_${at}`, title: `Circle ${at}` }));
  return { organizations: [{ id: organization, title: 'Bench', teams }] };
}

/** Manifests with a number of other teams. */
export function newTeams(count: number): Workspace['manifests'] {
  const teams = each(count, (at) => `  crew-${at}: { title: Crew ${at} }\n`).join('');
  return new Map([['teams.yaml', `octavo: 1\norganization: { id: ${organization} }\nteams:\n${teams}`]]);
}
