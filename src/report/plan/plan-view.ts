/**
 * A plan for people, prepared once for all formats: for each organization its dangers, changes, drift, refusals, unmanaged
 * objects and omitted parts. Formats only do the layout. Pure.
 */

import {
  countActions,
  isEmptyPlan,
  type OrganizationPlan,
  type Plan,
  type Refusal,
} from '../../plan/plan.ts';
import {
  type CauseGroup,
  changedGroups,
  type ObjectChange,
  objectChanges,
} from '../../review/object-changes.ts';
import type { PolicyChange, ReviewedOrganization, ReviewedPlan } from '../../review/reviewed-plan.ts';
import { rootAddress } from '../../tree/desired.ts';
import { countOf } from '../../util/count.ts';
import { byAddress } from '../../util/natural-order.ts';
import { type Block, faint, line, note, strong } from '../blocks.ts';
import { changeTree } from './change-tree.ts';
import { closingOf, countedUnmanaged, isDrift, missingBaseNote, partialText } from './closing.ts';
import { countsByKind, dangersOf, foldEqual } from './dangers.ts';
import { viewAccess, viewAddresses, viewEndings, viewRules } from './parts.ts';
import { inline } from './values.ts';

export type ChangeGroup = ReturnType<typeof groupOf>[number];

export type OrganizationView = PlanView['organizations'][number];

export type PlanView = ReturnType<typeof viewPlan>;

const headings: Readonly<Record<CauseGroup, string>> = {
  change: 'Changes from this commit',
  drift: 'Drift: changed outside git, will be reverted',
};

const driftHeading = 'Drift: changed outside git; octavo apply reverts it';
const differenceHeading = 'Differences from the manifests; octavo apply reverts them';

export function viewPlan(plan: ReviewedPlan) {
  const { binding = [] } = plan;
  const [closing, partial, missingBase] = [closingOf(plan), partialText(plan), missingBaseNote(plan)];
  const organizations = plan.organizations.map((one) => ({
    ...viewOrganization(one, plan.organizations.length > 1 ? `${one.label}/` : ''),
    /** Service chosen by the checkout, for example `local:octavo.db`. */
    service: plan.embedded,
    overlay: plan.overlays?.join(', '),
  }));
  const sum = (name: keyof (typeof organizations)[number]['changed']) =>
    organizations.reduce((total, { changed }) => total + changed[name], 0);
  return {
    organizations,
    counts: countActions(plan),
    changed: {
      change: sum('change'),
      drift: sum('drift'),
      conflicts: sum('conflicts'),
      refused: sum('refused'),
    },
    /** Unmanaged objects that count as drift, for example `2 unmanaged teams`; may be empty. */
    unmanaged: countedUnmanaged(plan.organizations),
    isEmpty: isEmptyPlan(plan),
    /** True for a drift report, which cannot be applied. */
    isDrift: isDrift(plan),
    binding: binding.length > 0 ? [`changes ${binding.join(', ')}: from the next request on`] : [],
    /** Undefined for a whole plan. */
    partial,
    /** Parts that are unknown without a base; undefined if all are known. */
    missingBase,
    /** Omitted from the plan: other targets, removals without a base, drift, unmanaged objects. */
    scope: [partial, missingBase, ...closing.leftOut].filter((text) => text !== undefined),
    closing,
    /** Example: `At most 12 requests`, if some may be skipped; undefined without requests to send. */
    requests: isDrift(plan) ? undefined : requestsText(plan),
    bases: [...new Set(organizations.flatMap(({ base }) => base ?? []))],
  };
}

function viewOrganization(plan: ReviewedOrganization, prefix: string) {
  const changes = objectChanges(plan);
  const { label, title, organizationId: id, base, refusals, ids, review } = plan;
  const [own, more] = prefix === '' ? [title ?? label, id] : [label, title ?? id];
  const inGroup = (wanted: CauseGroup) => changes.filter(({ group = 'change' }) => group === wanted).length;
  const conflicts = changes.flatMap(({ fields }) => fields.filter(({ cause }) => cause === 'conflict'));
  const changed = new Set(plan.steps.map(({ address }) => address));
  return {
    plan,
    /** Example: `Acme (org_acme)`; in reports of several, as addresses begin: `org_acme (Acme)`. */
    name: own === more ? own : `${own} (${more})`,
    /** Before addresses in reports of several organizations, for example `acme/`; otherwise empty. */
    prefix,
    base: base && baseText(base),
    /** Objects by action; each counts once. */
    counts: countActions({ format: 1, organizations: [plan] }),
    /** Number of objects in each group; an object that changed and drifted counts in both. */
    changed: {
      change: inGroup('change'),
      drift: inGroup('drift'),
      conflicts: conflicts.length,
      refused: refusals.length,
    },
    kinds: countsByKind(changes),
    parts: [
      viewAccess(review?.access ?? { changes: [] }, changes, changedGroups(plan.steps)),
      review && viewAddresses(review),
      viewRules(plan),
      plan.shows === 'drift' ? viewEndings(review) : undefined,
    ].filter((part) => part !== undefined),
    dangers: dangersOf(
      changes,
      review?.expiring?.filter(({ ends }) => ends === undefined),
    ),
    groups: ([undefined, 'change', 'drift'] as const).flatMap((group) => groupOf(plan, changes, group)),
    refusals: groupRefusals(refusals),
    refusalTitle: refusals.every(({ skipped }) => skipped === true)
      ? 'Refused, left out with all dependents'
      : 'Refused',
    /** Changes in how objects are managed, without requests. */
    policy: (review?.policy ?? []).map((one) => policyTexts[one.change](one)),
    /** Live declared objects without changes, by address. */
    get unchanged() {
      return Object.keys(ids)
        .filter((address) => !changed.has(address))
        .sort(byAddress);
    },
  };
}

