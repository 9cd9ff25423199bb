/** Each documented way to install, typed as shown in an empty folder. It takes minutes, so only in test:deep. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { git } from '../cli/git.ts';
import { folder, manifest, root } from '../cli/octavo.ts';
import { isDeep, networkEnv, patience } from '../support/runs.ts';
import { commandBlocks } from './page.ts';

const page = (name: string) => readFileSync(join(root, name), 'utf8');

/** An empty folder, and a shell that installs global packages next to it. */
function shell() {
  const outer = folder({});
  const cwd = join(outer, 'empty');
  mkdirSync(cwd);
  const { PATH = '', HOME: ownHome = '', NODE_EXTRA_CA_CERTS: cafile } = process.env;
  const [prefix, home] = [join(outer, 'prefix'), join(outer, 'home')];
  // In a file, so that it also applies to commands without the environment.
  const settings = [
    ...(existsSync(join(ownHome, '.npmrc')) ? [readFileSync(join(ownHome, '.npmrc'), 'utf8')] : []),
    `prefix=${prefix}`,
    `cache=${join(ownHome, '.npm')}`,
    'prefer-offline=true',
    'update-notifier=false',
    ...(cafile === undefined ? [] : [`cafile=${cafile}`]),
  ];
  mkdirSync(home);
  writeFileSync(join(home, '.npmrc'), `${settings.join('\n')}\n`);
  const env = {
    ...networkEnv,
    ...{ HOME: home, PATH: `${join(prefix, 'bin')}:${PATH}`, NO_COLOR: '1' },
    ...{ GIT_AUTHOR_NAME: 'Ada', GIT_AUTHOR_EMAIL: 'ada@acme.dev' },
    ...{ GIT_COMMITTER_NAME: 'Ada', GIT_COMMITTER_EMAIL: 'ada@acme.dev' },
  };
  const type = (commands: readonly string[]) => {
    const text = commands.join('\n').replaceAll('<this repository>', root);
    const shell = ['--noprofile', '--norc', '-e', '-c', text];
    const { status, stdout, stderr } = spawnSync('bash', shell, { cwd, env, encoding: 'utf8' });
    expect({ text, status, stderr: status === 0 ? '' : stderr }).toEqual({ text, status: 0, stderr: '' });
    return stdout + stderr;
  };
  return { outer, cwd, prefix, type };
}

describe.skipIf(!isDeep)('from an empty folder', { timeout: patience(60_000) }, () => {
  test('the commands of README work from the clone to the first recorded apply', () => {
    const { prefix, type } = shell();
    const blocks = commandBlocks(page('README.md')).map(({ commands }) => commands);
    const last = blocks.findIndex((commands) => /^octavo apply /m.test(commands));
    // Other tests run the demo.
    const start = blocks.slice(0, last + 1).map((text) => text.replace(/^npm run demo .*$/m, ''));
    expect(start.join('')).toContain('git clone <this repository>');
    expect(start.join('')).toContain('octavo init --from-live --ci github');
    const printed = type([...start, 'type -P octavo']);
    expect(printed).toContain('No changes');
    expect(printed).toMatch(/Recorded commit [0-9a-f]{7} as applied/);
    expect(printed).toContain(join(prefix, 'bin', 'octavo'));
  });

  test('both ways to install in the documentation work: a clone, and a packed file with its checksum', () => {
    const { prefix, type } = shell();
    const blocks = commandBlocks(page('docs/configuration.md')).map(({ commands }) => commands);
    const [clone = '', packed = ''] = blocks;
    expect(clone).toContain('git clone <this repository>');
    expect(packed).toContain('sha256sum --check');
    const { version } = JSON.parse(page('package.json')) as { version: string };
    const printed = type([
      clone,
      'octavo --version',
      'npm uninstall --global octavo > /dev/null',
      `test ! -e ${prefix}/bin/octavo && hash -r`,
      packed,
      'octavo --version',
      'octavo api orgs.list --base-url local > /dev/null',
      'command -v octavo',
    ]);
    // With the commit that was built.
    expect(printed.split('\n').filter((line) => line.startsWith(`${version} (`))).toHaveLength(2);
    expect(printed).toMatch(/octavo-.*\.tgz: OK/);
    expect(printed).toContain(join(prefix, 'bin', 'octavo'));
  });

  test('the commands of the GitLab pipeline work', () => {
    const { outer, type } = shell();
    const pipeline = parse(page('examples/ci/gitlab.yml')) as {
      readonly default: { readonly before_script: readonly string[] };
    };
    const install = pipeline.default.before_script.map((line) =>
      line
        .replaceAll('/opt/octavo', join(outer, 'opt'))
        .replaceAll('<commit>', git(root, 'rev-parse', 'HEAD').trim()),
    );
    const printed = type([
      ...install,
      `mkdir docs && cat > docs/acme.yaml <<'YAML'\n${manifest}YAML`,
      'octavo validate -f docs',
    ]);
    expect(printed).toContain('Valid: 1 organization');
  });
});
