/** The commit that a build is made from. */
import { spawnSync } from 'node:child_process';
import { realpathSync } from 'node:fs';

/** `name`: short hash, with `+` if files had changed since; `time`: ISO 8601. Undefined outside of the repository of this package. */
export function commitOf(root) {
  const git = (...args) => {
    const { status, stdout } = spawnSync('git', args, { cwd: root, encoding: 'utf8' });
    return status === 0 ? stdout.trim() : undefined;
  };
  const top = git('rev-parse', '--show-toplevel');
  const [oid, time] = git('log', '-1', '--format=%H %cI')?.split(' ') ?? [];
  if (top === undefined || oid === undefined || realpathSync(top) !== realpathSync(root)) return undefined;
  const isChanged = git('status', '--porcelain', '--', 'src', 'scripts', 'package.json') !== '';
  return { name: `${oid.slice(0, 7)}${isChanged ? '+' : ''}`, time };
}
