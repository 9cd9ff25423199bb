import type { DoctorCheck } from '../../report/results/checkup.ts';
import { build } from '../../util/version.ts';
import { failedBy, gitChecks, manifestsCheck } from '../doctor/checks.ts';
import { serviceChecks } from '../doctor/service-checks.ts';
import { defineCommand, type Invocation } from '../line/command.ts';
import { locking, manifests, service } from '../line/flags.ts';
import { type RunSettings, readSettings } from '../service/settings.ts';
import { chosenViews } from '../show/view-for.ts';
import { doctorViews } from '../show/views.ts';

export const command = defineCommand({
  flags: { ...manifests, baseUrl: service.baseUrl, tokenFile: service.tokenFile, lock: locking.lock },
  views: doctorViews,
  run,
});

async function run(invocation: Invocation): Promise<number> {
  const { output, interrupt } = invocation;
  const views = await chosenViews(invocation, doctorViews);
  const checks = await output.during('Checking', () => allChecks(invocation));
  if (interrupt.requested) {
    output.error('Interrupted.');
    return interrupt.exitCode;
  }
  views.all((view, options) => view({ version: build, checks }, options));
  return checks.some(({ status }) => status === 'failed') ? 1 : 0;
}

async function allChecks(invocation: Invocation): Promise<readonly DoctorCheck[]> {
  let settings: RunSettings;
  try {
    settings = await readSettings(invocation);
  } catch (error) {
    return [failedBy('settings', error, 'octavo schema config prints what octavo.config.yaml may contain')];
  }
  const { check, trees } = await manifestsCheck(invocation, settings);
  const [repository, service] = await Promise.all([
    gitChecks(invocation, settings),
    serviceChecks(invocation, settings, trees),
  ]);
  return [check, ...repository, ...service];
}
