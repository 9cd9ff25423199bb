import type { DoctorCheck } from '../../report/results/checkup.ts';
import { lineText } from '../../util/places.ts';
import { reasonOf } from '../../util/user-error.ts';
import { problemsOf } from '../show/failure.ts';

export function ok(id: string, message: string): DoctorCheck {
  return { id, status: 'ok', message };
}

/** Works, but may not be intended. */
export function warning(id: string, message: string, help: string): DoctorCheck {
  return { id, status: 'warning', message, help };
}

export function failed(id: string, message: string, help?: string): DoctorCheck {
  return { id, status: 'failed', message, ...(help === undefined ? {} : { help }) };
}

export function skipped(id: string, message: string): DoctorCheck {
  return { id, status: 'skipped', message };
}

/** With the help of the error, if it has any. */
export function failedBy(id: string, error: unknown): DoctorCheck {
  const [first, ...more] = problemsOf(error);
  if (first === undefined) return failed(id, reasonOf(error));
  const place = first.at === undefined ? '' : `${lineText(first.at)}: `;
  const others = more.length === 0 ? '' : ` (and ${more.length} more)`;
  return failed(id, `${place}${first.message}${others}`, first.suggestion);
}
