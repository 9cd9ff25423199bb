/** How the treatment of objects changed, in words. Pure. */
import type { OrganizationPlan, PolicyChange } from '../plan/plan.ts';
import { unreachable } from '../util/unreachable.ts';
import { inline } from './values.ts';

/** One line for each change, for example `no longer managed: sites/partners`. */
export function policyLines({ policy = [] }: OrganizationPlan): readonly string[] {
  return policy.map(policyText);
}

function policyText({ address, change, name = '', before, after }: PolicyChange): string {
  switch (change) {
    case 'released':
      return `no longer managed: ${address}`;
    case 'managed':
      return `managed again: ${address}`;
    case 'protected':
      return `protection added: ${address}`;
    case 'unprotected':
      return `protection lifted: ${address}`;
    case 'fields':
      return `no longer managed: ${name} of ${address}`;
    case 'ignored':
      return `ignored fields of ${address}: ${valueText(before)} → ${valueText(after)}`;
    case 'setting':
      return `settings.${name}: ${valueText(before)} → ${valueText(after)}`;
    default:
      return unreachable(change);
  }
}

function valueText(value: PolicyChange['before']): string {
  if (typeof value === 'string') return value;
  return inline(value) ?? '…';
}
