/** `octavo history <address>`: who changed an object, a field, or one entry of a field, from git alone. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { git, initRepository } from './git.ts';
import { folder, octavo } from './octavo.ts';
import { served } from './served.ts';

const [ada, ben] = ['ada@acme.dev', 'ben@acme.dev'];
const day = 24 * 60 * 60 * 1000;

async function startWorkspace() {
  const member = (email: string) => ({ email, displayName: email, role: 'admin' as const });
  const { env: of, send } = await served({
    seed: {
      organizations: ['org_acme', 'org_globex'].map((id) => ({
        id,
        title: id,
        members: [ada, ben].map(member),
      })),
    },
  });
  const cwd = folder({});
  initRepository(cwd);
  let days = 0;
  const variables: Record<string, string> = {};
  const run = (...args: readonly string[]) => {
    const env = { ...of, ...variables };
    return octavo(args, { cwd, env, now: () => Date.UTC(2026, 0, 1) + days * day });
  };
  const commit = (subject: string, sections: string, organization = 'org_acme') => {
    const text = `octavo: 1\norganization: ${organization}\nsettings: { protect: ["!**"] }\n${sections}`;
    writeFileSync(join(cwd, 'acme.yaml'), text);
    git(cwd, 'add', 'acme.yaml');
    git(cwd, 'commit', '--quiet', '--allow-empty', '--message', subject);
  };
  const apply = async (...args: readonly string[]) => {
    days += 1;
    const applied = await run('apply', '--auto-approve', '--record=none', ...args);
    expect([applied.code, applied.stderr]).toEqual([0, expect.anything()]);
  };
  const rename = async (title: string) => {
    const { items } = await send('GET', 'orgs/org_acme/teams');
    await send('PATCH', `orgs/org_acme/teams/${items[0].id}`, { title });
  };
  const history = async (name: string) => {
    const { stdout, stderr } = await run('history', name);
    const short = stdout.replaceAll(/\n +commit [0-9a-f]{10}: /g, ' | ').replaceAll(/\n +run r-.*/g, '');
    return `${short}${stderr}`
      .trimEnd()
      .split('\n')
      .map((one) => one.replace(' 00:00:00 ', '').trim());
  };
  return { cwd, variables, run, commit, apply, rename, history };
}

const team = (key: string, members: string, more = '') =>
  `teams:\n  ${key}: { title: Docs, ${more}members: { ${members} } }\n`;
const readers = 'customFields:\n  level: { type: text, title: Level }\n';

test('tells who changed an entry, a field and an object, with the commit of each', async () => {
  const { run, commit, apply, rename, history } = await startWorkspace();
  commit('Start', `${team('docs', `${ada}: owner`)}${readers}`);
  await apply();
  commit('Give Ben access (#31)', `${team('docs', `${ada}: owner, ${ben}: member`)}${readers}`);
  commit('Say something else', `${team('docs', `${ada}: owner, ${ben}: member`)}${readers}x-note: nothing\n`);
  await apply();
  commit('Make Ben an owner', `${team('docs', `${ada}: owner, ${ben}: owner`)}${readers}`);
  commit('Rename the team', `${team('writers', `${ada}: owner, ${ben}: owner`, 'was: docs, ')}${readers}`);
  await apply();
  commit('Break a manifest', 'teams: [\n');
  commit('Take Ben out', team('writers', `${ada}: owner`));
  await apply();
  await rename('In the app');
  await apply();

  expect(await history(`teams/writers.members.${ben}`)).toEqual([
    `teams/writers.members.${ben} in org_acme`,
    '2026-01-05 removed, was "owner" | Take Ben out',
    '2026-01-04 "member" → "owner" | Make Ben an owner',
    '2026-01-04 renamed from teams/docs | Rename the team',
    '2026-01-03 added with "member" | Give Ben access (#31)',
  ]);
  expect(await history('org_acme/teams/docs.title')).toEqual([
    'teams/docs.title in org_acme',
    '2026-01-06 set back after a change at the service: "In the app" → "Docs"',
    '2026-01-04 renamed from teams/docs | Rename the team',
    '2026-01-02 added with "Docs"',
  ]);
  expect(await history('customFields/level')).toEqual([
    'customFields/level in org_acme',
    '2026-01-05 removed | Take Ben out',
    '2026-01-02 added',
  ]);
  expect((await history('teams/writer')).slice(0, 2)).toEqual([
    'error[no-such-address]: no record and no journal names teams/writer',
    'help: did you mean teams/writers?',
  ]);
  expect((await history('teams/writers.titel')).slice(0, 2)).toEqual([
    'error[unknown-key]: a team has no field titel',
    'help: did you mean title?',
  ]);
  const csv = (await run('history', 'teams/writers.title', '--format', 'csv')).stdout.split('\r\n');
  expect(csv[1]).toMatch(
    /^2026-01-06T00:00:00.000Z,teams\/writers,drift,,.*In the app.*,.*Docs.*,,,r-\S+,\w+@/,
  );
});

test('tells what runs without a record did, and which manifests it cannot read', async () => {
  const { cwd, variables, commit, apply, history, run } = await startWorkspace();
  commit('Start', team('docs', `${ada}: owner`), '${env:ORG}');
  variables.ORG = 'org_acme';
  expect((await run('apply', '--auto-approve')).code).toBe(0);
  expect(await history('teams/docs.title')).toEqual([
    'teams/docs.title in org_acme',
    '2026-01-01 added with "Docs"',
  ]);
  await apply();
  delete variables.ORG;
  const shown = (await history('teams/docs.title')).join(' ');
  expect(shown).toMatch(
    /^teams\/docs.title in org_acme 2026-01-01 added with "Docs" The manifests of [0-9a-f]{10} cannot be read, and are left out: /,
  );
  expect(shown).toContain('ORG');

  variables.ORG = 'org_acme';
  variables.TITLE = 'Docs';
  commit('Fill in the title', team('docs', `${ada}: owner`).replace('Docs', '"${env:TITLE}"'), '${env:ORG}');
  await apply();
  delete variables.TITLE;
  const filled = (await history('teams/docs')).join(' ');
  expect(filled).not.toContain('removed');
  expect(filled).toContain('TITLE');
  const globex = `octavo: 1\norganization: org_globex\n${team('docs', `${ben}: owner`)}`;
  writeFileSync(join(cwd, 'globex.yaml'), globex);
  variables.TITLE = 'Docs';
  expect((await run('apply', '--auto-approve')).code).toBe(0);
  expect((await history('teams/docs.title')).slice(0, 2)).toEqual([
    'error[no-such-address]: 2 organizations have teams/docs',
    'help: name one of them: octavo history org_acme/teams/docs.title',
  ]);
  expect(await history('org_globex/teams/docs.title')).toEqual([
    'teams/docs.title in org_globex',
    '2026-01-03 added with "Docs"',
  ]);
});
