import { countOf } from '../../util/count.ts';
import { line, type Report, table } from '../blocks.ts';
import type { Style } from '../text/style.ts';

export type CheckStatus = 'ok' | 'warning' | 'failed';

export interface DoctorCheck {
  /** Stable name for programs: `token`. */
  readonly id: string;
  readonly status: CheckStatus;
  /** A clause without a final period. */
  readonly message: string;
  readonly help?: string;
}

export interface Checkup {
  readonly version: string;
  readonly checks: readonly DoctorCheck[];
}

const signs: Readonly<Record<CheckStatus, { readonly text: string; readonly as: keyof Style }>> = {
  ok: { text: '✓', as: 'added' },
  warning: { text: '!', as: 'risk' },
  failed: { text: '✗', as: 'removed' },
};

export const checkupReport: Report<Checkup> = {
  document: ({ version, checks }) => [
    [line(`octavo ${version}`)],
    [
      table(
        checks.map(({ id, status, message, help }) => [
          [signs[status], ` ${id}`],
          help === undefined ? message : `${message}\nhelp: ${help.replaceAll('\n', '\n      ')}`,
        ]),
        { wraps: true },
      ),
    ],
    [line(`${closing(checks)}.`)],
  ],
  data: ({ checks, version }) => ({
    format: 1,
    version,
    healthy: !checks.some(({ status }) => status === 'failed'),
    checks,
  }),
};

function closing(checks: readonly DoctorCheck[]): string {
  const count = (status: CheckStatus) => checks.filter((check) => check.status === status).length;
  const [failed, warnings] = [count('failed'), count('warning')];
  if (failed + warnings === 0) return `All ${checks.length} checks passed`;
  const parts = [
    `${count('ok')} passed`,
    ...(warnings === 0 ? [] : [countOf(warnings, 'warning')]),
    ...(failed === 0 ? [] : [`${failed} failed`]),
  ];
  return `${checks.length} checks: ${parts.join(', ')}`;
}
