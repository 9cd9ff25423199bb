/**
 * The exact requests of commands: each list once, and after an apply only changed lists. A different number
 * here must be a decision, not a side effect.
 */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Seed, type Service, startService } from '../../src/server/index.ts';
import { folder, octavo } from './octavo.ts';

const numbers = (count: number) => Array.from({ length: count }, (_, at) => at);
const sites = numbers(4);

const seed: Seed = {
  organizations: [
    {
      id: 'org_acme',
      title: 'Acme',
      members: numbers(40).map((at) => ({
        id: `user_${at}`,
        email: `p${at}@acme.dev`,
        displayName: `P ${at}`,
        role: 'read' as const,
      })),
      teams: numbers(3).map((at) => ({
        id: `team_${at}`,
        title: `Team ${at}`,
        members: { [`user_${at}`]: 'member' },
      })),
      spaces: numbers(3).map((at) => ({ id: `sp_${at}`, title: `Space ${at}` })),
      sites: sites.map((at) => ({
        id: `site_${at}`,
        title: `Site ${at}`,
        visibility: 'public',
        sections: [
          {
            id: `sect_${at}`,
            title: 'Guides',
            path: 'guides',
            default: true,
            spaces: [{ space: 'sp_0', path: 'main', default: true }],
          },
        ],
        shareLinks: [{ id: `link_${at}`, name: 'Partners' }],
      })),
    },
  ],
};

const people = 'members:\n  p0@acme.dev: { role: read }\n';
const teams = numbers(3)
  .map((at) => `  t${at}: { title: Team ${at}, members: { p${at}@acme.dev: member } }\n`)
  .join('');
const siteTexts = sites
  .map(
    (at) => `  s${at}:
    title: Site ${at}
    sections:
      guides: { title: Guides, path: guides, spaces: { main: { space: one, path: main } } }
    shareLinks: { partners: { name: Partners } }
`,
  )
  .join('');
const workspace = `octavo: 1
organization: { id: org_acme }
${people}spaces: { one: { id: sp_0 } }
teams:
${teams}sites:
${siteTexts}`;

/** The reads of each plan of the whole workspace. */
const whole = {
  'GET org': 1,
  'GET members': 1,
  'GET teams': 1,
  'GET teams/members': 3,
  // The lists of site-spaces include the space.
  'GET sites': 1,
  'GET sites/sections': 4,
  'GET sites/section-groups': 4,
  'GET sites/site-spaces': 4,
  'GET sites/share-links': 4,
};

const inSite = { 'GET sites/sections': 1, 'GET sites/section-groups': 1, 'GET sites/site-spaces': 1 };

let service: Service;
const requested: string[] = [];
beforeEach(async () => {
  service = await startService({ data: ':memory:', seed, log: (line) => requested.push(line) });
});
afterEach(() => service.close());

/** Lists expire, so on a slow machine they would be read again: slows down the clock. */
const began = Date.now();
const slowly = () => began + (Date.now() - began) / 100;

