/** Steps that the API has no requests for. */
import type { Unsupported } from '../../kinds/kind.ts';
import type { DesiredNode } from '../../tree/desired.ts';
import type { Diagnostic } from '../../util/diagnostic.ts';
import type { PlanContext } from '../context.ts';
import type { Cause } from '../plan.ts';

/** A step that cannot be made. */
export interface ImpossibleStep {
  readonly phase: 'create' | 'update';
  /** The field that cannot be changed. */
  readonly field?: string | undefined;
  readonly cause: Cause | undefined;
}

/** The problem of a step that no request could make, whatever is live. */
export function impossibleProblem(
  context: PlanContext,
  desired: DesiredNode,
  { phase, field, impossible }: ImpossibleStep & { readonly impossible: Unsupported },
): Diagnostic {
  return {
    severity: 'error',
    code: phase === 'create' ? 'cannot-create' : 'cannot-change',
    message: `${context.kindOf(desired).noun} ${desired.key}: ${impossible.unsupported}`,
    address: desired.address,
    at: (field === undefined ? undefined : desired.fieldAt[field]) ?? desired.at,
    suggestion: impossible.suggestion,
  };
}
