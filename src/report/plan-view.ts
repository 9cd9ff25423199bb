/**
 * A plan as people read it, gathered once for all formats: by organization what is dangerous, what changes and what
 * drifted, what is refused, unmanaged or left out. Formats lay it out and decide nothing. Pure.
 */
import {
  type Counts,
  countActions,
  isEmptyPlan,
  type OrganizationPlan,
  type Plan,
  type PolicyChange,
  type Refusal,
} from '../plan/plan.ts';
import type { Rehearsal } from '../plan/rehearsal.ts';
import { countOf } from '../util/count.ts';
import { defined } from '../util/defined.ts';
import { greatest } from '../util/lists.ts';
import { unreachable } from '../util/unreachable.ts';
import { type ChangeEntry, changeTree } from './change-tree.ts';
import { countsByKind, type Danger, dangersOf } from './dangers.ts';
import { foldEqual } from './fold.ts';
import { partialText } from './left-out.ts';
import { byAddress } from './natural-order.ts';
import { type CauseGroup, type ObjectChange, objectChanges } from './object-changes.ts';
import { closingSentences, isDrift, missingBaseNote } from './plan-closing.ts';
import type { PlanMarks } from './plan-json.ts';
import { inline } from './values.ts';

/** A plan, what it is recognised by, and its rehearsal where there was one. */
export interface MarkedPlan {
  readonly plan: Plan;
  readonly marks: PlanMarks;
  readonly rehearsal?: Rehearsal;
}

/** The changes of one group of causes. */
export interface ChangeGroup {
  /** Absent without a base. */
  readonly group?: CauseGroup;
  /** What the changes have in common; absent where there is only one group. */
  readonly heading?: string;
  readonly changes: readonly ObjectChange[];
  /** The same changes by address, each written once. */
  readonly entries: readonly ChangeEntry[];
}

/** One organization of a plan. */
export interface OrganizationView {
  /** The data that all of this is made from. */
  readonly plan: OrganizationPlan;
  /** What people call it, and its id where that is something else. */
  readonly name: string;
  readonly id?: string;
  /** For example `main@4f1c2aa`; absent without a base. */
  readonly base?: string;
  /** Objects by action; an object counts once. */
  readonly counts: Counts;
  /** Changed objects of both groups; one that both changed and drifted counts in both. */
  readonly changed: {
    readonly change: number;
    readonly drift: number;
    /** Fields that both the manifests and the live state changed, each to another value. */
    readonly conflicts: number;
  };
  /** For example `12 teams (10 create, 2 update), 3 sections (3 move)`. */
  readonly kinds: string;
  /** Deletes, replacements and risks, deletes in front. */
  readonly dangers: readonly Danger[];
  readonly groups: readonly ChangeGroup[];
  readonly refusals: readonly RefusalGroup[];
  /** How the treatment of objects changes; nothing is sent for it. */
  readonly policy: readonly string[];
  /** Declared objects that exist and stay as they are, by address. */
  readonly unchanged: readonly string[];
}

/** A whole plan. */
export interface PlanView {
  readonly organizations: readonly OrganizationView[];
  readonly counts: Counts;
  readonly isEmpty: boolean;
  /** True for drift alone: there is nothing to apply. */
  readonly isDrift: boolean;
  /** For example `Partial plan: only teams/writers and dependencies.`; absent for a whole plan. */
  readonly partial?: string;
  /** What cannot be known without a base; absent where nothing is missing. */
  readonly missingBase?: string;
  /** The plan in sentences: counts, causes, refusals and what was left out. The first has the counts. */
  readonly closing: readonly string[];
  readonly requests: Requests;
}

/** What apply sends. */
interface Requests {
  /** Requests that change something. */
  readonly writes: number;
  /** True where some of them are left out if a look shows that they are not needed. */
  readonly atMost: boolean;
  /** Writes that can only be sent one after the other. */
  readonly inSequence: number;
}

/** The headings of the groups of causes; without a base there is one group and no heading. */
const headings: Readonly<Record<CauseGroup, string>> = {
  change: 'Changes from this commit',
  drift: 'Drift: changed outside git, will be reverted',
};

const driftHeading = 'Drift: changed outside git; octavo apply reverts it';
const differenceHeading = 'Differences from the manifests; octavo apply reverts them';

