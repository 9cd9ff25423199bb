/** The number of git processes of a plan: each start takes as long as planning a few objects. */
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { git, initBare, initRepository } from './git.ts';
import { folder, octavo } from './octavo.ts';

const texts = {
  'docs/acme.yaml': 'octavo: 1\norganization: { id: org_acme }\nteams: { ada: { title: Ada } }\n',
  'octavo.rules.yaml': 'rules: { no-public-sites: {} }\n',
  'seed.json': JSON.stringify({ organizations: [{ id: 'org_acme', title: 'Acme' }] }),
  '.gitignore': '.octavo\nacme.db*\nseed.json\n',
};

test.each([
  ['in the clone', '--record', ['config', 'for-each-ref', 'cat-file', 'ls-files']],
  ['in a remote', '--record=origin', ['config', 'for-each-ref', 'ls-remote', 'cat-file', 'ls-files']],
])(
  'a plan with a record %s starts git a few times, and once more if there are newer commits',
  async (...row) => {
    const [where, record, commands] = row;
    const cwd = folder(texts);
    const programs = folder({
      git: '#!/bin/sh\necho "$*" >> "${0%/*}/log"\nPATH="${PATH#*:}" exec git "$@"\n',
    });
    chmodSync(join(programs, 'git'), 0o755);
    const env = { OCTAVO_BASE_URL: 'local:acme.db', PATH: `${programs}:${process.env.PATH}` };
    const run = (...args: readonly string[]) => octavo([...args, '-f', 'docs'], { cwd, env });
    const started = async (...args: readonly string[]) => {
      writeFileSync(join(programs, 'log'), '');
      const { code, stdout } = await run('plan', ...args);
      expect(code).toBe(0);
      const lines = readFileSync(join(programs, 'log'), 'utf8').trim().split('\n');
      return { stdout, commands: lines.map((line) => / (config|[a-z]+-[a-z-]+) /.exec(line)?.[1]) };
    };
    initRepository(cwd);
    git(cwd, 'add', '.');
    git(cwd, 'commit', '--quiet', '--message', 'The workspace');
    if (where === 'in a remote') {
      initBare(programs, 'remote.git');
      git(cwd, 'remote', 'add', 'origin', join(programs, 'remote.git'));
      git(cwd, 'push', '--quiet', 'origin', 'main');
    }
    expect(await run('apply', '--seed', 'seed.json', '--auto-approve', record)).toMatchObject({ code: 0 });

    const same = await started();
    expect(same.stdout).toContain('No changes.');
    expect(same.commands).toEqual(commands);

    writeFileSync(join(cwd, 'docs/acme.yaml'), texts['docs/acme.yaml'].replace('Ada', 'Ada L.'));
    git(cwd, 'commit', '--quiet', '--all', '--message', 'Another title');
    const ahead = await started();
    expect(ahead.stdout).toContain('Plan: 0 to create, 1 to update');
    expect(ahead.commands).toEqual([...commands, 'merge-base']);
  },
);
