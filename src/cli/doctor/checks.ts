/** Checks the folder: settings, manifests and git. Read-only, and sends no request to the service. */
import path from 'node:path';
import { registry } from '../../kinds/index.ts';
import { loadWorkspace } from '../../manifest/load-workspace.ts';
import { lockRemote } from '../../past/lock/lock-name.ts';
import type { DoctorCheck } from '../../report/results/checkup.ts';
import type { DesiredTree } from '../../tree/desired-tree.ts';
import { countOf } from '../../util/count.ts';
import { defined } from '../../util/defined.ts';
import { lineText } from '../../util/places.ts';
import { reasonOf } from '../../util/user-error.ts';
import type { Invocation } from '../line/command.ts';
import type { RunSettings } from '../service/settings.ts';
import { problemsOf } from '../show/failure.ts';

export function ok(id: string, message: string): DoctorCheck {
  return { id, status: 'ok', message };
}

/** A result that works but may not be intended. */
export function warning(id: string, message: string, help: string): DoctorCheck {
  return { id, status: 'warning', message, help };
}

export function failed(id: string, message: string, help?: string): DoctorCheck {
  return { id, status: 'failed', message, ...defined({ help }) };
}

/** Reports the first problem. `help`: used if the error has none. */
export function failedBy(id: string, error: unknown, help?: string): DoctorCheck {
  const [first, ...more] = problemsOf(error);
  if (first === undefined) return failed(id, reasonOf(error), help);
  const place = first.at === undefined ? '' : `${lineText(first.at)}: `;
  const others = more.length === 0 ? '' : ` (and ${more.length} more)`;
  return failed(id, `${place}${first.message}${others}`, first.suggestion ?? help);
}

export async function manifestsCheck(
  { cwd, env }: Invocation,
  { files: paths, overlays }: RunSettings,
): Promise<{ readonly check: DoctorCheck; readonly trees: readonly DesiredTree[] }> {
  const { diagnostics, trees, sources } = await loadWorkspace({ paths, overlays, env, cwd, registry });
  const [first] = diagnostics.filter(({ severity }) => severity === 'error');
  if (first?.code === 'no-manifests') {
    const help = 'octavo init writes a first one, octavo export writes the live state';
    return { check: warning('manifests', first.message, help), trees: [] };
  }
  if (first !== undefined) {
    const place = first.at === undefined ? '' : `${lineText(first.at)}: `;
    const check = failed('manifests', `${place}${first.message}`, 'octavo validate shows all problems');
    return { check, trees: [] };
  }
  const objects = trees.reduce((sum, { nodes }) => sum + nodes.size - 1, 0);
  const counts = [
    countOf(trees.length, 'organization'),
    countOf(objects, 'object'),
    countOf(sources.size, 'file'),
  ];
  return { check: ok('manifests', counts.join(', ')), trees };
}

/** Timeout for a git remote, in milliseconds. */
const longestGit = 10_000;

export async function gitChecks(
  { cwd, world }: Invocation,
  { lock }: RunSettings,
): Promise<readonly DoctorCheck[]> {
  try {
    const repository = await world.openRepository(cwd, longestGit);
    if (repository === undefined) {
      const help = 'git init; without a repository there is no --base, so drift and removals are not known';
      return [warning('git', 'the folder is in no repository', help)];
    }
    const own = (await repository.isShallow())
      ? warning('git', 'the clone is shallow', 'git fetch --unshallow; a base is a commit that must be there')
      : ok('git', `repository ${path.relative(cwd, repository.root) || '.'}`);
    const remote = lockRemote(lock);
    if (remote === undefined) return [own];
    const problem = await repository.refs(remote, ['refs/octavo/*']).then(() => undefined, reasonOf);
    const help = `git ls-remote ${remote} shows why; --lock local needs no remote`;
    return [
      own,
      problem === undefined
        ? ok('remote', `${remote} can be read, for locks and records`)
        : failed('remote', `${remote} cannot be read: ${problem}`, help),
    ];
  } catch (error) {
    return [failed('git', reasonOf(error), 'install git; --base, records and locks in a remote need it')];
  }
}
