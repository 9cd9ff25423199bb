/** The completion scripts in their shells, with the built command. Shells that are not installed are skipped, except bash. */
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import completionScripts from '../../src/cli/completion/scripts.json' with { type: 'json' };
import { folder, root } from './octavo.ts';

const manifest = `octavo: 1
organization: { id: org_acme, title: Acme }
members: { ada@acme.dev: { role: read }, adam@acme.dev: { role: read } }
teams: { platform: { title: Platform }, "a b": { title: Spaced } }
`;

/** A folder with manifests, the command on the path, and the script of each shell. */
function place() {
  const cwd = folder({ 'a.yaml': manifest, 'plan.json': '{}', 'my plan.json': '{}' });
  const bin = join(cwd, '.bin');
  mkdirSync(bin);
  const command = join(bin, 'octavo');
  writeFileSync(command, `#!/bin/sh\nexec "${process.execPath}" "${join(root, 'dist/octavo.js')}" "$@"\n`);
  chmodSync(command, 0o755);
  for (const [shell, script] of Object.entries(completionScripts))
    writeFileSync(join(bin, `${shell}.sh`), script);
  const env = { PATH: `${bin}:${process.env.PATH ?? ''}`, HOME: cwd, TERM: 'dumb', LC_ALL: 'C.UTF-8' };
  return { cwd, bin, env };
}

function shellRuns(shell: string, args: readonly string[], script: string) {
  const { cwd, bin, env } = place();
  const ran = spawnSync(shell, [...args, script.replaceAll('BIN', bin)], {
    cwd,
    env,
    encoding: 'utf8',
    timeout: 60_000,
  });
  expect(ran.stderr).toBe('');
  return ran.stdout;
}

const isInstalled = (shell: string) => spawnSync(shell, ['--version']).error === undefined;

describe('bash', () => {
  /** Calls the function for each line as bash does; returns the replies for each line. */
  const drive = (lines: readonly string[]) => {
    const calls = lines.map((line) => `complete_line ${JSON.stringify(line).replaceAll('$', '\\$')}`);
    const script = `
      source BIN/bash.sh
      compopt() { :; }
      complete_line() {
        COMP_LINE="$1" COMP_POINT=\${#1} COMPREPLY=()
        _octavo octavo
        printf '%s|' "\${COMPREPLY[@]}"; echo
      }
      ${calls.join('\n')}
    `;
    const out = shellRuns('bash', ['--noprofile', '--norc', '-c'], script);
    return out
      .split('\n')
      .slice(0, -1)
      .map((line) => line.split('|').slice(0, -1));
  };

  test('completes commands, flags, values, addresses and files, with quoting and word breaks', () => {
    expect(
      drive([
        'octavo vali',
        'octavo plan --detail',
        'octavo plan --prune=',
        'octavo plan --prune=rem',
        'octavo plan --target ',
        'octavo plan --target members/ada@',
        'octavo plan --target=teams/p',
        'octavo plan --target "teams/a',
        'octavo show pl',
        'octavo show my',
        'octavo nonsense ',
      ]),
    ).toEqual([
      ['validate'],
      ['--detailed-exitcode'],
      // Bash breaks words at the equals sign, and keeps the part before it.
      ['never', 'removed', 'unlisted'],
      ['removed'],
      ['organization', 'members/ada@acme.dev', 'members/adam@acme.dev', 'teams/platform', 'teams/a\\ b'],
      ['acme.dev'],
      ['teams/platform'],
      ['teams/a b'],
      ['plan.json'],
      ['my plan.json'],
      [''],
    ]);
  });

  test('registers a valid function', () => {
    expect(shellRuns('bash', ['--noprofile', '--norc', '-c'], 'source BIN/bash.sh; complete -p octavo')).toBe(
      'complete -F _octavo octavo\n',
    );
  });
});

describe('zsh', () => {
  test.skipIf(!isInstalled('zsh'))(
    'completes commands and addresses (skipped if zsh is not installed)',
    () => {
      const script = `
      autoload -U compinit; compinit -u -D
      source BIN/zsh.sh
      _describe() { shift; print -rl -- "\${(@P)1}"; }
      _files() { print files; }
      compset() { :; }
      words=(octavo vali) CURRENT=2; _octavo
      words=(octavo list teams/) CURRENT=3; _octavo
      words=(octavo show '') CURRENT=3; _octavo
    `;
      expect(shellRuns('zsh', ['-f', '-c'], script)).toBe(
        'validate:Check the manifests without calling the service\nteams/platform\nteams/a b\nfiles\n',
      );
    },
  );
});

describe('fish', () => {
  test.skipIf(!isInstalled('fish'))(
    'completes commands and addresses (skipped if fish is not installed)',
    () => {
      const script = `
      source BIN/fish.sh
      complete -C 'octavo vali'
      complete -C 'octavo list teams/p'
      complete -C 'octavo show pl'
      complete -C 'octavo plan --prune=r'
    `;
      expect(shellRuns('fish', ['--no-config', '-c'], script)).toBe(
        'validate\tCheck the manifests without calling the service\nteams/platform\nplan.json\n--prune=removed\n',
      );
    },
  );
});