/** Runs a command on this workspace; returns the number of its requests by name, without ids. */
async function requestsOf(
  args: readonly string[],
  {
    text = workspace,
    first,
    input,
    now = slowly,
  }: {
    readonly text?: string;
    readonly first?: readonly string[];
    readonly input?: string;
    readonly now?: () => number;
  } = {},
): Promise<Readonly<Record<string, number>>> {
  const cwd = folder({ 'acme.yaml': text });
  const env = {
    OCTAVO_BASE_URL: service.url,
    OCTAVO_TOKEN: service.token,
    CI: '1',
  };
  const run = (words: readonly string[]) =>
    octavo(words, { cwd, env, now, ...(input === undefined ? {} : { input, isTerminal: true }) });
  if (first !== undefined) expect(await run(first)).toMatchObject({ code: 0 });
  requested.length = 0;
  const ran = await run(args);
  expect(ran).toMatchObject({ code: 0 });
  const sent = [...requested];
  const after = await run(['plan']);
  expect(after.stdout, args.includes('plan') ? '' : 'a plan after an apply').toContain(
    args.includes('plan') ? '' : 'No changes',
  );
  const counts: Record<string, number> = {};
  for (const line of sent) {
    const name = nameOf(line);
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
}

/** `GET /v1/orgs/org_acme/sites/site_1/sections?limit=1000 200 …` → `GET sites/sections`. */
function nameOf(line: string): string {
  const [method = '', target = ''] = line.split(' ');
  const [path = '', query = ''] = target.split('?');
  const parts = path.replace(/^\/v1\/(orgs\/org_acme\/?)?/, '').split('/');
  const name = parts.filter((_, at) => at % 2 === 0).join('/');
  return `${method} ${name === '' ? 'org' : name}${query.includes('search=') ? ' searched' : ''}`;
}

function plus(...parts: readonly Readonly<Record<string, number>>[]): Readonly<Record<string, number>> {
  const sum: Record<string, number> = {};
  for (const part of parts)
    for (const [name, count] of Object.entries(part)) sum[name] = (sum[name] ?? 0) + count;
  return sum;
}

const apply = ['apply', '--auto-approve'] as const;

describe('a plan', () => {
  test('reads each list once', async () => {
    expect(await requestsOf(['plan'])).toEqual(whole);
  });

  test('of one team reads only the teams and its members', async () => {
    expect(await requestsOf(['plan', '--target', 'teams/t1'])).toEqual({
      'GET org': 1,
      'GET teams': 1,
      'GET teams/members': 1,
    });
  });

  test('of one site does not read inside other sites', async () => {
    const reads = { 'GET org': 1, 'GET sites': 1, ...inSite, 'GET sites/share-links': 1 };
    expect(await requestsOf(['plan', '--target', 'sites/s1/**'])).toEqual(reads);
  });

  test('searches only for people who are not in a team that it reads', async () => {
    const added =
      '  t3: { title: Team 3, members: { p1@acme.dev: member, p2@acme.dev: owner, p7@acme.dev: member } }\n';
    const text = workspace.replace(people, '').replace('sites:\n', `${added}sites:\n`);
    const { 'GET members': _, ...rest } = whole;
    expect(await requestsOf(['plan'], { text })).toEqual({ ...rest, 'GET members searched': 1 });
  });

  test('lists all members once if many are to be found', async () => {
    const many = numbers(40)
      .map((at) => `p${at}@acme.dev: member`)
      .join(', ');
    const text = workspace
      .replace(people, '')
      .replace('sites:\n', `  t3: { title: All, members: { ${many} } }\nsites:\n`);
    expect(await requestsOf(['plan'], { text })).toEqual(whole);
  });
});

describe('an apply', () => {
  test('without changes reads each list once', async () => {
    expect(await requestsOf(apply)).toEqual(whole);
  });

  test('of a field reads no list again, since the response shows it', async () => {
    const text = workspace.replace('title: Guides, path', 'title: Guide, path');
    expect(text).not.toBe(workspace);
    expect(await requestsOf(apply, { text })).toEqual(plus(whole, { 'PATCH sites/sections': 1 }));
  });

  test('of a role reads the access of the person once, for the access changes in the plan', async () => {
    const text = workspace.replace('role: read', 'role: edit');
    const requested = { 'GET collections': 1, 'GET members/spaces': 1 };
    expect(await requestsOf(apply, { text })).toEqual(plus(whole, { ...requested, 'PATCH members': 1 }));
  });

  test('of a new team reads the teams and its members again', async () => {
    const text = workspace.replace(
      'sites:\n',
      '  t3: { title: New, members: { p0@acme.dev: owner } }\nsites:\n',
    );
    const more = { 'PUT teams': 1, 'PUT teams/members': 1, 'GET teams': 1, 'GET teams/members': 1 };
    expect(await requestsOf(apply, { text })).toEqual(plus(whole, more));
  });

  test('of a deleted team first reads its references, and then the teams again', async () => {
    const text = workspace
      .replace(/ {2}t2: .*\n/, '')
      .replace('members:', 'settings: { pruneKinds: { team: unlisted } }\nmembers:');
    // A later undo must know whether a SAML provider used this team as its default.
    const more = { 'DELETE teams': 1, 'GET teams': 1, 'GET saml': 1 };
    expect(await requestsOf(apply, { text })).toEqual(plus(whole, more));
  });

  test('of a share link reads the share links of its site again', async () => {
    const text = workspace.replace(
      'partners: { name: Partners }',
      'partners: { name: Partners }, press: { name: Press }',
    );
    const more = { 'POST sites/share-links': 1, 'GET sites/share-links': 1 };
    expect(await requestsOf(apply, { text })).toEqual(plus(whole, more));
  });

  test('of a section reads the structure of its site again', async () => {
    const text = workspace.replace(
      '    shareLinks',
      '      new: { title: New, path: new, spaces: { main: { space: one } } }\n    shareLinks',
    );
    const more = { 'POST sites/sections': 1, 'PATCH sites/sections': 1, ...inSite };
    expect(await requestsOf(apply, { text })).toEqual(plus(whole, more, { 'GET sites/site-spaces': 1 }));
  });
});

describe('an approval', () => {
  const added = workspace.replace(
    'sites:\n',
    '  t3: { title: New, members: { p1@acme.dev: member } }\nsites:\n',
  );

  test('at a prompt re-reads the changed objects and their dependencies', async () => {
    const sent = await requestsOf(['apply'], { text: added, input: 'yes\n' });
    // The organization, the teams, and the members, one of whom is added to the team.
    const more = { 'GET org': 1, 'GET teams': 1, 'GET members': 1 };
    const done = { 'PUT teams': 1, 'GET teams': 1, 'GET teams/members': 1 };
    expect(sent).toEqual(plus(whole, more, done));
  });

  test('of a saved plan reads the changed objects and their dependencies', async () => {
    const first = ['plan', '--out', 'saved.plan'];
    const text = workspace.replace('role: read', 'role: edit');
    expect(await requestsOf(['apply', 'saved.plan'], { text, first })).toEqual({
      'GET org': 1,
      'GET members': 1,
      'PATCH members': 1,
    });
    service.reset(seed);
    expect(await requestsOf(['apply', 'saved.plan'], { text: added, first })).toEqual({
      'GET org': 1,
      'GET teams': 2,
      'GET members searched': 1,
      'PUT teams': 1,
      'GET teams/members': 1,
    });
  });
});

test.each([
  ['one site', 1],
  ['four sites', 4],
])('forty new sections in %s are looked up in one list per site', async (_name, count) => {
  const each = 40 / count;
  const sections = numbers(each)
    .map(
      (at) =>
        `      x${at}: { title: X ${at}, path: x${at}, spaces: { main: { space: one, path: start } } }\n`,
    )
    .join('');
  const text = sites
    .slice(0, count)
    .reduce(
      (so, at) => so.replace(`  s${at}:\n    title: Site ${at}\n    sections:\n`, `$&${sections}`),
      workspace,
    );
  const sent = await requestsOf(apply, { text });
  // Read for the plan, for the ids of the new site-spaces, and after the changes.
  expect(sent['GET sites/site-spaces']).toBe(sites.length + 2 * count);
  expect(sent['POST sites/sections']).toBe(40);
  expect(sent['GET sites/sections']).toBe(sites.length + count);
});

test.each([
  ['an idle', 0],
  ['a busy', 1000],
])('a list is re-read after each hundred creates in it, on %s machine', async (_, step) => {
  let time = began;
  const now = () => {
    time += step;
    return time;
  };
  const more = numbers(250)
    .map((at) => `  x${at}: { title: X ${at} }\n`)
    .join('');
  const sent = await requestsOf(apply, { text: workspace.replace('teams:\n', `$&${more}`), now });
  expect(sent['PUT teams']).toBe(250);
  // Read for the plan, before the 101st and the 201st create, and after the changes.
  expect(sent['GET teams']).toBe(4);
});
