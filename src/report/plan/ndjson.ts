/** A plan as lines of JSON: one for the plan, one for each object, refusal and unmanaged object. Pure. */
import type { EventLine } from '../../plan/event-schema.ts';
import { countActions, isEmptyPlan } from '../../plan/plan.ts';
import { defined } from '../../util/defined.ts';
import { stableStringify } from '../../util/json.ts';
import { safeJson } from '../text/safe-text.ts';
import type { LongView } from '../view.ts';
import type { MarkedPlan } from './json.ts';
import { isPartial } from './json.ts';
import type { ObjectChange } from './object-changes.ts';
import { type OrganizationView, viewPlan } from './plan-view.ts';

export const planNdjson: LongView<MarkedPlan> = function* ({ plan, marks }) {
  const view = viewPlan(plan);
  const { digest, approval, version } = marks;
  yield eventLine({
    type: 'plan',
    format: 1,
    version,
    digest,
    approval,
    empty: isEmptyPlan(plan),
    partial: isPartial(plan),
    counts: countActions(plan),
    organizations: view.organizations.map(({ name: label, plan: { organizationId: id }, base }) => ({
      label,
      id,
      ...defined({ base }),
    })),
  });
  for (const organization of view.organizations) yield* organizationLines(organization);
};

/** One line; ends with a line break. Secrets are templates, as in every document. */
export function eventLine(line: EventLine): string {
  return `${safeJson(stableStringify(line))}\n`;
}

function* organizationLines({ name, groups, plan }: OrganizationView): Generator<string> {
  for (const { changes } of groups) for (const change of changes) yield eventLine(changeLine(name, change));
  for (const { guard, address, message, suggestion, skipped = false } of plan.refusals)
    yield eventLine({ type: 'refusal', organization: name, guard, address, message, suggestion, skipped });
  for (const one of plan.unmanaged) yield eventLine({ type: 'unmanaged', organization: name, ...one });
}

function changeLine(organization: string, change: ObjectChange): Extract<EventLine, { type: 'change' }> {
  const { address, noun, action, reasons, fields, risks, cascade, title, group, place, at } = change;
  const alsoDeletes = cascade.map((one) => ({ noun: one.noun, title: one.title, id: one.id }));
  return {
    type: 'change',
    organization,
    address,
    noun,
    action,
    reasons,
    fields,
    risks,
    alsoDeletes,
    ...defined({ title, group, place, at }),
  };
}
