/**
 * How many requests commands send, compared with the minimum, which is calculated here from the manifests by separate rules. Counts
 * requests instead of measuring time, with one run each.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { count, type Findings, tell } from './support/findings.ts';
import { octavo, runNode } from './support/process.ts';
import { inFolder, type ServiceUnderTest, startBench } from './support/service.ts';
import { type Workspace, workspaceOf } from './support/workspace.ts';

type Line = Findings['lines'][number];
type Mapping = Readonly<Record<string, unknown>>;

/** A command and the minimum of its requests. */
interface Case {
  readonly name: string;
  readonly args: readonly string[];
  /** Edits the manifests before the run, like a user. */
  readonly edit?: readonly [from: string, to: string];
  /** Parts of the minimum, by purpose. */
  readonly least: Readonly<Record<string, number>>;
}

/** Page size of lists. */
const pageSize = 1000;

const tables: Findings[] = [];
for (const objects of [100, 1000, 10_000]) tables.push(await bench(objects));
tell('requests', tables);

async function bench(objects: number): Promise<Findings> {
  const workspace = workspaceOf(objects);
  const lines: Line[] = [];
  for (const one of casesOf(workspace)) {
    const service = await startBench(objects);
    try {
      lines.push(await inFolder(workspace.manifests, (folder) => run(one, { folder, service, workspace })));
    } finally {
      await service.stop();
    }
  }
  return {
    title: `Requests, ${count(workspace.objects)} objects`,
    about: 'Requests of a command against the smallest number for what the manifests declare.',
    lines,
  };
}

interface Scene {
  readonly folder: string;
  readonly service: ServiceUnderTest;
  readonly workspace: Workspace;
}

async function run({ name, args, edit, least }: Case, { folder, service, workspace }: Scene): Promise<Line> {
  if (edit !== undefined) {
    for (const [file, text] of workspace.manifests) {
      if (!text.includes(edit[0])) throw new Error(`${file} has no ${edit[0]}`);
      writeFileSync(join(folder, file), text.replace(...edit));
    }
  }
  const options = { cwd: folder, env: service.env };
  const isSaved = args.includes('saved.plan');
  if (isSaved) await runNode([octavo, 'plan', '--out', 'saved.plan'], options);
  await service.requests();
  const { output } = await runNode([octavo, ...args], options);
  if (!/No changes|Applied/.test(output)) throw new Error(`${args.join(' ')}:\n${output.slice(0, 2000)}`);
  const sent = await service.requests();
  const smallest = Object.values(least).reduce((sum, part) => sum + part, 0);
  return {
    name,
    values: {
      requests: count(sent.length),
      smallest: count(smallest),
      writes: count(sent.filter((line) => !line.startsWith('GET ')).length),
      'of which': Object.entries(least)
        .map(([part, number]) => `${count(number)} ${part}`)
        .join(', '),
    },
    ratio: sent.length / smallest,
    atMost: 1,
  };
}

function casesOf({ manifests }: Workspace): readonly Case[] {
  const declared = mapping(parse([...manifests.values()].join('\n')));
  const whole = readsOf(declared);
  const apply = ['apply', '--auto-approve'] as const;
  const role = ['person0@bench.example: { role: read }', 'person0@bench.example: { role: edit }'] as const;
  const team = [
    'teams:\n',
    'teams:\n  extra: { title: Extra, members: { person0@bench.example: member } }\n',
  ] as const;
  const section = [
    '    shareLinks:\n',
    '      extra: { title: Extra, path: extra, spaces: { main: { space: space-0-0, path: main } } }\n    shareLinks:\n',
  ] as const;
  return [
    { name: 'plan, no change', args: ['plan'], least: { 'each list once': whole } },
    {
      name: 'plan of one team',
      args: ['plan', '--target', 'teams/team-0'],
      least: { organization: 1, 'list of teams': 1, 'members of the team': 1 },
    },
    {
      name: 'plan of one site',
      args: ['plan', '--target', 'sites/site-0/**'],
      least: {
        organization: 1,
        'list of sites': 1,
        'lists of the site': 5,
        'spaces that it may show': 1 + Object.keys(mapping(declared.collections)).length,
      },
    },
    { name: 'apply, no change', args: apply, least: { 'each list once': whole } },
    {
      name: 'apply, a role',
      args: apply,
      edit: role,
      least: { 'each list once': whole, write: 1 },
    },
    {
      name: 'apply, a new team',
      args: apply,
      edit: team,
      least: { 'each list once': whole, write: 1, 'list of teams again': 1, 'its members': 1 },
    },
    {
      name: 'apply, a new section',
      args: apply,
      edit: section,
      least: {
        'each list once': whole,
        'writes: it, its path, that of its site-space': 3,
        'id of its site-space': 1,
        'sections, groups and site-spaces of the site again': 3,
      },
    },
    {
      name: 'saved plan, a role',
      args: ['apply', 'saved.plan'],
      edit: role,
      least: { organization: 1, 'list of members': pagesOf(declared.members), write: 1 },
    },
    {
      name: 'saved plan, a new team',
      args: ['apply', 'saved.plan'],
      edit: team,
      least: {
        organization: 1,
        'list of teams': 1,
        'who will be in it': 1,
        write: 1,
        'list of teams again': 1,
        'its members': 1,
      },
    },
  ];
}

/** Counts one request for each page of each list, one for each field that no list shows, and one for the organization. */
function readsOf(declared: Mapping): number {
  const teams = Object.values(mapping(declared.teams)).map(mapping);
  const collections = Object.values(mapping(declared.collections)).map(mapping);
  const sites = Object.values(mapping(declared.sites)).map(mapping);
  return (
    1 +
    pagesOf(declared.members) +
    pagesOf(declared.teams) +
    teams.reduce((sum, { members }) => sum + pagesOf(members), 0) +
    pagesOf(declared.collections) +
    collections.reduce((sum, { spaces }) => sum + pagesOf(spaces), 0) +
    pagesOf(declared.sites) +
    sites.reduce((sum, site) => sum + readsInside(site), 0)
  );
}

/** Sections, groups and site-spaces of a site are a list each; its share links are another; its schema is a single object. */
function readsInside({ sections, shareLinks, adaptiveSchema }: Mapping): number {
  const structure = sections === undefined ? 0 : 3;
  return structure + pagesOf(shareLinks) + (adaptiveSchema === undefined ? 0 : 1);
}

function pagesOf(collection: unknown): number {
  return collection === undefined
    ? 0
    : Math.max(1, Math.ceil(Object.keys(mapping(collection)).length / pageSize));
}

function mapping(value: unknown): Mapping {
  return (value ?? {}) as Mapping;
}
