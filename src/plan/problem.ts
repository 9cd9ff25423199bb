import type { DesiredNode } from '../tree/desired.ts';
import type { Diagnostic } from '../util/diagnostic.ts';

type About = Omit<Diagnostic, 'severity' | 'address' | 'at'> & Partial<Pick<Diagnostic, 'severity'>>;

/** An error, unless it says otherwise. At the first of the fields that the manifests have, or else at the object. */
export function problemOf(desired: DesiredNode, about: About, ...fields: readonly string[]): Diagnostic {
  const [at = desired.at] = fields.flatMap((field) => desired.fieldAt[field] ?? []);
  return { severity: 'error', ...about, address: desired.address, at };
}
