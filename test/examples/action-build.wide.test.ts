/** The action builds its own checkout: once, from its lock file, without tokens, and independent of the repository it runs in. */
import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { folder, root } from '../cli/octavo.ts';
import { isDeep, networkEnv, patience } from '../support/runs.ts';

const secrets = {
  GITHUB_TOKEN: 'secret-2',
  GH_TOKEN: 'secret-3',
  OCTAVO_TOKEN: 'secret-4',
  OCTAVO_TOKEN_FILE: 'secret-5',
};

interface Setup {
  /** The checkout of the action. */
  readonly action: string;
  /** The repository of the workflow. */
  readonly repository: string;
  /** Recorded calls of npm and the build: arguments, folder, and the number of secrets in the environment. */
  readonly calls: () => readonly string[];
  readonly run: (command: string, more?: Readonly<Record<string, string>>) => ReturnType<typeof spawn>;
  readonly cacheKey: () => string;
}

function spawn(command: string, args: readonly string[], cwd: string, env: Readonly<Record<string, string>>) {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd, env, encoding: 'utf8' });
  return { status, stdout, stderr };
}

/** A checkout of the action, and a repository that tries to influence it. `npm` is additional code of the fake npm. */
function setUp(npm?: string): Setup {
  const outer = folder({
    'repository/octavo.yaml': 'octavo: 1\norganization: org_acme\n',
    'repository/.npmrc': 'registry=http://127.0.0.1:1/\nscript-shell=/bin/false\n',
    'repository/package.json': '{"name":"octavo","version":"6.6.6","scripts":{"setup":"touch pwned"}}',
    'repository/node_modules/.bin/octavo': '#!/bin/sh\ntouch pwned\n',
    'bin/npm': `#!/bin/sh\necho "npm $* in $(pwd): $(env | grep -c secret-)" >> "$CALLS"\n${npm ?? ''}\n`,
    calls: '',
    path: '',
  });
  chmodSync(join(outer, 'bin/npm'), 0o755);
  const [action, repository] = [join(outer, 'action'), join(outer, 'repository')];
  const { PATH = '', HOME = '' } = process.env;
  const env = {
    ...{ HOME, PATH: `${join(outer, 'bin')}:${PATH}`, CALLS: join(outer, 'calls'), RUNNER_TEMP: outer },
    ...{ GITHUB_PATH: join(outer, 'path'), GITHUB_ACTION_PATH: action, ...secrets },
  };
  return {
    action,
    repository,
    calls: () => readFileSync(join(outer, 'calls'), 'utf8').split('\n').filter(Boolean),
    run: (command, more = {}) =>
      spawn(join(action, 'scripts/action/run.sh'), [], repository, {
        ...env,
        ACTION_COMMAND: command,
        ...more,
      }),
    cacheKey: () =>
      spawn(process.execPath, [join(action, 'scripts/action/cache-key.mjs')], repository, env).stdout,
  };
}

/** The scripts of this repository, with a fake build that records its environment. */
function fakeSources(action: string): void {
  mkdirSync(join(action, 'src'), { recursive: true });
  for (const name of [
    'scripts/action',
    'scripts/ensure.mjs',
    'scripts/node-version.cjs',
    'package.json',
    'package-lock.json',
  ])
    cpSync(join(root, name), join(action, name), { recursive: true });
  writeFileSync(join(action, 'src/a.ts'), 'one\n');
  writeFileSync(
    join(action, 'scripts/build.mjs'),
    `import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
const secrets = Object.values(process.env).filter((value) => /secret-/.test(value)).length;
appendFileSync(process.env.CALLS, \`build in \${process.cwd()}: \${secrets}\\n\`);
if (process.env.BREAK) process.exit(3);
mkdirSync('dist', { recursive: true });
const octavo = \`#!/bin/sh
[ "$1" != apply ] || echo "$1: $NODE_COMPILE_CACHE $(env | grep -cE 'secret-|ACTION_')" >> "\${process.env.CALLS}"
echo "octavo $*"
\`;
writeFileSync('dist/octavo.js', octavo, { mode: 0o755 });
writeFileSync('dist/.built', '');
`,
  );
}

