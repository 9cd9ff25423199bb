import type { DesiredNode } from '../tree/desired.ts';
import type { Diagnostic } from '../util/diagnostic.ts';

type About = Omit<Diagnostic, 'severity' | 'address' | 'at'> & Partial<Pick<Diagnostic, 'severity'>>;

/** Makes a problem, by default an error, at the first declared field of `fields`, or else at the object. */
export function problemOf(desired: DesiredNode, about: About, ...fields: readonly string[]): Diagnostic {
  const [at = desired.at] = fields.flatMap((field) => desired.fieldAt[field] ?? []);
  return { severity: 'error', ...about, address: desired.address, at };
}
