/** Makes the results of checks, also of what throws. */
import type { DoctorCheck } from '../../report/doctor.ts';
import { reasonOf } from '../../util/user-error.ts';
import { problemsOf } from '../failure.ts';

/** Nothing to do. */
export function ok(id: string, message: string): DoctorCheck {
  return { id, status: 'ok', message };
}

/** Works, and may not be what was meant. */
export function warning(id: string, message: string, help: string): DoctorCheck {
  return { id, status: 'warning', message, help };
}

/** Does not work. */
export function failed(id: string, message: string, help?: string): DoctorCheck {
  return { id, status: 'failed', message, ...(help === undefined ? {} : { help }) };
}

/** Not checked. */
export function skipped(id: string, message: string): DoctorCheck {
  return { id, status: 'skipped', message };
}

/** What went wrong, with the way out that the error has. */
export function failedBy(id: string, error: unknown): DoctorCheck {
  const [first, ...more] = problemsOf(error);
  if (first === undefined) return failed(id, reasonOf(error));
  const place = first.at === undefined ? '' : `${first.at.file}:${first.at.line}: `;
  const others = more.length === 0 ? '' : ` (and ${more.length} more)`;
  return failed(id, `${place}${first.message}${others}`, first.suggestion);
}
