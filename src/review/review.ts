/**
 * Explains the consequences of a plan: a view of the live tree and the steps, which may make additional reads. Does not change the plan,
 * and is only made for plans that users see.
 */
import { mapOf } from '../kinds/parts/payload.ts';
import type { PlanContext } from '../plan/context.ts';
import { possibleRenames } from '../plan/guards/renames.ts';
import type { Decided } from '../plan/make-plan.ts';
import type { OrganizationPlan, Step } from '../plan/plan.ts';
import { Removals } from '../plan/removals.ts';
import { withoutSecretsOf } from '../plan/values/secret-fields.ts';
import { endingSoon } from '../tree/endings.ts';
import type { Stage } from '../tree/reads.ts';
import { pathField } from '../tree/site-paths.ts';
import { defined } from '../util/defined.ts';
import { accessOf } from './access/access.ts';
import { FormerLinks, formerLinkReads } from './former-links.ts';
import { inboundLinks } from './inbound-links.ts';
import { navigationBefore } from './navigation.ts';
import { policyChanges } from './policy.ts';
import type { Review, StepRisk } from './reviewed-plan.ts';
import { stepRisks } from './risks.ts';
import { webAddresses } from './web-addresses.ts';

export function* reviewPlan(plan: OrganizationPlan, decided: Decided): Stage<Review> {
  const { context, steps, readsMade } = decided;
  yield* readsMade.ask(formerLinkReads(context, decided.removals));
  const access = steps.length > 0 ? yield* accessOf(context, steps, readsMade) : undefined;
  const removals = new Removals(context);
  const links = new FormerLinks(context, removals);
  const moving = steps.filter((step) => changesUrl(context, step));
  const inbound = moving.length > 0 ? inboundLinks(context, removals) : undefined;
  if (inbound !== undefined) yield* readsMade.ask(inbound.reads(moving));
  return {
    risks: risksIn(context, steps, links),
    ...defined({
      access,
      addresses: steps.length > 0 ? unlessEmpty(webAddresses(context, steps)) : undefined,
      links: inbound && unlessEmpty(inbound.found(moving)),
      redirects: unlessEmpty(links.missingRedirects(steps)),
      exposed: unlessEmpty(exposedIn(context, plan)),
      expiring: unlessEmpty([...(context.desired.data.expiring ?? []), ...endingAccess(context)]),
      renames: unlessNone(possibleRenames(context, { steps, refusals: plan.refusals })),
      policy: context.base && unlessEmpty(policyChanges(context, removals)),
      navigation: unlessEmpty(navigationBefore(context, plan.steps)),
    }),
  };
}

/** Access that ended is listed only while it is live. */
function endingAccess(context: PlanContext): NonNullable<Review['expiring']> {
  return endingSoon(context.desired).flatMap(({ address, field, key = '', isOver, text }) => {
    const live = context.liveOf(address) ?? context.base?.matching.liveOf(address);
    const value = field === undefined ? live : mapOf(live && context.liveField(live, field))?.[key];
    if (isOver && value === undefined) return [];
    return [{ address, text, ends: isOver ? 'over' : 'soon' }];
  });
}

function changesUrl({ registry }: PlanContext, { kind, phase, fields }: Step): boolean {
  const path = pathField(registry, { kind })?.name;
  return /^(?:delete|attach|detach)$/.test(phase) || fields.some(({ field }) => field === path);
}

function unlessEmpty<T>(list: readonly T[]): readonly T[] | undefined {
  return list.length === 0 ? undefined : list;
}

function unlessNone(texts: Readonly<Record<string, string>>): Review['renames'] {
  return Object.keys(texts).length === 0 ? undefined : texts;
}

function risksIn(context: PlanContext, steps: readonly Step[], links: FormerLinks): Review['risks'] {
  const risksOf = stepRisks(context, links);
  const found = steps.flatMap((step): readonly (readonly [string, readonly StepRisk[]])[] => {
    const risks = risksOf(step);
    if (risks.length === 0) return [];
    const safe = withoutSecretsOf(context, step);
    return [[step.id, risks.map((risk) => ({ ...risk, text: safe(risk.text, risk.field) }))]];
  });
  return Object.fromEntries(found);
}

function exposedIn(context: PlanContext, { unmanaged }: OrganizationPlan): NonNullable<Review['exposed']> {
  const found = unmanaged.flatMap(({ kind, id }) => {
    const fields = context.live.get({ kind, id })?.fields ?? {};
    const access = context.registry.byName(kind).display.givesAccess?.(fields);
    return access === undefined ? [] : [{ rank: access.rank, one: { kind, id, risk: access.risk } }];
  });
  return found.sort((left, right) => left.rank - right.rank).map(({ one }) => one);
}
