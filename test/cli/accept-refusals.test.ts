/** `octavo drift --accept`: entries that stay in the manifests although a plan would create their objects again. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { seed } from '../support/harness.ts';
import { git, initRepository } from './git.ts';
import { folder, octavo } from './octavo.ts';
import { served } from './served.ts';

const text = `octavo: 1
organization: org_acme
spaces:
  guide: { id: sp_guide }
  faq: { id: sp_faq }
sites:
  hub:
    title: Hub
    spaces:
      # for all
      main: { space: guide, path: main }
`;

/** A recorded apply of the text. */
async function workspace() {
  const variants = { 'root-site-spaces': 'moved' } as const;
  const { env } = await served({ seed, variants });
  const cwd = folder({ 'acme.yaml': text });
  initRepository(cwd);
  const commit = () => {
    git(cwd, 'add', '.');
    git(cwd, 'commit', '--quiet', '--message', 'Change');
  };
  const run = async (line: string) => {
    const ran = await octavo(line.split(' '), { cwd, env });
    expect(ran.stderr).not.toContain('error');
    return ran;
  };
  const read = () => readFileSync(join(cwd, 'acme.yaml'), 'utf8');
  const write = (changed: string) => {
    writeFileSync(join(cwd, 'acme.yaml'), changed);
    commit();
  };
  commit();
  await run('apply --auto-approve --record');
  return { run, read, write };
}

test('does not remove a site-space that is live in a section', async () => {
  const { run, read } = await workspace();
  const sites = await run('api sites.list organizationId=org_acme');
  const [{ id }] = JSON.parse(sites.stdout).items;
  await run(`api sections.create organizationId=org_acme siteId=${id} -F spaceId=sp_faq -F title=Docs`);
  const { code, stdout } = await run('drift --accept');
  expect(stdout).toBe(`Not accepted:
  ✗ sites/hub/spaces/main  not live any more
      it is live in another place (acme.yaml:11:7)
      → move its entry to where it is live, then accept again

Nothing accepted; 1 difference not accepted.
`);
  expect([code, read()]).toEqual([2, text]);
});

test('does not remove a space to which the manifests refer since the last apply', async () => {
  const { run, read, write } = await workspace();
  const changed = text.replace('space: guide, path: main', 'space: faq, path: main');
  write(changed);
  await run('api spaces.delete spaceId=sp_faq');
  const { code, stdout } = await run('drift --accept');
  expect(stdout).toBe(`Not accepted:
  ✗ spaces/faq  not live any more
      sites/hub/spaces/main still refers to it (space) (acme.yaml:11:22)
      → remove the reference, then accept again

Nothing accepted; 1 difference not accepted.
`);
  expect([code, read()]).toEqual([2, changed]);
});
