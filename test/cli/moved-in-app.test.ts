/** Site-spaces that the app moves into the first section of their site. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { startService } from '../../src/server/index.ts';
import { seed } from '../support/harness.ts';
import { git, initRepository } from './git.ts';
import { folder, octavo } from './octavo.ts';

const text = `octavo: 1
organization: org_acme
spaces: { guide: { id: sp_guide }, faq: { id: sp_faq } }
sites:
  hub:
    title: Hub
    spaces:
      # for all
      main: { space: guide, path: main }
`;

test('does not remove a site-space that is live in a section', async () => {
  const service = await startService({
    ...{ data: ':memory:', seed },
    variants: { 'root-site-spaces': 'moved' },
  });
  onTestFinished(() => service.close());
  const cwd = folder({ 'acme.yaml': text });
  initRepository(cwd);
  git(cwd, 'add', '.');
  git(cwd, 'commit', '--quiet', '--message', 'Start');
  const env = { OCTAVO_BASE_URL: service.url, OCTAVO_TOKEN: service.token };
  const run = (line: string) => octavo(line.split(' '), { cwd, env });
  expect((await run('apply --auto-approve --record')).code).toBe(0);
  const { stdout } = await run('api sites.list organizationId=org_acme');
  const [{ id }] = JSON.parse(stdout).items;
  const made = await run(
    `api sections.create organizationId=org_acme siteId=${id} -F spaceId=sp_faq -F title=Docs`,
  );
  expect(made.code, made.stderr).toBe(0);
  const done = await run('drift --accept');
  expect(done).toMatchObject({ code: 2, stderr: '' });
  expect(done.stdout).toBe(`Not accepted:
  ✗ sites/hub/spaces/main  not live any more
      it is live in another place (acme.yaml:9:7)
      → move its entry to where it is live, then accept again

Nothing accepted; 1 difference not accepted.
`);
  expect(readFileSync(join(cwd, 'acme.yaml'), 'utf8')).toBe(text);
});
