/** What `doctor` found, as text and as JSON. Pure. */
import { stableStringify } from '../util/json.ts';
import { append, greatest } from '../util/lists.ts';
import type { TextOptions } from './plan-text.ts';
import { safeText, wrap } from './safe-text.ts';
import { makeStyle, type Paint, type Style } from './style.ts';

/** `skipped`: not checked, since something before it failed or nothing needs it. */
export type CheckStatus = 'ok' | 'warning' | 'failed' | 'skipped';

/** One thing that was checked. */
export interface DoctorCheck {
  /** Stable, for programs: `token`. */
  readonly id: string;
  readonly status: CheckStatus;
  /** What was found: one clause without a final period. */
  readonly message: string;
  /** What to do about it. */
  readonly help?: string;
}

/** All checks, in the order in which they build on each other. */
export interface Checkup {
  readonly version: string;
  readonly checks: readonly DoctorCheck[];
}

const signs: Readonly<Record<CheckStatus, string>> = { ok: '✓', warning: '!', failed: '✗', skipped: '-' };

/** One line for each check, with a way out where one is needed. */
export function checkupText({ checks, version }: Checkup, { color, width }: TextOptions): string {
  const style = makeStyle({ color });
  const room = Math.min(Math.max(width, 80), 110);
  const column = greatest(checks.map(({ id }) => id.length));
  const lines = [`octavo ${version}`, ''];
  for (const { id, status, message, help } of checks) {
    const paint = paintOf(style, status);
    const texts = wrap(safeText(message), room - column - 6);
    append(
      lines,
      texts.map((text, at) =>
        at === 0
          ? `  ${paint(signs[status])} ${id.padEnd(column)}  ${text}`
          : `${' '.repeat(column + 6)}${text}`,
      ),
    );
    const helps =
      help === undefined ? [] : help.split('\n').flatMap((line) => wrap(safeText(line), room - column - 12));
    append(
      lines,
      helps.map((text, at) => `${' '.repeat(column + 6)}${at === 0 ? 'help: ' : '      '}${text}`),
    );
  }
  return `${[...lines, '', `${closing(checks)}.`].join('\n')}\n`;
}

/** One document. */
export function checkupJson({ checks, version }: Checkup): string {
  const healthy = !checks.some(({ status }) => status === 'failed');
  return `${stableStringify({ format: 1, version, healthy, checks }, 2)}\n`;
}

function closing(checks: readonly DoctorCheck[]): string {
  const count = (status: CheckStatus) => checks.filter((check) => check.status === status).length;
  const [failed, warnings, skipped] = [count('failed'), count('warning'), count('skipped')];
  if (failed + warnings + skipped === 0) return `All ${checks.length} checks passed`;
  const parts = [
    `${count('ok')} passed`,
    ...(warnings === 0 ? [] : [`${warnings} ${warnings === 1 ? 'warning' : 'warnings'}`]),
    ...(failed === 0 ? [] : [`${failed} failed`]),
    ...(skipped === 0 ? [] : [`${skipped} skipped`]),
  ];
  return `${checks.length} checks: ${parts.join(', ')}`;
}

function paintOf(style: Style, status: CheckStatus): Paint {
  switch (status) {
    case 'ok':
      return style.added;
    case 'warning':
      return style.risk;
    case 'failed':
      return style.removed;
    default:
      return style.faint;
  }
}
