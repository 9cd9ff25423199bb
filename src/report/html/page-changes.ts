/** The changes of a plan as the page shows them: values laid out, risks and places in words. Pure. */
import type { FieldChange, OrganizationPlan, Step } from '../../plan/plan.ts';
import { defined } from '../../util/defined.ts';
import { grouped } from '../../util/group.ts';
import { briefValues } from '../change-lines.ts';
import { isAlone, valuesOf } from '../change-texts.ts';
import { inBrief } from '../dangers.ts';
import type { ObjectChange } from '../object-changes.ts';
import type { OrganizationView } from '../plan-view.ts';
import { quote } from '../safe-text.ts';
import { showWhole } from '../values.ts';
import type { PageChange, PageField } from './page-data.ts';

/** The changes of both groups, as their groups have them. */
export function* pageChanges({ groups, plan }: OrganizationView): Generator<PageChange> {
  const refused = new Set(plan.refusals.map(({ address }) => address));
  const places = placesOf(plan);
  for (const { changes } of groups)
    for (const change of changes)
      yield pageChange(
        change,
        places.get(`${change.address} ${change.action}`) ?? [],
        refused.has(change.address),
      );
}

interface PlacedStep {
  readonly at: number;
  readonly step: Step;
}

/** The steps of each object, with their places in the list of all. */
function placesOf({ steps }: OrganizationPlan): ReadonlyMap<string, readonly PlacedStep[]> {
  const placed = steps.map((step, at): PlacedStep => ({ at, step }));
  return grouped(placed, ({ step }) => `${step.address} ${step.action}`);
}

function pageChange(change: ObjectChange, steps: readonly PlacedStep[], isRefused: boolean): PageChange {
  const { address, action, noun, title, group, cause, reasons, place, detours, risks, cascade } = change;
  const at = steps.map(({ step }) => step.at).find((range) => range !== undefined);
  return {
    address,
    action,
    noun,
    brief: briefOf(change),
    isDrift: group === 'drift',
    reasons,
    detours,
    risks,
    cascade: cascade.map((gone) => `${gone.noun} ${quote(gone.title)}`),
    fields: change.fields.map((field) => pageField(change, field)),
    isRefused,
    steps: steps.map((one) => one.at),
    ...defined({ title, cause, place, at: at && `${at.file}:${at.line}` }),
  };
}

/** Longer values are left to the object itself. */
const shortValues = 100;

function briefOf(change: ObjectChange): string {
  return briefValues(change, shortValues) ?? inBrief(change);
}

function pageField({ action }: ObjectChange, field: FieldChange): PageField {
  const shown = valuesOf(action, field);
  const isLost = field.after === undefined && field.before !== undefined && isAlone(action, field);
  const remarks = [
    ...(field.forcesReplacement === true ? ['forces replacement'] : []),
    ...(field.carried === true ? ['taken over from the replaced object'] : []),
    ...(field.cause === 'conflict' ? ['conflict: the manifests and the live state changed it'] : []),
  ];
  const values =
    shown.type === 'lines'
      ? { lines: shown.lines.map(({ type, text }) => [type, text] as const) }
      : isLost
        ? { before: shown.after }
        : defined({ before: shown.before, after: shown.after });
  return {
    name: field.field,
    remarks,
    ...values,
    ...defined({ applied: field.cause === 'conflict' ? appliedLines(field) : undefined }),
  };
}

/** The value that both sides changed. */
function appliedLines(field: FieldChange): readonly string[] | undefined {
  if (field.base === undefined) return undefined;
  const shown = showWhole(field.base, field);
  return shown.type === 'lines' ? shown.lines.map(({ text }) => text) : [shown.after];
}
