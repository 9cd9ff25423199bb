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

const notKnown = 'not checked: see settings';

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
  const [machine, { check, settings, unread }] = await Promise.all([
    machineChecks(invocation),
    settingsCheck(invocation),
  ]);
  const isUnread = (...names: readonly string[]) => names.some((name) => unread.includes(name));
  const git = gitChecks(invocation, settings);
  const { check: manifests, workspace } =
    (isUnread('file') && invocation.flags.file === undefined) ||
    (isUnread('overlay') && invocation.flags.overlay === undefined)
      ? { check: skipped('manifests', notKnown), workspace: undefined }
      : await manifestsCheck(invocation, settings);
  const [repository, service, runs] = await Promise.all([
    git,
    isUnread('baseUrl') && settings.baseUrl === undefined
      ? [skipped('service', notKnown)]
      : serviceChecks(invocation, settings, workspace?.trees ?? []),
    runsCheck(invocation),
  ]);
  const isRemoteFine = !repository.some(({ id, status }) => id === 'remote' && status === 'failed');
  const lock = isUnread('lock')
    ? skipped('lock', notKnown)
    : await lockCheck(invocation, settings, { isRemoteFine, trees: workspace?.trees });
  return [...machine, check, manifests, ...repository, ...service, lock, runs];
}
