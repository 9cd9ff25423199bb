/** Clones of one bare remote, and the service that all of them apply to. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { ServiceOptions } from '../../src/server/index.ts';
import { seed } from '../support/harness.ts';
import { git, initBare } from './git.ts';
import { folder, octavo, type Ran, type RunOptions } from './octavo.ts';
import { served } from './served.ts';

export const ref = 'refs/octavo/applied/org_acme';

type Texts = Readonly<Record<string, string>>;

/** A manifest with these teams, by key and title; lines apart, so that git can merge changes of two teams. */
export function teams(titles: Texts): string {
  const lines = Object.entries(titles).map(
    ([key, title]) => `  ${key}: { title: "${title}" }\n  #\n  #\n  #\n`,
  );
  return `octavo: 1\norganization: { id: org_acme }\nteams:\n${lines.join('')}`;
}

export interface Clone {
  readonly root: string;
  /** Runs a command, and joins the wrapped lines of messages. */
  readonly run: (...args: readonly string[]) => Promise<Ran>;
  readonly runIn: (env: RunOptions['env'], ...args: readonly string[]) => Promise<Ran>;
  readonly write: (files: Texts) => void;
  /** Writes files, commits everything and pushes a branch. */
  readonly push: (files?: Texts, branch?: string) => void;
}

/** The first clone has pushed the files to main. */
export async function sharedRemote(files: Texts, options: Partial<ServiceOptions> = {}) {
  const { service, env, send } = await served({ seed, ...options });
  const outer = folder({});
  const bare = join(outer, 'remote.git');
  initBare(outer, bare);
  git(bare, 'config', 'uploadpack.allowFilter', 'true');
  const cloneOf = (root: string): Clone => {
    const runIn: Clone['runIn'] = async (more, ...args) => {
      const ran = await octavo(args, { cwd: root, env: { ...env, ...more } });
      return { ...ran, stderr: ran.stderr.replace(/\s+/g, ' ') };
    };
    const write = (texts: Texts) => {
      for (const [name, text] of Object.entries(texts)) {
        mkdirSync(dirname(join(root, name)), { recursive: true });
        writeFileSync(join(root, name), text);
      }
    };
    const push = (texts: Texts = {}, branch = 'main') => {
      write(texts);
      git(root, 'add', '--all');
      git(root, 'commit', '--quiet', '--allow-empty', '-m', 'A change');
      git(root, 'push', '--quiet', 'origin', `HEAD:${branch}`);
    };
    return { root, runIn, run: (...args) => runIn({}, ...args), write, push };
  };
  let count = 0;
  const clone = (...flags: readonly string[]) => {
    count += 1;
    const root = join(outer, `clone-${count}`);
    git(outer, 'clone', '--quiet', ...flags, `file://${bare}`, root);
    return cloneOf(root);
  };
  const first = clone();
  git(first.root, 'checkout', '--quiet', '-B', 'main');
  first.push({ '.gitignore': '.octavo\n', ...files });
  /** Titles of the live teams. */
  const live = async (): Promise<readonly string[]> => {
    const { items } = await send('GET', 'orgs/org_acme/teams?limit=1000');
    return (items as readonly { readonly title: string }[]).map(({ title }) => title).sort();
  };
  return { service, env, send, outer, bare, clone, first, live };
}
