/** `until` in manifests: where it may be written, its forms and mistakes, and what rules can require of it. */
import { expect, test } from 'vitest';
import { stringify } from 'yaml';
import { registry } from '../../src/kinds/index.ts';
import { loadWorkspace } from '../../src/manifest/load-workspace.ts';
import { judging } from '../../src/run/rules/load-rules.ts';
import type { DesiredTree } from '../../src/tree/desired-tree.ts';
import { rulesIn } from '../rules/judged.ts';
import { onlyTree, startHarness } from '../support/harness.ts';
import { memoryFiles } from '../support/memory-files.ts';

async function load(
  texts: Readonly<Record<string, string>>,
  options: { now?: string; overlays?: string[] } = {},
) {
  const { now = '2027-01-20', overlays = [] } = options;
  const files = Object.entries(texts).map(([name, text]) => [`/workspace/${name}`, text] as const);
  const workspace = await loadWorkspace({
    ...{ paths: [], overlays, env: { END: '2027-01-31' }, cwd: '/workspace', purpose: 'check', registry },
    files: memoryFiles(Object.fromEntries(files)),
    now: Date.parse(now),
  });
  const diagnostics = workspace.diagnostics.map(
    ({ severity, message, at, suggestion }) =>
      `${severity} ${at?.line}:${at?.column} ${message} → ${suggestion}`,
  );
  return { workspace, diagnostics };
}

const head = 'octavo: 1\norganization: org_acme\n';
const team = (...members: string[]) =>
  `${head}teams:\n  docs:\n    title: Docs\n    members:\n${members.map((one) => `      ${one}\n`).join('')}`;
const membersIn = (tree: DesiredTree) => tree.get('teams/docs')?.fields.members;

test.each([
  ['members', team('ada@x.dev: owner', 'bob@x.dev: { role: member, until: 2027-01-31 }')],
  ['a quoted day', team('ada@x.dev: owner', 'bob@x.dev: { role: member, until: "2027-01-31" }')],
  ['a variable', team('ada@x.dev: owner', 'bob@x.dev: { role: member, until: "${env:END}" }')],
  [
    'a list that adds',
    team('add:', '  ada@x.dev: owner', '  bob@x.dev: { role: member, until: 2027-01-31 }'),
  ],
])('is read: %s', async (_what, text) => {
  const there = (await load({ 'a.yaml': text }, { now: '2027-01-31T23:59:59Z' })).workspace;
  expect(membersIn(onlyTree(there))).toEqual({ 'ada@x.dev': 'owner', 'bob@x.dev': 'member' });
  const over = await load({ 'a.yaml': text }, { now: '2027-02-01' });
  expect(membersIn(onlyTree(over.workspace))).toEqual({ 'ada@x.dev': 'owner' });
  expect(over.diagnostics.join()).toMatch(
    /^warning \d+:\d+ members.bob@x.dev ended on 2027-01-31: it counts as removed → remove the entry, or write a later day$/,
  );
});

test('overlays, templates and included files can write it', async () => {
  const base = team('ada@x.dev: owner', 'bob@x.dev: member');
  const overlay = `overlay: short\n${head}teams: { docs: { members: { bob@x.dev: { role: member, until: 2027-01-19 } } } }\n`;
  const short = await load({ 'a.yaml': base, 'b.yaml': overlay }, { overlays: ['short'] });
  expect(membersIn(onlyTree(short.workspace))).toEqual({ 'ada@x.dev': 'owner' });
  const lifted = `overlay: long\n${head}teams: { docs: { members: { bob@x.dev: member } } }\n`;
  const ending = team('ada@x.dev: owner', 'bob@x.dev: { role: member, until: 2027-01-19 }');
  const long = await load({ 'a.yaml': ending, 'b.yaml': lifted }, { overlays: ['long'] });
  expect(membersIn(onlyTree(long.workspace))).toEqual({ 'ada@x.dev': 'owner', 'bob@x.dev': 'member' });
  const included = `${head}teams: { docs: { title: Docs, members: "\${yaml:people.txt}" } }\n`;
  const people = 'ada@x.dev: owner\nbob: { role: member, until: 2027-01-19 }\n';
  const other = await load({ 'a.yaml': included, 'people.txt': people });
  expect(membersIn(onlyTree(other.workspace))).toEqual({ 'ada@x.dev': 'owner' });
  const template = `${head}templates:
  link: { inputs: { end: { type: string } }, shareLink: { name: Press, until: "\${input:end}" } }
sites:
  hub:
    title: Hub
    shareLinks:
      over: { use: link, with: { end: 2027-01-19 } }
      open: { use: link, with: { end: 2027-01-20 } }
`;
  const made = await load({ 'a.yaml': template });
  expect([...onlyTree(made.workspace).nodes.keys()]).toEqual([
    'organization',
    'sites/hub',
    'sites/hub/shareLinks/open',
  ]);
});

