/** The digest of a plan: plans with the same digest do the same. Also compares a later plan with an earlier approval. */
import { createHash } from 'node:crypto';
import { registry } from '../../kinds/index.ts';
import { type Effect, effectsOf, isApproved } from '../../plan/compare/effects.ts';
import type { OrganizationPlan, Plan } from '../../plan/plan.ts';
import type { PlanDigests } from '../../review/plan-document.ts';
import { stablePieces, stableStringify } from '../../util/json.ts';
import { remembered } from '../../util/remembered.ts';
import { version } from '../../util/version.ts';

/** Minimum length that `--approved` accepts. */
const shortest = 12;
const partLength = 12;

/** SHA-256 in hex of the plan's changes and refusals, independent of wording and order. Cached, because a command needs it repeatedly. */
export const planDigest = remembered(makeDigest);

function makeDigest(plan: Plan): string {
  const done = plan.organizations
    .map((organization) => ({
      organizationId: organization.organizationId,
      effects: effectsOf(organization, registry)
        .map(({ text }) => text)
        .sort(),
      refusals: organization.refusals
        .map(({ guard, address, steps, rule }) =>
          stableStringify([guard, address, [...steps].sort(), ...(rule === undefined ? [] : [rule])]),
        )
        .sort(),
      ...(organization.findings === undefined ? {} : { lifted: liftedIn(organization) }),
    }))
    .sort((left, right) => (left.organizationId < right.organizationId ? -1 : 1));
  const hash = createHash('sha256');
  hash.update(serviceIn(plan));
  for (const piece of stablePieces(done)) hash.update(piece);
  return hash.digest('hex');
}

function liftedIn({ findings = [] }: OrganizationPlan): readonly string[] {
  return findings
    .filter(({ lifted }) => lifted !== undefined)
    .map(({ rule, address }) => stableStringify([rule, address]))
    .sort();
}

/** An approval never covers refused steps, even if the refusal is lifted later. */
export function withoutRefused(plan: Plan): Plan {
  const organizations = plan.organizations.map((organization) => {
    const standing = organization.refusals.filter(({ skipped }) => skipped !== true);
    const refused = new Set(standing.flatMap(({ steps }) => steps));
    const isWhole = standing.some(({ steps }) => steps.length === 0);
    return { ...organization, steps: organization.steps.filter(({ id }) => !isWhole && !refused.has(id)) };
  });
  return { ...plan, organizations };
}

/** Computed on demand. The approval covers the plan and any remainder of it. */
export function digestsOf(plan: Plan): PlanDigests {
  return {
    get digest() {
      return planDigest(plan);
    },
    version,
    get approval() {
      const approved = effectsIn(withoutRefused(plan)).flatMap(({ approves }) => approves);
      const parts = new Set(approved.map((text) => partOf(plan, text)));
      return `${planDigest(plan)}.${[...parts].sort().join('')}`;
    },
  };
}

/** `--approved` as passed: a digest, or a digest with marks. */
export interface Expectation {
  /** Full digests or their starts, one for each approved plan: the plan must have one of them. */
  readonly digests: readonly string[];
  /** Absent if only the whole plan is approved. */
  readonly parts?: ReadonlySet<string>;
  /** Ways on from changes that the merged requests do not approve. */
  readonly ways?: readonly string[];
}

export function parseExpectation(text: string): Expectation | undefined {
  const [, digest = '', hashes] = /^(?:sha256:)?([0-9a-f]+)(?:\.([\w-]*))?$/i.exec(text.trim()) ?? [];
  if (digest.length < shortest || digest.length > 64) return undefined;
  const digests = [digest.toLowerCase()];
  if (hashes === undefined) return { digests };
  if (hashes.length % partLength !== 0) return undefined;
  const parts = new Set<string>();
  for (let at = 0; at < hashes.length; at += partLength) parts.add(hashes.slice(at, at + partLength));
  return { digests, parts };
}

export function isExpected(digest: string, expected: Expectation): boolean {
  return expected.digests.some((one) => digest.startsWith(one));
}

export function notCovered(plan: Plan, expected: Expectation): readonly Effect[] {
  const isCovered = coveredBy(plan, expected);
  return effectsIn(plan).filter((effect) => !isCovered(effect));
}

export function coveredBy(
  plan: Plan,
  { digests, parts = new Set() }: Expectation,
): (effect: Effect) => boolean {
  return ({ approvedBy, unordered = [] }) => {
    const texts = digests.length > 1 ? [...approvedBy, ...unordered] : approvedBy;
    return isApproved(parts, { approvedBy: texts.map((text) => partOf(plan, text)) });
  };
}

function effectsIn(plan: Plan): readonly Effect[] {
  return plan.organizations.flatMap((organization) => effectsOf(organization, registry));
}

/** Keeps only the name of a database, so that clones of a repository produce the same digest. */
function serviceIn({ service = '' }: Plan): string {
  return /^https?:/.test(service) ? service : service.replace(/#.*$/s, '');
}

function partOf(plan: Plan, text: string): string {
  return createHash('sha256')
    .update(`${serviceIn(plan)}${text}`)
    .digest('base64url')
    .slice(0, partLength);
}
