/**
 * A plan as its page reads it: the view that all formats share, with values and requests as text. The script of the page uses
 * these types. Pure.
 */
import type { FieldChange, OrganizationPlan } from '../../plan/plan.ts';
import { defined } from '../../util/defined.ts';
import { inBrief, isAlone, valuesOf } from '../plan/change-lines.ts';
import { foldChanges } from '../plan/change-tree.ts';
import type { ObjectChange } from '../plan/object-changes.ts';
import type { ChangeGroup, OrganizationView, PlanView } from '../plan/plan-view.ts';
import { type ShownChange, showWhole } from '../plan/values.ts';
import type { PageStep } from './page-requests.ts';
import { type SiteView, siteViews } from './site-view.ts';

export interface PageData extends Pick<PlanView, 'counts' | 'closing'> {
  /** For example `Plan for Acme`. */
  readonly title: string;
  readonly facts: readonly { readonly name: string; readonly value: string; readonly link?: string }[];
  /** Shown first: a partial plan, a missing base. */
  readonly notices: readonly string[];
  readonly organizations: readonly PageOrganization[];
  /** Unmanaged objects that count as drift; empty if none do. */
  readonly unmanaged: string;
}

export interface PageOrganization
  extends Omit<OrganizationView, 'plan' | 'groups' | 'unchanged'>,
    Pick<OrganizationPlan, 'notes' | 'unmanaged'> {
  readonly groups: readonly Pick<ChangeGroup, 'group' | 'heading'>[];
  readonly unchanged: number;
  readonly sites: readonly SiteView[];
  readonly changes: readonly PageChange[];
  readonly steps: readonly PageStep[];
}

export interface PageChange extends Omit<ObjectChange, 'fields' | 'riskFields'> {
  readonly brief: string;
  /** Addresses of changes that are alike; they have no line of their own in the overview. */
  readonly alike?: readonly string[];
  readonly isFolded?: true;
  readonly isRefused: boolean;
  readonly fields: readonly PageField[];
}

export interface PageField
  extends Pick<FieldChange, 'field' | 'cause' | 'undecided' | 'forcesReplacement' | 'carried' | 'at'> {
  readonly shown: ShownChange;
  /** The value that is shown will be lost. */
  readonly isLost?: true;
  /** Last applied value of a conflict. */
  readonly applied?: ShownChange;
}

/** Without lists, which may be very long. */
export function pageOrganization({
  plan,
  groups,
  unchanged,
  ...view
}: OrganizationView): Omit<PageOrganization, 'changes' | 'steps'> {
  return {
    ...view,
    groups: groups.map(({ group, heading }) => defined({ group, heading })),
    notes: plan.notes,
    unmanaged: plan.unmanaged,
    unchanged: unchanged.length,
    sites: siteViews(plan),
  };
}

export function* pageChanges({ groups, plan }: OrganizationView): Generator<PageChange> {
  const forbidden = new Set(plan.refusals.flatMap(({ steps }) => steps));
  const refused = new Set(plan.refusals.map(({ address }) => address));
  for (const { id, address } of plan.steps) if (forbidden.has(id)) refused.add(address);
  for (const { changes } of groups) {
    const folded = new Map<ObjectChange, Pick<PageChange, 'alike' | 'isFolded'>>();
    for (const [first, ...others] of foldChanges(changes)) {
      if (first === undefined || others.length === 0) continue;
      folded.set(first, { alike: others.map(({ address }) => address) });
      for (const other of others) folded.set(other, { isFolded: true });
    }
    for (const change of changes) {
      const { riskFields: _, ...rest } = change;
      yield {
        ...rest,
        ...folded.get(change),
        brief: inBrief(change),
        isRefused: refused.has(change.address),
        fields: change.fields.map((field) => pageField(change, field)),
      };
    }
  }
}

function pageField({ action }: ObjectChange, change: FieldChange): PageField {
  const { field, cause, undecided, forcesReplacement, carried, before, after, base, at } = change;
  const isLost = after === undefined && before !== undefined && isAlone(action, change);
  return {
    field,
    shown: valuesOf(action, change),
    ...defined({
      cause,
      undecided,
      forcesReplacement,
      carried,
      at,
      isLost: isLost ? (true as const) : undefined,
      applied: cause === 'conflict' && base !== undefined ? showWhole(base, change) : undefined,
    }),
  };
}
