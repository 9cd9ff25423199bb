/** A clone of one workspace that commands run in, each against a service of its own. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { git, initRepository } from './git.ts';
import { folder, octavo } from './octavo.ts';

export const ref = 'refs/octavo/applied/org_acme';
export const manifest = (more = '') =>
  `octavo: 1\norganization: org_acme\nteams:\n  docs: { title: Docs }\n  writers: { title: Writers }\n${more}`;

interface Clone {
  readonly cwd: string;
  readonly at: (service: string, ...args: string[]) => Promise<{ code: number | null; output: string }>;
  readonly write: (text: string) => void;
}

export function clone(env: Readonly<Record<string, string>> = {}): Clone {
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
