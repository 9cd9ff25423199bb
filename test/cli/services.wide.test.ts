/** Plans, approvals and records apply only to their service; a checkout cannot choose a database outside its folder. */
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { mayBeSameService } from '../../src/past/same-service.ts';
import { seed } from '../support/harness.ts';
import { git, initRepository } from './git.ts';
import { folder, octavo } from './octavo.ts';
import { served } from './served.ts';
import { clone, manifest, ref } from './service-clones.ts';

test.each<[one: string, other: string, isOne: boolean]>([
  ['local:x.db#5f3a01bc', 'local:x.db#5f3a01bc', true],
  ['local:x.db#5f3a01bc', 'local:y.db#17ab8c30', false],
  ['local:x.db#5f3a01bc', 'local:x.db#17ab8c30', false],
  // A local URL may be served from that file.
  ['local:x.db', 'http://127.0.0.1:4801', true],
  ['http://localhost:4801', 'local:x.db', true],
  ['http://[::1]:4801', 'local:x.db', true],
  ['http://127.0.0.1:4801', 'http://127.0.0.1:4802', false],
  ['local:x.db', 'https://api.acme.dev', false],
  ['local:x.db', 'http://127.0.0.1.acme.dev', false],
  ['https://staging.acme.dev', 'https://api.acme.dev', false],
])('%s and %s may be the same service: %s', (one, other, isOne) => {
  expect([mayBeSameService(one, other), mayBeSameService(other, one)]).toEqual([isOne, isOne]);
});

describe('a plan', () => {
  const prepared = async () => {
    const one = clone();
    one.write(manifest());
    for (const name of ['stage', 'prod'])
      await one.at(`local:${name}.db`, 'api', '--seed', 'sample', 'orgs.list');
    expect((await one.at('local:stage.db', 'plan', '--out', 'plan.json')).code).toBe(0);
    return one;
  };

  test('is applied only to the service it was saved for', async () => {
    const { cwd, at } = await prepared();
    const refused = await at('local:prod.db', 'apply', 'plan.json');
    expect(refused).toMatchObject({ code: 1 });
    expect(refused.output).toMatch(/error\[other-service\]: plan\.json is of "local:stage\.db#\w+"/);
    expect((await at(`local:${join(cwd, 'stage.db')}`, 'apply', 'plan.json')).code).toBe(0);
  });

  test('does not approve changes of another service, as a file, digest or approval', async () => {
    const { cwd, at } = await prepared();
    const { digest, approval } = JSON.parse(readFileSync(join(cwd, 'plan.json'), 'utf8')) as Record<
      string,
      string
    >;
    for (const approved of ['plan.json', digest, approval]) {
      const refused = await at('local:prod.db', 'apply', '--auto-approve', '--approved', String(approved));
      expect(refused).toMatchObject({ code: 1 });
      expect(refused.output).toMatch(/error\[(?:other-service|unexpected-plan)\]/);
    }
    expect(
      (await at('local:./stage.db', 'apply', '--auto-approve', '--approved', String(approval))).code,
    ).toBe(0);
  });
});

test('URLs of the same HTTP service count as one service', async () => {
  const { service } = await served({ seed });
  const { cwd, at } = clone({ OCTAVO_TOKEN: service.token });
  const upper = service.url.replace('http://', 'HTTP://');
  expect((await at(service.url, 'apply', '--record', '--auto-approve')).code).toBe(0);
  const { service: name } = JSON.parse(git(cwd, 'show', `${ref}:applied.json`)) as Record<string, string>;
  expect(name).toBe(service.url);
  for (const spelled of [`${service.url}/`, `${service.url}/v1`, upper])
    expect((await at(spelled, 'plan')).output).toContain('base applied@');
});

describe('a service named in the configuration', () => {
  const configured = (baseUrl: string, files: Readonly<Record<string, string>> = {}) => {
    const outer = folder({});
    const cwd = join(outer, 'checkout');
    mkdirSync(cwd);
    initRepository(cwd);
    const all = {
      'm.yaml': manifest(),
      'octavo.config.yaml': `baseUrl: ${JSON.stringify(baseUrl)}\n`,
      ...files,
    };
    for (const [name, text] of Object.entries(all)) writeFileSync(join(cwd, name), text);
    git(cwd, 'add', '-A');
    git(cwd, 'commit', '--quiet', '-m', 'x');
    return { outer, cwd };
  };

  test.each(['text', 'github', 'markdown', 'html', 'json'])('is shown in a plan as %s', async (format) => {
    const { cwd } = configured('local:evil.db');
    const { stdout } = await octavo(['plan', '--format', format], { cwd });
    expect(stdout).toContain('local:evil.db');
    if (format === 'text')
      expect(stdout.split('\n')[0]).toMatch(/^org_acme {3}service local:evil\.db {3}base none/);
  });

  test.each(['local:../x.db', 'local:a/../../x.db', '/x.db', 'link/x.db', 'dangling.db'])(
    'cannot be a file outside the folder: %s',
    async (given) => {
      const { outer, cwd } = configured('local:in.db');
      symlinkSync(outer, join(cwd, 'link'));
      symlinkSync(join(outer, 'x.db'), join(cwd, 'dangling.db'));
      const named = given.startsWith('/') ? `local:${outer}${given}` : given.replace(/^(?!local:)/, 'local:');
      writeFileSync(join(cwd, 'octavo.config.yaml'), `baseUrl: ${JSON.stringify(named)}\n`);
      const { code, stderr } = await octavo(['plan'], { cwd });
      expect(code).toBe(1);
      expect(stderr).toContain('error[base-url]');
      expect(readdirSync(outer)).toEqual(['checkout']);
      // A user may name any path.
      expect((await octavo(['plan', '--base-url', 'local:../x.db'], { cwd })).code).toBe(0);
      expect(existsSync(join(outer, 'x.db'))).toBe(true);
    },
  );

  test.each(['.lock', '-wal', '-journal'])(
    'cannot link to a file outside the folder with the suffix %s',
    async (end) => {
      const { outer, cwd } = configured('local:in.db');
      symlinkSync(join(outer, 'x'), join(cwd, `in.db${end}`));
      expect((await octavo(['plan'], { cwd })).stderr).toContain('error[base-url]');
      expect(readdirSync(outer)).toEqual(['checkout']);
    },
  );

  test.each(['', 'hello'])('does not overwrite a file with the text "%s"', async (text) => {
    const { cwd } = configured('local:notes.txt', { 'notes.txt': text });
    expect((await octavo(['plan'], { cwd })).stderr).toContain('the file is not a database');
    expect(readFileSync(join(cwd, 'notes.txt'), 'utf8')).toBe(text);
  });

  test('is not recorded while a token for another service is set', async () => {
    const { cwd } = configured('local:evil.db', { '.gitignore': '*.db*\n.octavo\n' });
    const record = ['apply', '--record', '--auto-approve'];
    const { code, stderr } = await octavo(record, { cwd, env: { OCTAVO_TOKEN: 'real' } });
    expect(code).toBe(1);
    expect(stderr).toContain('error[record]');
    expect(git(cwd, 'for-each-ref', 'refs/octavo')).toBe('');
    expect((await octavo(record, { cwd })).code).toBe(0);
  });
});
