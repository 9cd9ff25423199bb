import type { DoctorCheck } from '../../report/results/checkup.ts';
import { version } from '../../util/version.ts';
import { skipped } from '../doctor/checks.ts';
import { machineChecks } from '../doctor/machine-checks.ts';
import { serviceChecks } from '../doctor/service-checks.ts';
import {
  gitChecks,
  lockCheck,
  manifestsCheck,
  runsCheck,
  settingsCheck,
} from '../doctor/workspace-checks.ts';
import { defineCommand, type Invocation } from '../line/command.ts';
import { locking, manifests, service } from '../line/flags.ts';
import type { RunSettings } from '../service/settings.ts';
import { chosenViews } from '../show/view-for.ts';
import { doctorViews } from '../show/views.ts';

export const command = defineCommand({
  flags: { ...manifests, baseUrl: service.baseUrl, tokenFile: service.tokenFile, lock: locking.lock },
  views: doctorViews,
  exitCodes: [['1', 'an error, or a check that failed']],
  examples: ['octavo doctor', 'octavo doctor --base-url https://api.example.com --format json'],
  guide: 'troubleshooting',
  run,
});

async function run(invocation: Invocation): Promise<number> {
  const { output, interrupt } = invocation;
  const views = await chosenViews(invocation, doctorViews);
  const progress = await output.progress('Checking');
  let checks: readonly DoctorCheck[];
  try {
    checks = await allChecks(invocation);
  } finally {
    progress.stop();
  }
  if (interrupt.requested) {
    output.error('Interrupted.');
    return interrupt.exitCode;
  }
  views.all((view, options) => view({ version, checks }, options));
  return checks.some(({ status }) => status === 'failed') ? 1 : 0;
}

async function allChecks(invocation: Invocation): Promise<readonly DoctorCheck[]> {
  const [machine, { check, settings }] = await Promise.all([
    machineChecks(invocation),
    settingsCheck(invocation),
  ]);
  const git = gitChecks(invocation, settings);
  const folder = settings === undefined ? unread(await git) : await folderChecks(invocation, settings, git);
  return [...machine, check, ...folder];
}

async function folderChecks(
  invocation: Invocation,
  settings: RunSettings,
  git: Promise<readonly DoctorCheck[]>,
): Promise<readonly DoctorCheck[]> {
  const { check: manifests, workspace } = await manifestsCheck(invocation, settings);
  const [repository, service, runs] = await Promise.all([
    git,
    serviceChecks(invocation, settings, workspace?.trees ?? []),
    runsCheck(invocation),
  ]);
  const isRemoteFine = !repository.some(({ id, status }) => id === 'remote' && status === 'failed');
  const lock = await lockCheck(invocation, settings, { isRemoteFine, trees: workspace?.trees });
  return [manifests, ...repository, ...service, lock, runs];
}

function unread(git: readonly DoctorCheck[]): readonly DoctorCheck[] {
  return [
    ...git,
    ...['manifests', 'service', 'lock', 'runs'].map((id) => skipped(id, 'not checked: see settings')),
  ];
}
