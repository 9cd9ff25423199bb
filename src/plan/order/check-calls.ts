/** Checks every planned call against the contract, so that a plan shows only requests that the service can accept. */
import type * as z from 'zod';
import { isLacking } from '../../contract/form.ts';
import { type OperationId, operations } from '../../contract/index.ts';
import type { Operation } from '../../contract/operation.ts';
import { referredAddress } from '../../kinds/parts/payload.ts';
import { defined } from '../../util/defined.ts';
import type { Diagnostic } from '../../util/diagnostic.ts';
import { FileText } from '../../util/file-text.ts';
import { mapInside } from '../../util/json.ts';
import { merged } from '../../util/nested.ts';
import { Secret } from '../../util/secret.ts';
import type { PlanContext } from '../context.ts';
import type { DraftStep, PlanDraft } from './draft.ts';

export function checkCalls(context: PlanContext, draft: PlanDraft): readonly Diagnostic[] {
  const { registry } = context;
  return [...draft.steps.values()].flatMap((step) =>
    step.calls.flatMap((call) => {
      const operation: Operation = operations[call.operation];
      const isLacked = registry.form !== undefined && isLacking(registry.form, operation.newer?.needs);
      const body = (isLacked ? undefined : operation.newer?.body) ?? operation.body;
      if (body === null) return [];
      const settled = settle(call.body ?? {});
      const parsed = body.safeParse(call.mergedInto === undefined ? settled : merged({}, settled));
      if (parsed.success) return [];
      const declared = context.desired.get(step.address)?.fieldAt ?? {};
      // The service accepts its own value back, even if the API does not list it.
      const issues = parsed.error.issues.filter(
        ({ code, path: [field = ''] }) => code !== 'invalid_value' || String(field) in declared,
      );
      return issues.map((issue) => callProblem(context, step, { operation: call.operation, issue }));
    }),
  );
}

function settle(value: unknown): unknown {
  if (value instanceof Secret || value instanceof FileText) return value.reveal();
  return referredAddress(value) === undefined ? mapInside(value, settle) : 'id';
}

function callProblem(
  context: PlanContext,
  { noun, address }: DraftStep,
  { operation, issue }: { readonly operation: OperationId; readonly issue: z.core.$ZodIssue },
): Diagnostic {
  const field = String(issue.path[0] ?? '').replace(/Id$/, '');
  const desired = context.desired.get(address);
  const at = desired?.fieldAt[field] ?? desired?.at;
  const missing =
    desired !== undefined && desired.fields[field] === undefined && issue.code === 'invalid_type';
  return {
    severity: 'error',
    code: 'call-not-accepted',
    message: missing
      ? `a new ${noun} needs ${field}`
      : `${field === '' ? 'the request' : field}: ${issue.message} (${operation})`,
    address,
    ...defined({ at }),
    suggestion: missing ? `add ${field}:` : 'use a value that the API documents',
  };
}