describe('with a fake build', () => {
  test('builds once, in its own folder, and passes no token to the build', () => {
    const { action, repository, run, calls } = setUp();
    fakeSources(action);
    const built = [
      `npm ci --ignore-scripts --no-audit --no-fund --loglevel=error in ${action}: 0`,
      `build in ${action}: 0`,
      `npm prune --omit=dev --ignore-scripts --no-audit --no-fund --loglevel=error in ${action}: 0`,
      // Fills the compile cache for the next runs.
      `apply: ${join(action, 'dist/.compiled')} 0`,
    ];
    for (const _ of ['first', 'second']) {
      expect(run('validate')).toMatchObject({ status: 0, stdout: 'octavo validate --format github\n' });
      expect(calls()).toEqual(built);
    }
    expect(existsSync(join(repository, 'pwned'))).toBe(false);
  });

  test('uses its own compile cache instead of a folder named by the repository', () => {
    const { action, repository, run } = setUp();
    fakeSources(action);
    writeFileSync(join(repository, '.env'), 'NODE_COMPILE_CACHE=.\n');
    run('validate');
    writeFileSync(join(action, 'dist/octavo.js'), '#!/bin/sh\necho "$NODE_COMPILE_CACHE"\n');
    const ran = run('plan', { NODE_COMPILE_CACHE: repository });
    expect(ran.stdout).toBe(`${join(action, 'dist/.compiled')}\n`);
  });

  test('fails if the build fails', () => {
    const { action, run } = setUp();
    fakeSources(action);
    const ran = run('validate', { BREAK: '1' });
    expect(ran.status).toBe(1);
    expect(ran.stdout).toBe('::error title=octavo::the checkout of the action cannot be built\n');
  });

  test('derives the cache key from the sources, and prints none after a build', () => {
    const [one, other] = [setUp(), setUp()];
    for (const { action } of [one, other]) fakeSources(action);
    expect(one.cacheKey()).toMatch(/^key=octavo-\w+-\w+-[0-9a-f]{64}\nroot=\/.*\/action\n$/);
    const keyOf = ({ cacheKey }: Setup) => cacheKey().split('\n')[0];
    expect(keyOf(one)).toBe(keyOf(other));
    writeFileSync(join(other.action, 'src/a.ts'), 'two\n');
    expect(keyOf(one)).not.toBe(keyOf(other));
    one.run('validate');
    expect(one.cacheKey()).toBe('');
  });

  test('adds the command to PATH with install', () => {
    const { action, repository, run } = setUp();
    fakeSources(action);
    writeFileSync(join(action, 'src/a.ts'), '');
    expect(run('install')).toMatchObject({ status: 0, stdout: '' });
    writeFileSync(
      join(action, 'dist/octavo.js'),
      'console.log("own", ...process.argv.slice(2), process.env.NODE_COMPILE_CACHE);\n',
    );
    const bin = readFileSync(join(action, '../path'), 'utf8').trim();
    const { PATH = '' } = process.env;
    expect(spawn('octavo', ['matrix', 'a b'], repository, { PATH: `${bin}:${PATH}` })).toEqual({
      status: 0,
      stdout: `own matrix a b ${join(action, 'dist/.compiled')}\n`,
      stderr: '',
    });
    expect(run('install', { GITHUB_PATH: '' }).stdout).toContain(
      '::error title=octavo::GITHUB_PATH is not set',
    );
  });
});

test.skipIf(!isDeep)(
  'a clone builds and runs with the real npm, and installs no package named octavo',
  {
    timeout: patience(60_000),
  },
  () => {
    const real = spawn('sh', ['-c', 'command -v npm'], root, { PATH: process.env.PATH ?? '' }).stdout.trim();
    const { action, run, calls } = setUp(`exec ${real} "$@"`);
    expect(
      spawn('git', ['clone', '--quiet', root, action], root, { PATH: process.env.PATH ?? '' }).status,
    ).toBe(0);
    const first = run('validate', { ...networkEnv, npm_config_prefer_offline: 'true' });
    expect(first, first.stderr).toMatchObject({ status: 0 });
    expect(first.stdout).toContain('Valid: 1 organization');
    expect(calls().map((call) => call.split(' ')[1])).toEqual(['ci', 'prune']);
    // The embedded service needs the database, which is kept when the build tools are removed.
    const plan = run('plan', {
      ACTION_ARGS: '-f octavo.yaml --base none',
      OCTAVO_BASE_URL: 'local',
      GITHUB_EVENT_PATH: '',
    });
    expect(plan, plan.stderr).toMatchObject({ status: 0 });
    expect(calls()).toHaveLength(2);
  },
);
