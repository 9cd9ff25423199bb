/** Stories that random years told, as short as they can be. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { GitError } from '../../src/manifest/files/repository.ts';
import { commitSeed } from '../support/commits.ts';
import { stepsOf } from './oracle.ts';
import { organization, type Place, type RunChoices, World } from './world.ts';

let world: World;
let ada: Place;
beforeEach(() => {
  world = new World(commitSeed, { form: 'document', variants: {} });
  ada = world.place('ada');
});
afterEach(() => world.close());

const by = { author: { name: 'ada', email: 'ada@acme.dev' }, time: '2026-03-02T09:00:00Z' };

function textOf(...teams: readonly (readonly [string, string])[]): string {
  const entries = teams.map(([key, title]) => `  ${key}:\n    title: ${title}\n`);
  return `octavo: 1\norganization: ${organization}\n${teams.length === 0 ? '' : `teams:\n${entries.join('')}`}`;
}

function commit(...teams: readonly (readonly [string, string])[]): void {
  ada.repository.write(new Map([['docs/acme.yaml', textOf(...teams)]]));
  ada.repository.commit('Edit', by);
  ada.repository.push();
}

async function apply(place: Place, choices: RunChoices = {}): Promise<void> {
  place.repository.fetchBranches();
  place.repository.checkout(place.repository.resolve('origin/main') ?? '');
  const ran = await world.run(place, ['apply', '-f', 'docs', '--auto-approve', '--record'], choices);
  expect(ran.code, ran.stderr).toBe(0);
}

async function planned(place: Place) {
  const ran = await world.run(place, ['plan', '-f', 'docs']);
  expect(ran.code).toBe(0);
  return { steps: stepsOf(ran).map(({ address, action }) => `${action} ${address}`), text: ran.stderr };
}

test.each(['here', 'only in the remote'])(
  'mv of an entry that is recorded %s, and has another title since: plans find it',
  async (where) => {
    commit(['a', 'Blue']);
    await apply(ada);
    commit(['a', 'Green']);
    const place = where === 'here' ? ada : world.place('bob');
    expect((await world.run(place, ['mv', 'teams/a', 'teams/b', '-f', 'docs'])).code).toBe(0);
    expect((await planned(place)).steps).toEqual(['update teams/b']);
  },
);

test('mv of an entry that was never applied: it needs no former name', async () => {
  commit(['a', 'Blue']);
  expect((await world.run(ada, ['mv', 'teams/a', 'teams/b', '-f', 'docs'])).code).toBe(0);
  expect((await planned(ada)).steps).toEqual(['create teams/b']);
});

test('a run that a clock ahead named is recorded for good, whatever others record later', async () => {
  commit(['a', 'Blue']);
  await apply(world.place('ahead'), { clockError: 5_400_000 });
  commit();
  await apply(world.place('runner'));
  commit(['c', 'Red']);
  await apply(world.place('runner'));
  for (const name of ['ahead', 'runner']) {
    const place = world.place(name);
    place.repository.fetchBranches();
    place.repository.checkout(place.repository.resolve('origin/main') ?? '');
    expect(await planned(place)).toEqual({ steps: [], text: '' });
  }
});

test('where the record is lost, the next one holds for all runs that were complete before, whatever their clocks', async () => {
  commit(['a', 'Blue']);
  await apply(world.place('ahead'), { clockError: 5_400_000 });
  const { api } = world.service;
  const teams = await api.all('teams.list', { params: { organizationId: organization } });
  const teamId = String(
    (teams as readonly { id: string; title: string }[]).find(({ title }) => title === 'Blue')?.id,
  );
  await api.send('teams.update', {
    params: { organizationId: organization, teamId },
    body: { title: 'Plum' },
  });
  await world.remote.setRef(`refs/octavo/applied/${organization}`, undefined);
  commit(['a', 'Blue'], ['b', 'Red']);
  await apply(world.place('runner'));
  expect((await planned(world.place('runner'))).steps).toEqual([]);
});

test('undo of a cut run restores nothing that a later run deleted', async () => {
  const remove = async (choices: RunChoices = {}) => {
    commit(['a', 'Blue'], ['b', 'Red']);
    await apply(ada);
    commit(['b', 'Red']);
    return world.run(ada, ['apply', '-f', 'docs', '--auto-approve', '--record'], choices);
  };
  const { effects } = await remove();
  const at = effects.findIndex((effect) => effect.startsWith('DELETE '));
  await world.close();
  world = new World(commitSeed, { form: 'document', variants: {} });
  ada = world.place('ada');
  expect((await remove({ fault: { at, how: 'before' } })).code).toBe('killed');
  const { text } = await planned(ada);
  const [cut = ''] = /r-\w+-\w+/.exec(text) ?? [];
  commit(['b', 'Plum']);
  await apply(ada);
  const undo = await world.run(ada, ['undo', cut, '--auto-approve', '--format', 'json']);
  expect(stepsOf(undo)).toEqual([]);
  expect((await planned(ada)).steps).toEqual([]);
});

/** Manifests with teams and sections by key, as YAML in one line. */
function commitText(text: string): void {
  ada.repository.write(new Map([['docs/acme.yaml', `octavo: 1\norganization: ${organization}\n${text}`]]));
  ada.repository.commit('Edit', by);
  ada.repository.push();
}