test.each([
  [
    team('bob@x.dev: { until: 2027-01-31 }'),
    'members.bob@x.dev has no role → write bob@x.dev: { role: …, until: 2027-01-31 }',
  ],
  [
    team('until@x.dev: { role: member }'),
    'members.until@x.dev has no until → write until@x.dev: { role: …, until: ',
  ],
  [
    team('bob@x.dev: { role: member, untill: 2027-01-31 }'),
    'unknown key "untill" in members.bob@x.dev → did you mean until?',
  ],
  [team('bob@x.dev: { role: member, until: 31.1.2027 }'), 'until of members.bob@x.dev is not a day →'],
  [team('bob@x.dev: { role: member, until: 2027-02-30 }'), 'until of members.bob@x.dev is not a day →'],
  [team('bob@x.dev: { role: member, until: 2027 }'), 'until of members.bob@x.dev is not a day →'],
  [team('bob@x.dev: { role: member, until: null }'), 'until of members.bob@x.dev is not a day →'],
  [
    team('bob@x.dev: { role: boss, until: 2027-03-31 }'),
    'unknown value "boss" of "bob@x.dev" in members → use one of owner, member',
  ],
  [
    `${head}sites: { hub: { title: Hub, shareLinks: { press: { name: P, until: soon } } } }\n`,
    'until is not a day →',
  ],
  [`${head}sites: { hub: { title: Hub, until: 2027-01-31 } }\n`, 'unknown key "until" in a site →'],
])('is refused at its line: %s', async (text, message) => {
  const { diagnostics } = await load({ 'a.yaml': text });
  expect(diagnostics).toHaveLength(1);
  expect(diagnostics[0]).toMatch(/^error \d+:\d+ /);
  expect(diagnostics[0]).toContain(message);
});

test('is announced for the last 14 days', async () => {
  const text = team('bob@x.dev: { role: member, until: 2027-01-31 }');
  const on = async (now: string) => (await load({ 'a.yaml': text }, { now })).diagnostics.join();
  expect(await on('2027-01-16')).toBe('');
  expect(await on('2027-01-17')).toContain('members.bob@x.dev ends on 2027-01-31, in 14 days →');
  expect(await on('2027-01-30')).toContain('members.bob@x.dev ends on 2027-01-31, in 1 day →');
  expect(await on('2027-01-31')).toContain('members.bob@x.dev ends on 2027-01-31, today →');
});

const newer = await startHarness(undefined, undefined, '2026');

/** Names of the rules that refuse the second state; the first is applied before. */
async function refusing(rules: string, ...states: readonly object[]) {
  const read = await rulesIn(`rules:\n  ends:\n    message: access ends\n    ${rules}\n`);
  expect(read.diagnostics).toEqual([]);
  const trees = await Promise.all(
    states.map(async (state) => {
      const text = stringify({
        octavo: 1,
        organization: 'org_acme',
        settings: { protect: ['!**'] },
        ...state,
      });
      return onlyTree((await load({ 'a.yaml': text })).workspace);
    }),
  );
  const [before, after] = trees;
  if (before === undefined || after === undefined) throw new Error('two states');
  newer.reset();
  await newer.apply(before, await newer.plan(before));
  const { ids: recorded } = await newer.plan(before);
  const plan = await newer.plan(after, { recorded, base: before, rules: judging(after, read, undefined) });
  return plan.refusals.map(({ rule, address, steps }) => [rule, address, steps.length > 0]);
}

const space = (members: object) => ({ spaces: { guide: { id: 'sp_guide', access: { members } } } });
const [ben, cyd] = ['bob@acme.dev', 'cyd@acme.dev'];
const end = { level: 'admin', until: '2027-12-31' };

test('rules require a last day of what a change gives, extends or raises', async () => {
  const rule = 'when: { gains: admin }\n    require: { after: { until: "2027-*" } }';
  const none = space({});
  const guide = 'spaces/guide';
  expect(await refusing(rule, none, space({ [ben]: 'admin' }))).toEqual([['ends', guide, true]]);
  expect(await refusing(rule, none, space({ [ben]: end }))).toEqual([]);
  expect(await refusing(rule, none, space({ [ben]: { ...end, until: '2028-01-01' } }))).toEqual([
    ['ends', guide, true],
  ]);
  expect(await refusing(rule, none, space({ [ben]: 'edit' }))).toEqual([]);
  // What others have already is not given by the change.
  expect(await refusing(rule, space({ [ben]: 'admin' }), space({ [ben]: 'admin', [cyd]: end }))).toEqual([]);
  // Without a last day, or with a later one, it is given again, though no request is sent.
  expect(await refusing(rule, space({ [ben]: end }), space({ [ben]: 'admin' }))).toEqual([
    ['ends', guide, false],
  ]);
  expect(
    await refusing(rule, space({ [ben]: end }), space({ [ben]: { ...end, until: '2027-06-30' } })),
  ).toEqual([]);
});

test('rules require it of share links and members, and reject kinds that have none', async () => {
  const hub = (link: object) => ({
    sites: { hub: { title: 'Hub', shareLinks: { press: { name: 'Press', ...link } } } },
  });
  const links = 'when: { kind: shareLink }\n    require: { after: { until: { not: null } } }';
  expect(await refusing(links, { sites: { hub: { title: 'Hub', shareLinks: {} } } }, hub({}))).toEqual([
    ['ends', 'sites/hub/shareLinks/press', true],
  ]);
  const until = { until: '2027-12-31' };
  expect(await refusing(links, { sites: { hub: { title: 'Hub', shareLinks: {} } } }, hub(until))).toEqual([]);
  const docs = (members: object) => ({ teams: { docs: { title: 'Docs', members } } });
  const teams = 'when: { kind: team }\n    require: { after: { until: { not: null } } }';
  expect(await refusing(teams, docs({}), docs({ [ben]: 'member' }))).toEqual([['ends', 'teams/docs', true]]);
  expect(await refusing(teams, docs({}), docs({ [ben]: { role: 'member', ...until } }))).toEqual([]);
  const read = await rulesIn(
    'rules: { ends: { message: m, when: { kind: customField }, require: { after: { until: "2027-*" } } } }\n',
  );
  expect(read.diagnostics.map(({ message }) => message)).toEqual(['a custom field has no field "until"']);
});
