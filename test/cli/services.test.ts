/** Plans, approvals and records apply only to their service; a checkout cannot choose a database outside its folder. */
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { mayBeSameService } from '../../src/run/same-service.ts';
import { startService } from '../../src/server/index.ts';
import { seed } from '../support/harness.ts';
import { git, initRepository } from './git.ts';
import { folder, octavo } from './octavo.ts';

const ref = 'refs/octavo/applied/org_acme';
const manifest = (more = '') =>
  `octavo: 1\norganization: org_acme\nteams:\n  docs: { title: Docs }\n  writers: { title: Writers }\n${more}`;

interface Clone {
  readonly cwd: string;
  readonly at: (service: string, ...args: string[]) => Promise<{ code: number | null; output: string }>;
  readonly write: (text: string) => void;
}

function clone(env: Readonly<Record<string, string>> = {}): Clone {
  const cwd = folder({ 'm.yaml': manifest(), '.gitignore': '*.db*\n.octavo\n*.json\n' });
  initRepository(cwd);
  const write = (text: string) => {
    writeFileSync(join(cwd, 'm.yaml'), text);
    git(cwd, 'add', '-A');
    git(cwd, 'commit', '--quiet', '--allow-empty', '-m', 'x');
  };
  write(manifest());
  return {
    cwd,
    write,
    at: async (service, ...args) => {
      const ran = await octavo(args, { cwd, env: { ...env, OCTAVO_BASE_URL: service } });
      return { code: ran.code, output: `${ran.stdout}${ran.stderr}`.replace(/\s+/g, ' ') };
    },
  };
}

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

describe('a record', () => {
  const prepared = async () => {
    const one = clone();
    const record = ['apply', '--record', '--auto-approve'];
    one.write(manifest('  extra: { title: Extra }\n'));
    for (const service of ['local:stage.db', 'local:prod.db'])
      expect(await one.at(service, 'apply', '--seed', 'sample', '--auto-approve')).toMatchObject({ code: 0 });
    expect(await one.at('local:stage.db', ...record)).toMatchObject({ code: 0 });
    return { ...one, record };
  };

  test('applies to its service in each spelling', async () => {
    const { cwd, at } = await prepared();
    symlinkSync('stage.db', join(cwd, 'link.db'));
    const spellings = [
      'local:stage.db',
      'local:./x/../stage.db',
      'local:link.db',
      `local:${join(cwd, 'stage.db')}`,
    ];
    for (const spelled of spellings) expect((await at(spelled, 'plan')).output).toContain('base applied@');
  });

  test('applies to its database from another work tree, and after its folder is moved', async () => {
    const { cwd, at } = await prepared();
    const tree = join(folder({}), 'tree');
    git(cwd, 'worktree', 'add', '--quiet', tree, 'HEAD');
    const plan = (where: string, service: string) =>
      octavo(['plan'], { cwd: where, env: { OCTAVO_BASE_URL: service } });
    expect((await plan(tree, `local:${join(cwd, 'stage.db')}`)).stdout).toContain('base applied@');
    const moved = `${cwd}-moved`;
    renameSync(cwd, moved);
    expect((await plan(moved, 'local:stage.db')).stdout).toContain('base applied@');
    renameSync(moved, cwd);
    expect((await at('local:prod.db', 'plan')).output).toContain('error[other-service]');
  });

  test('applies to a database that was recreated at the same path', async () => {
    const { cwd, at } = await prepared();
    for (const name of readdirSync(cwd)) if (name.startsWith('stage.db')) rmSync(join(cwd, name));
    for (const args of [['plan', '--seed', 'sample'], ['plan']])
      expect((await at('local:stage.db', ...args)).output).toContain('base applied@');
  });

  test('does not apply to another database of the same name, such as in another clone', async () => {
    const { cwd } = await prepared();
    const other = join(folder({}), 'other');
    git(cwd, 'clone', '--quiet', '.', other);
    git(other, 'fetch', '--quiet', 'origin', `${ref}:${ref}`);
    const at = (...args: string[]) =>
      octavo(args, { cwd: other, env: { OCTAVO_BASE_URL: 'local:stage.db' } });
    for (const args of [['plan'], ['api', '--seed', 'sample', 'orgs.list'], ['plan']])
      if (args[0] === 'plan') expect((await at(...args)).stderr).toContain('error[other-service]');
      else expect((await at(...args)).code).toBe(0);
  });

  test('does not include a folder of this machine', async () => {
    const { cwd, at, record } = await prepared();
    git(cwd, 'update-ref', '-d', ref);
    expect(await at(`local:${join(cwd, 'stage.db')}`, ...record)).toMatchObject({ code: 0 });
    const refs = git(cwd, 'for-each-ref', '--format=%(refname)', 'refs/octavo').trim().split('\n');
    for (const one of refs)
      for (const name of git(cwd, 'ls-tree', '--name-only', '-r', one).trim().split('\n'))
        expect(git(cwd, 'show', `${one}:${name}`)).not.toContain(cwd);
  });

  test.each(['plan', 'drift', 'apply --auto-approve'])(
    'of another service is rejected as the base of %s',
    async (words) => {
      const { at } = await prepared();
      const { code, output } = await at('local:prod.db', ...words.split(' '));
      expect(code).toBe(1);
      expect(output).toMatch(
        /error\[other-service\]: the record of org_acme is of "local:stage\.db#\w+", .* against "local:prod\.db#\w+"/,
      );
      expect(output).toContain('--base <ref>');
      expect(output).not.toContain('No changes');
    },
  );

  test('of another service is not replaced, and is not needed with --base', async () => {
    const { cwd, at, write, record } = await prepared();
    const recorded = git(cwd, 'rev-parse', ref);
    write(manifest());
    const refused = await at('local:prod.db', ...record, '--base', 'HEAD~1');
    expect(refused.code).toBe(1);
    expect(refused.output).toContain('error[other-service]');
    expect(git(cwd, 'rev-parse', ref)).toBe(recorded);
    const applied = await at('local:prod.db', 'apply', '--auto-approve', '--base', 'HEAD~1');
    expect(applied.code).toBe(0);
    expect(applied.output).toContain('1 deleted');
    // The remedy for a service that has moved.
    git(cwd, 'update-ref', '-d', ref);
    expect((await at('local:prod.db', ...record)).code).toBe(0);
    expect((await at('local:prod.db', 'plan')).output).toContain('No changes');
  });
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
  const service = await startService({ data: ':memory:', seed });
  onTestFinished(() => service.close());
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
      expect(stdout.split('\n')[0]).toMatch(/^Organization org_acme {3}service local:evil\.db {3}base none/);
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