function groupOf(
  { undoes, shows, withBase }: OrganizationPlan,
  changes: readonly ObjectChange[],
  group: CauseGroup | undefined,
) {
  const members = changes.filter((change) => change.group === group);
  if (members.length === 0) return [];
  const undo = undoes === undefined ? undefined : `Undo of run ${undoes}`;
  const drifted = withBase ? driftHeading : differenceHeading;
  const heading = group && (undo ?? (shows === 'drift' ? drifted : headings[group]));
  return [{ group, heading, changes: members, entries: changeTree(members) }];
}

const aheadTexts = {
  merge: ', merged with HEAD',
  own: ', the common ancestor',
  back: ', ahead of HEAD',
} as const;

function baseText({ name, commit, behind }: NonNullable<OrganizationPlan['base']>): string {
  const isNamed = commit === undefined || name.startsWith(commit.slice(0, 7));
  const ahead = behind === undefined ? '' : aheadTexts[behind];
  return `${isNamed ? name : `${name}@${commit.slice(0, 7)}`}${ahead}`;
}

function requestsText({ organizations }: Plan): string | undefined {
  const calls = organizations.flatMap(({ steps }) => steps.flatMap((step) => step.calls));
  const writes = calls.filter(({ find }) => find === undefined);
  if (writes.length === 0) return undefined;
  const atMost = writes.some(({ unlessPlaced }) => unlessPlaced !== undefined);
  return `${atMost ? 'At most ' : ''}${countOf(writes.length, 'request')}`;
}

const policyTexts: Readonly<Record<PolicyChange['change'], (one: PolicyChange) => string>> = {
  released: releasedText,
  managed: ({ address }) => `managed again: ${address}`,
  taken: ({ name = '' }) => `now managed: ${name}`,
  protected: ({ address }) => `protection added: ${address}`,
  unprotected: ({ address }) => `protection lifted: ${address}`,
  fields: ({ address, name = '' }) => `no longer managed: ${name} of ${address}`,
  additive: ({ address, name = '' }) => `additive now: ${name} of ${address}`,
  exact: ({ address, name = '' }) => `exact now: ${name} of ${address}`,
  ignored: ({ address, ...values }) => `ignored fields of ${address}: ${changeText(values)}`,
  until: ({ address, name = '', before = null, after = null }) =>
    `last day of ${name === '' ? '' : `${name} of `}${address}: ${changeText({ before, after })}`,
  setting: ({ name = '', ...values }) => `settings.${name}: ${changeText(values)}`,
};

function releasedText({ address, name = '', noun, count = 0 }: PolicyChange): string {
  if (noun === undefined) return `no longer managed: ${address}`;
  return (
    `no longer managed: ${countOf(count, noun)}${address === rootAddress ? '' : ` of ${address}`} ` +
    `(to delete ${count === 1 ? 'it' : 'them'} instead, write ${name}: {}, or \${clear} in an overlay)`
  );
}

function changeText({ before, after }: Pick<PolicyChange, 'before' | 'after'>): string {
  return `${valueText(before)} → ${valueText(after)}`;
}

function valueText(value: PolicyChange['before']): string {
  if (typeof value === 'string') return value;
  return inline(value) ?? '…';
}

export type RefusalGroup = ReturnType<typeof groupRefusals>[number];

/** Sorted by address, with those together that differ only in the object. */
function groupRefusals(refusals: readonly Refusal[]) {
  const sorted = [...refusals].sort((left, right) => byAddress(left.address, right.address));
  return foldEqual(sorted, meaningOf).map(([first, ...rest]) => ({
    first,
    others: rest.map(({ address }) => address),
  }));
}

/** A refusal without the names of its object. */
function meaningOf({ guard, address, message, suggestion }: Refusal): string {
  const general = (text: string) => text.replaceAll(address, '*').replace(/"(?:[^"\\]|\\.)*"/g, '""');
  return JSON.stringify([guard, general(message), general(suggestion)]);
}

const copied = (text: string): Block => ({ type: 'code', lines: [text.trim()], language: '', indent: 10 });

export function refusalBlocks({ first, others }: RefusalGroup): readonly Block[] {
  const { guard, address, message, suggestion } = first;
  return [
    line('  ', { text: '✗', as: 'removed' }, ' ', strong(address), '  ', faint(`guard: ${guard}`)),
    note(message, 6),
    // Lines to copy are neither joined with others nor broken.
    ...suggestion.split('\n').map((text) => (text.startsWith('  ') ? copied(text) : note(`→ ${text}`, 6))),
    ...(others.length > 0 ? [note(`and in the same way ${others.join(', ')}`, 6)] : []),
  ];
}