const section = (key: string, title: string, more = '') =>
  `${key}: { title: ${title}, ${more}spaces: { m: { space: ${key}m } } }`;
const site = (sections: string) =>
  `spaces: { sm: { id: sp_g1 }, tm: { id: sp_g2 } }\nsites: { hub: { title: Hub, sections: { ${sections} } } }\n`;

test.each([
  {
    what: 'a rename with another title',
    before: 'teams: { a: { title: Blue } }\n',
    after: 'teams: { b: { title: Green, was: a } }\n',
    steps: ['update teams/a'],
  },
  {
    what: 'a rename of two in turn',
    before: 'teams: { a: { title: Blue }, b: { title: Red } }\n',
    after: 'teams: { c: { title: Green, was: a }, d: { title: Pink, was: b } }\n',
    steps: ['update teams/a', 'update teams/b'],
  },
  {
    what: 'a section that moved into a group and got another title',
    before: site(`${section('s', 'One')}, g: { title: Group, sections: { ${section('t', 'Two')} } }`),
    after: site(
      `g: { title: Group, sections: { ${section('t', 'Two')}, ${section('u', 'Three', 'was: sites/hub/sections/s, ').replace('um', 'sm')} } }`,
    ),
    steps: ['move sites/hub/sections/g', 'update sites/hub/sections/s'],
  },
  {
    what: 'a site with another key and title, and what is in it',
    before: site(section('s', 'One')),
    after: site(section('s', 'One')).replace('hub: { title: Hub', 'home: { title: Home, was: hub'),
    steps: ['update sites/hub'],
  },
  {
    what: 'an entry that was deleted',
    before: 'teams: { a: { title: Blue } }\n',
    after: 'teams: {}\n',
    steps: ['create teams/a'],
  },
])('a revert needs no former name: $what', async ({ before, after, steps }) => {
  commitText(before);
  await apply(ada);
  commitText(after);
  await apply(ada);
  commitText(before);
  for (const place of [ada, world.place('bob')]) {
    place.repository.fetchBranches();
    place.repository.checkout(place.repository.resolve('origin/main') ?? '');
    const { steps: now, text } = await planned(place);
    expect([...new Set(now)].sort(), text).toEqual(steps);
    expect(text).not.toContain('deleted in the app');
  }
  await apply(ada);
  expect((await planned(ada)).steps).toEqual([]);
});

test('a new entry at the former address of another one is new while that is declared', async () => {
  commitText('teams: { a: { title: Blue } }\n');
  await apply(ada);
  commitText('teams: { b: { title: Green, was: a } }\n');
  await apply(ada);
  commitText('teams: { a: { title: Blue }, b: { title: Green } }\n');
  expect((await planned(ada)).steps).toEqual(['create teams/a']);
});

test('a revert is planned without former records if git cannot read them', async () => {
  commitText('teams: { a: { title: Blue } }\n');
  await apply(ada);
  commitText('teams: { b: { title: Green, was: a } }\n');
  await apply(ada);
  commitText('teams: { a: { title: Blue } }\n');
  const { repository } = ada;
  const commits = repository.commits.bind(repository);
  repository.commits = async (range) => {
    if (range.most === 50) throw new GitError('a record is missing');
    return commits(range);
  };
  expect((await planned(ada)).steps.sort()).toEqual(['create teams/a', 'delete teams/b']);
});

test('a cut replacement whose path another entry takes is continued, wherever it was cut', async () => {
  const spaces = 'spaces: { one: { id: sp_g1 }, two: { id: sp_g2 }, three: { id: sp_g3 } }\n';
  const site = (o: string, n: string) =>
    `${spaces}sites: { hub: { title: Hub, spaces: { o: { ${o} }, n: { ${n} } } } }\n`;
  const begin = async () => {
    await world.close();
    world = new World(commitSeed, { form: 'document', variants: {} });
    ada = world.place('ada');
    commitText(site('space: one, path: first', 'space: two, path: second'));
    await apply(ada);
    // Another space makes another site-space; the former one's path is free for the neighbour.
    commitText(site('space: three, path: second', 'space: two, path: first'));
  };
  const args = ['apply', '-f', 'docs', '--auto-approve', '--record'];
  await begin();
  const { effects, code } = await world.run(ada, args);
  expect(code).toBe(0);
  const writes = effects.flatMap((effect, at) => (/^(?:POST|PATCH|DELETE|PUT) /.test(effect) ? [at] : []));
  expect(writes.length).toBeGreaterThan(3);
  for (const at of writes)
    for (const how of ['before', 'after'] as const) {
      await begin();
      expect((await world.run(ada, args, { fault: { at, how } })).code).toBe('killed');
      await apply(ada);
      expect((await planned(ada)).steps, `${how} ${effects[at]}`).toEqual([]);
    }
});
