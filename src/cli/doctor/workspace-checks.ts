/** Checks of the folder: settings, manifests, git, locks and unfinished runs. Changes nothing and sends no request. */
import path from 'node:path';
import { registry } from '../../kinds/index.ts';
import { Git } from '../../manifest/files/git.ts';
import { loadWorkspace, type Workspace } from '../../manifest/load-workspace.ts';
import type { DoctorCheck } from '../../report/results/checkup.ts';
import { readHistory } from '../../run/history/history.ts';
import { JournalFolder } from '../../run/journal/journal-folder.ts';
import { parseLockName } from '../../run/lock/lock-name.ts';
import { describeMachine } from '../../run/lock/machine.ts';
import { countOf } from '../../util/count.ts';
import { hasErrors } from '../../util/diagnostic.ts';
import { lineText } from '../../util/places.ts';
import { reasonOf } from '../../util/user-error.ts';
import { holderText, lockOf } from '../apply/locking.ts';
import type { Invocation } from '../line/command.ts';
import { serviceName } from '../service/connection.ts';
import { configFileFor, type RunSettings, readableSettings } from '../service/settings.ts';
import { failed, failedBy, ok, skipped, warning } from './checks.ts';

/** Milliseconds to wait for a git remote. */
const longestGit = 10_000;

export async function settingsCheck(invocation: Invocation): Promise<{
  readonly check: DoctorCheck;
  readonly settings: RunSettings;
  readonly unread: readonly string[];
}> {
  const { settings, problem, unread } = await readableSettings(invocation);
  if (problem !== undefined) {
    const help = 'octavo schema config prints what octavo.config.yaml may contain';
    return { check: { help, ...failedBy('settings', problem) }, settings, unread };
  }
  const file = configFileFor(invocation.cwd);
  const message = file === undefined ? 'no octavo.config.yaml: flags and the environment alone' : file;
  return { check: ok('settings', message), settings, unread };
}

export async function manifestsCheck(
  { cwd, env }: Invocation,
  settings: RunSettings,
): Promise<{ readonly check: DoctorCheck; readonly workspace: Workspace | undefined }> {
  const { files: paths, overlays } = settings;
  const workspace = await loadWorkspace({ paths, overlays, env, cwd, registry });
  const { diagnostics, trees, sources } = workspace;
  const errors = diagnostics.filter(({ severity }) => severity === 'error');
  const [first] = errors;
  if (first?.code === 'no-manifests') {
    const help = 'octavo init writes a first one, octavo export what is live';
    return { check: warning('manifests', first.message, help), workspace: undefined };
  }
  if (first !== undefined) {
    const place = first.at === undefined ? '' : `${lineText(first.at)}: `;
    const message = `${countOf(errors.length, 'error')}, the first: ${place}${first.message}`;
    return { check: failed('manifests', message, 'octavo validate shows all of them'), workspace: undefined };
  }
  const objects = trees.reduce((sum, { nodes }) => sum + nodes.size - 1, 0);
  const counts = [
    countOf(trees.length, 'organization'),
    countOf(objects, 'object'),
    countOf(sources.size, 'file'),
  ];
  const warnings = diagnostics.filter(({ severity }) => severity === 'warning').length;
  const check =
    warnings === 0
      ? ok('manifests', counts.join(', '))
      : warning(
          'manifests',
          `${counts.join(', ')}, ${countOf(warnings, 'warning')}`,
          'octavo validate shows them',
        );
  return { check, workspace: hasErrors(diagnostics) ? undefined : workspace };
}

export async function gitChecks(
  { cwd, env }: Invocation,
  settings: RunSettings,
): Promise<readonly DoctorCheck[]> {
  const git = new Git(env, longestGit);
  try {
    const version = String(await git.run(cwd, ['--version']))
      .trim()
      .replace(/^git version /, '');
    const root = (await git.repositoryOf(cwd))?.root;
    if (root === undefined) {
      const help = 'git init; without a repository there is no --base, so drift and removals are not known';
      return [warning('git', `${version}; the folder is in no repository`, help)];
    }
    const isShallow = String(await git.run(root, ['rev-parse', '--is-shallow-repository'])).trim() === 'true';
    const own = isShallow
      ? warning(
          'git',
          `${version}; the clone is shallow`,
          'git fetch --unshallow; a base is a commit that must be there',
        )
      : ok('git', `${version}; repository ${path.relative(cwd, root) || '.'}`);
    return [own, ...(await remoteCheck(git, root, settings))];
  } catch (error) {
    return [failed('git', reasonOf(error), 'install git; --base, records and locks in a remote need it')];
  }
}

async function remoteCheck(git: Git, root: string, settings: RunSettings): Promise<readonly DoctorCheck[]> {
  const lock = parseLockName(settings.lock);
  const remote = lock?.backend === 'git' ? lock.rest : undefined;
  if (remote === undefined) return [];
  const { exitCode, problem } = await git.attempt(root, ['ls-remote', remote, 'refs/octavo/*']);
  if (exitCode === 0) return [ok('remote', `${remote} can be read, for locks and records`)];
  return [
    failed(
      'remote',
      `${remote} cannot be read: ${problem}`,
      `git ls-remote ${remote} shows why; --lock file needs no remote`,
    ),
  ];
}

/** `isRemoteFine`: false if a remote that locks need does not respond. */
export async function lockCheck(
  invocation: Invocation,
  settings: RunSettings,
  { isRemoteFine, trees }: { readonly isRemoteFine: boolean; readonly trees: Workspace['trees'] | undefined },
): Promise<DoctorCheck> {
  if (settings.lock === 'none')
    return warning('lock', 'none', 'set lock to file, or to git:<remote> where several machines apply');
  if (!isRemoteFine) return skipped('lock', `${settings.lock}: the remote was not reached`);
  try {
    const all = (await (await lockOf(invocation, settings))?.list()) ?? [];
    // Folders of other services and organizations share this machine and its locks.
    const service = serviceName(settings, invocation.cwd);
    const own = new Set(trees?.map(({ id }) => id) ?? [undefined]);
    const isOwn = (id: string) => own.has(undefined) || own.has(id);
    const [first] = all.filter(
      ({ content, organizations }) => content.baseUrl === service && organizations.some(isOwn),
    );
    if (first === undefined) return ok('lock', `${settings.lock}: no run holds one of this workspace`);
    const { content, isAbandoned, organizations } = first;
    const message = `${settings.lock}: ${organizations.join(', ')} is locked by ${holderText(content)}`;
    return isAbandoned
      ? warning(
          'lock',
          `${message}, whose process is gone`,
          `the next apply takes it over; octavo unlock ${content.run} removes it now`,
        )
      : warning('lock', message, 'wait for that run; octavo unlock lists the locks');
  } catch (error) {
    return failedBy('lock', error);
  }
}

export async function runsCheck({ cwd, env, world }: Invocation): Promise<DoctorCheck> {
  try {
    const folder = new JournalFolder(cwd);
    const { runs } = await readHistory({ cwd, env, folder, machine: describeMachine(world.machine) });
    const [last] = runs;
    if (last === undefined) return ok('runs', 'none so far');
    const text = `the last one is ${last.run} (${last.command}, ${last.time})`;
    if (last.state === 'complete' || last.state === 'running') return ok('runs', `${text}: ${last.state}`);
    return warning(
      'runs',
      `${text}: ${last.state}`,
      `octavo history ${last.run} shows its steps; apply again to continue`,
    );
  } catch (error) {
    return failedBy('runs', error);
  }
}
