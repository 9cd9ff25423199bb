/** Commands with a token that does not see all objects: hidden ones are not treated as deleted, and are reported as omitted. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Service, startService } from '../../src/server/index.ts';
import { git, initRepository } from './git.ts';
import { folder, octavo } from './octavo.ts';

const person = (name: string, role: string) => ({
  id: `user_${name}`,
  email: `${name}@acme.dev`,
  displayName: name,
  role,
  token: `tok-${name}-of-a-test`,
});

let service: Service;
beforeAll(async () => {
  service = await startService({
    data: ':memory:',
    seed: {
      organizations: [
        {
          id: 'org_acme',
          title: 'Acme',
          members: [person('ada', 'admin'), person('rex', 'read'), person('cre', 'create')],
          content: [
            {
              type: 'collection',
              id: 'col_vault',
              title: 'Vault',
              defaultLevel: null,
              content: [{ id: 'sp_plans', title: 'Plans' }],
            },
            { type: 'collection', id: 'col_hand', title: 'Handbook', defaultLevel: 'read' },
          ],
        },
      ],
    } as never,
  });
});
afterAll(() => service.close());

const text = (title: string) => `octavo: 1
organization: org_acme
settings: { protect: ['!**'], limits: { deletes: null, deletePercent: null } }
collections:
  vault: { title: ${title}, spaces: { plans: { title: Plans } } }
  handbook: { title: Handbook }
sites:
  hub: { title: Hub, spaces: { main: { space: plans } } }
`;

const leftOut = 'not visible to this token: 1 collection, 1 space';

test('a token with limited visibility deletes and accepts no hidden object, and each command reports omissions', async () => {
  const cwd = folder({ 'acme.yaml': text('Vault') });
  initRepository(cwd);
  git(cwd, 'add', '.');
  git(cwd, 'commit', '--quiet', '-m', 'first');
  const as = (name: string, ...args: readonly string[]) =>
    octavo(args, { cwd, env: { OCTAVO_BASE_URL: service.url, OCTAVO_TOKEN: `tok-${name}-of-a-test` } });
  expect(await as('ada', 'apply', '--record', '--auto-approve')).toMatchObject({ code: 0 });

  for (const command of ['plan', 'plan --base HEAD', 'plan --base none', 'drift', 'apply --auto-approve']) {
    const { code, stdout } = await as('rex', ...command.split(' '));
    expect(stdout, command).toContain(leftOut);
    expect(stdout, command).not.toMatch(/deleted in the app|create|replace|No changes\. |No drift\./);
    expect(code, command).toBe(0);
  }
  const before = readFileSync(join(cwd, 'acme.yaml'), 'utf8');
  await as('rex', 'drift', '--accept');
  expect(readFileSync(join(cwd, 'acme.yaml'), 'utf8')).toBe(before);
  expect((await as('rex', 'list')).stdout).toMatch(/^unseen\s+collections\/vault\s/m);
  expect((await as('rex', 'export')).stderr).toContain('this token sees only what its member sees');
  expect((await as('rex', 'doctor')).stdout).toContain('plans leave out what');
  expect((await as('ada', 'doctor')).stdout).not.toContain('plans leave out what');

  // Changing or removing a hidden object is refused; the record keeps its id.
  for (const changed of [
    text('Vaults'),
    text('Vault')
      .replace(/^ {2}vault.*\n/m, '')
      .replace(/, spaces: .*main.*/, ' }'),
  ]) {
    writeFileSync(join(cwd, 'acme.yaml'), changed);
    expect((await as('rex', 'plan')).code).toBe(3);
    const refused = await as('cre', 'apply', '--auto-approve', '--skip-refused');
    expect(refused.stdout).toContain('use a token that sees it');
    expect(
      (await as('ada', 'api', 'collections.list', 'organizationId=org_acme')).stdout.match(/"Vault"/g),
    ).toHaveLength(1);
  }
  writeFileSync(join(cwd, 'acme.yaml'), before);
  expect((await as('ada', 'plan')).stdout).not.toContain('collections/vault ');
});