/** Gathers all that reports show of a plan. */
export function viewPlan(plan: Plan): PlanView {
  return {
    organizations: plan.organizations.map(viewOrganization),
    counts: countActions(plan),
    isEmpty: isEmptyPlan(plan),
    isDrift: isDrift(plan),
    ...defined({ partial: partialText(plan), missingBase: missingBaseNote(plan) }),
    closing: closingSentences(plan),
    requests: isDrift(plan) ? { writes: 0, atMost: false, inSequence: 0 } : requestsOf(plan),
  };
}

function viewOrganization(plan: OrganizationPlan): OrganizationView {
  const changes = objectChanges(plan);
  const { label, organizationId, base, refusals, ids } = plan;
  const groups = ([undefined, 'change', 'drift'] as const).flatMap((group) => groupOf(plan, changes, group));
  const inGroup = (wanted: CauseGroup) => changes.filter(({ group = 'change' }) => group === wanted).length;
  const changed = new Set(plan.steps.map(({ address }) => address));
  return {
    plan,
    name: label,
    ...defined({
      id: label === organizationId ? undefined : organizationId,
      base: base === undefined ? undefined : baseText(base),
    }),
    counts: countActions({ format: 1, organizations: [plan] }),
    changed: { change: inGroup('change'), drift: inGroup('drift'), conflicts: conflictsIn(changes) },
    kinds: countsByKind(changes),
    dangers: dangersOf(changes),
    groups,
    refusals: groupRefusals(refusals),
    policy: policyLines(plan),
    get unchanged() {
      return Object.keys(ids)
        .filter((address) => !changed.has(address))
        .sort(byAddress);
    },
  };
}

function conflictsIn(changes: readonly ObjectChange[]): number {
  return changes.reduce(
    (sum, { fields }) => sum + fields.filter(({ cause }) => cause === 'conflict').length,
    0,
  );
}

function groupOf(
  { undoes, shows, withBase }: OrganizationPlan,
  changes: readonly ObjectChange[],
  group: CauseGroup | undefined,
): readonly ChangeGroup[] {
  const members = changes.filter((change) => change.group === group);
  if (members.length === 0) return [];
  const undo = undoes === undefined ? undefined : `Undo of run ${undoes}`;
  const drifted = withBase ? driftHeading : differenceHeading;
  const heading = group && (undo ?? (shows === 'drift' ? drifted : headings[group]));
  return [{ ...defined({ group, heading }), changes: members, entries: changeTree(members) }];
}

/** For example `main@4f1c2aa`. */
function baseText({ name, commit }: NonNullable<OrganizationPlan['base']>): string {
  return commit === undefined || name.startsWith(commit.slice(0, 7)) ? name : `${name}@${commit.slice(0, 7)}`;
}

/** For example `At most 38 requests to apply it`; without a period. */
export function requestsText({ writes, atMost }: PlanView['requests']): string {
  return `${atMost ? 'At most ' : ''}${countOf(writes, 'request')} to apply it`;
}

function requestsOf({ organizations }: Plan): Requests {
  let writes = 0;
  let inSequence = 0;
  let atMost = false;
  for (const { steps } of organizations) {
    const ends = new Map<string, number>();
    for (const { id, calls, needs, after } of steps) {
      const own = calls.filter(({ find }) => find === undefined);
      const start = greatest([...needs, ...after].map((before) => ends.get(before) ?? 0));
      ends.set(id, start + own.length);
      writes += own.length;
      inSequence = Math.max(inSequence, start + own.length);
      atMost ||= own.some(({ unlessPlaced }) => unlessPlaced !== undefined);
    }
  }
  return { writes, inSequence, atMost };
}

/** One line for each change, for example `no longer managed: sites/partners`. */
function policyLines({ policy = [] }: OrganizationPlan): readonly string[] {
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

/** Refusals that differ in nothing but the object. */
interface RefusalGroup {
  /** Told in full. */
  readonly first: Refusal;
  /** The addresses of the others. */
  readonly others: readonly string[];
}

/** The refusals in order of their addresses, equal ones together. */
function groupRefusals(refusals: readonly Refusal[]): readonly RefusalGroup[] {
  const sorted = [...refusals].sort((left, right) => byAddress(left.address, right.address));
  return foldEqual(sorted, meaningOf).flatMap(([first, ...rest]) =>
    first === undefined ? [] : [{ first, others: rest.map(({ address }) => address) }],
  );
}

/** What a refusal says, whatever object it says it of. */
function meaningOf({ guard, address, message, suggestion }: Refusal): string {
  const general = (text: string) => text.replaceAll(address, '*').replace(/"(?:[^"\\]|\\.)*"/g, '""');
  return JSON.stringify([guard, general(message), general(suggestion)]);
}
