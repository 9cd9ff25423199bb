/** The digest of a plan: two plans with the same digest do the same. And what of a later plan an earlier approval covers. */
import { createHash } from 'node:crypto';
import { registry } from '../kinds/index.ts';
import { isApproved } from '../plan/compare/compare-plans.ts';
import { type Effect, effectsOf } from '../plan/compare/effects.ts';
import type { Plan } from '../plan/plan.ts';
import type { PlanMarks } from '../report/plan-json.ts';
import { stableStringify } from '../util/json.ts';
import { version } from '../util/version.ts';

/** Fewest characters of a digest that `--expect` takes. */
const shortest = 12;
/** Characters per effect in an approval. */
const partLength = 12;

/** The SHA-256 of what the plan does and refuses, in hex; equal for equal meaning, whatever the wording or the order. */
export function planDigest(plan: Plan): string {
  const done = plan.organizations
    .map((organization) => ({
      organizationId: organization.organizationId,
      effects: effectsOf(organization, registry)
        .map(({ text }) => text)
        .sort(),
      refusals: organization.refusals
        .map(({ guard, address, steps }) => stableStringify([guard, address, [...steps].sort()]))
        .sort(),
    }))
    .sort((left, right) => (left.organizationId < right.organizationId ? -1 : 1));
  return createHash('sha256').update(stableStringify(done)).digest('hex');
}

/** The digest with a mark for each part of the plan: an approval of the plan, and of what will be left of it. */
function approvalOf(plan: Plan): string {
  const parts = [...new Set(effectsIn(plan).flatMap(({ approves }) => approves.map(partOf)))].sort();
  return `${planDigest(plan)}.${parts.join('')}`;
}

/** What a plan is recognised by, for its JSON form. */
export function marksOf(plan: Plan): PlanMarks {
  return { digest: planDigest(plan), approval: approvalOf(plan), version };
}

/** What `--expect` was given: a digest, or a digest with marks. */
export interface Expectation {
  /** The start of the digest, at least. */
  readonly digest: string;
  /** Absent where only the whole plan is approved. */
  readonly parts?: ReadonlySet<string>;
}

/** Reads what `--expect` was given; undefined for what no plan can have. */
export function parseExpectation(text: string): Expectation | undefined {
  const [, digest = '', marks] = /^(?:sha256:)?([0-9a-f]+)(?:\.([\w-]*))?$/i.exec(text.trim()) ?? [];
  if (digest.length < shortest || digest.length > 64) return undefined;
  if (marks === undefined) return { digest: digest.toLowerCase() };
  if (marks.length % partLength !== 0) return undefined;
  const parts = new Set<string>();
  for (let at = 0; at < marks.length; at += partLength) parts.add(marks.slice(at, at + partLength));
  return { digest: digest.toLowerCase(), parts };
}

/** True when the plan is the expected one. */
export function isExpected(digest: string, expected: Expectation): boolean {
  return digest.startsWith(expected.digest);
}

/** What of a plan an approval does not cover. */
export function notCovered(plan: Plan, parts: ReadonlySet<string>): readonly Effect[] {
  return effectsIn(plan).filter(
    ({ approvedBy }) => !isApproved(parts, { approvedBy: approvedBy.map(partOf) }),
  );
}

function effectsIn(plan: Plan): readonly Effect[] {
  return plan.organizations.flatMap((organization) => effectsOf(organization, registry));
}

function partOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url').slice(0, partLength);
}
