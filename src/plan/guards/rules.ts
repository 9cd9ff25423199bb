/**
 * The rules of a team. Each judges objects as the plan shows them: all steps of an object are one change, with its fields before
 * and after by name, and what goes along with another object is a change as well.
 */
import type { Payload } from '../../kinds/payload.ts';
import { rootAddress } from '../../tree/desired.ts';
import { defined } from '../../util/defined.ts';
import { grouped } from '../../util/group.ts';
import { webAddresses } from '../addresses.ts';
import { formerAddresses } from '../matching.ts';
import { sortSteps } from '../order/sort-steps.ts';
import type { Refusal, RuleFinding, Step } from '../plan.ts';
import type { Guard, GuardedPlan, JudgingRule } from './guard.ts';

/** What `when` and `require` look at. */
interface JudgedChange {
  readonly address: string;
  readonly kind: string;
  readonly noun: string;
  readonly title?: string;
  readonly action: Step['action'];
  readonly cause?: Step['cause'];
  readonly before: Readonly<Record<string, Payload>>;
  readonly after: Readonly<Record<string, Payload>>;
  readonly fields: Step['fields'];
  readonly risks: Step['risks'];
  readonly cascade: NonNullable<Step['cascade']>;
  /** Ids of its steps. */
  readonly steps: readonly string[];
}

interface Objection {
  readonly address: string;
  readonly steps: readonly string[];
  /** Why the expression could not be evaluated. */
  readonly failure?: string | undefined;
}

export const rules: Guard = {
  name: 'rules',
  check: (plan) => {
    if (plan.rules === undefined || plan.rules.length === 0 || plan.draft.steps.size === 0)
      return { refusals: [] };
    const steps = sortSteps(plan.draft);
    const changes = changesOf(plan, steps);
    const isOverPlan = plan.rules.some(({ over }) => over === 'plan');
    const addresses = isOverPlan ? (webAddresses(plan.context, steps) ?? []) : [];
    const judged = plan.rules.flatMap((rule) => {
      const own = changes.filter((change) => speaksOf(rule, change, addressesOf(plan, change)));
      return findingsOf(rule, own, addresses).map((finding) => ({ rule, finding }));
    });
    return {
      refusals: judged.filter(({ rule }) => isStanding(rule)).map(refused),
      findings: judged.filter(({ rule }) => !isStanding(rule)).map(told),
    };
  },
};

function isStanding({ severity = 'error', lifted }: JudgingRule): boolean {
  return severity === 'error' && lifted === undefined;
}

function changesOf({ context, deletions }: GuardedPlan, steps: readonly Step[]): readonly JudgedChange[] {
  const own = [...grouped(steps, ({ address, action }) => JSON.stringify([address, action])).values()].map(
    changeOf,
  );
  const told = new Set(own.map(({ address }) => address));
  const along = deletions.flatMap(({ address, live, by }): readonly JudgedChange[] => {
    if (by === undefined || told.has(address)) return [];
    const empty = { before: {}, after: {}, fields: [], risks: [], cascade: [] };
    const { name: kind, noun } = context.kindOf(live);
    return [{ address, kind, noun, action: 'delete', ...empty, steps: [by] }];
  });
  return [...own, ...along];
}

function changeOf(steps: readonly Step[]): JudgedChange {
  const [first] = steps;
  if (first === undefined) throw new Error('a change has at least one step');
  const { address, kind, noun, title, action, cause } = first;
  const fields = steps.flatMap((step) => step.fields);
  // A value that only makes room for another is between the two.
  const before = new Map<string, Payload>();
  const after = new Map<string, Payload>();
  for (const change of fields) {
    if (change.before !== undefined && !before.has(change.field)) before.set(change.field, change.before);
    if (change.after !== undefined) after.set(change.field, change.after);
  }
  return {
    address,
    kind,
    noun,
    ...defined({ title }),
    action,
    ...defined({ cause }),
    before: Object.fromEntries(before),
    after: Object.fromEntries(after),
    fields,
    risks: steps.flatMap(({ risks }) => risks),
    cascade: steps.flatMap(({ cascade = [] }) => cascade),
    steps: steps.map(({ id }) => id),
  };
}

/** A rule about an address also judges what had it in the base, or by its own `was`. */
function addressesOf({ context }: GuardedPlan, { address }: JudgedChange): readonly string[] {
  const [desired, live] = [context.desired.get(address), context.liveOf(address)];
  const was = live && context.base?.matching.addressOf(live);
  const former = desired === undefined ? [] : formerAddresses(desired, context.desired);
  return [address, ...(was === undefined ? [] : [was]), ...former];
}

function speaksOf(
  { when = {}, isAbout }: JudgingRule,
  change: JudgedChange,
  addresses: readonly string[],
): boolean {
  const { kind, action, field } = when;
  if (kind !== undefined && !kind.includes(change.kind)) return false;
  if (action !== undefined && !action.includes(change.action)) return false;
  // A delete sets none.
  if (
    field !== undefined &&
    !change.fields.some((one) => one.after !== undefined && field.includes(one.field))
  )
    return false;
  return isAbout === undefined || addresses.some(isAbout);
}

function findingsOf(
  rule: JudgingRule,
  changes: readonly JudgedChange[],
  addresses: NonNullable<ReturnType<typeof webAddresses>>,
): readonly Objection[] {
  if (rule.over !== 'plan')
    return changes.flatMap((change) => {
      const verdict = judge(rule, change);
      return verdict.holds ? [] : [{ ...change, failure: verdict.failure }];
    });
  if (changes.length === 0) return [];
  const count = new Set(changes.map(({ address }) => address)).size;
  const verdict = judge(rule, { count, changes, addresses });
  const steps = [...new Set(changes.flatMap((change) => change.steps))];
  return verdict.holds ? [] : [{ address: rootAddress, steps, failure: verdict.failure }];
}

interface RuleVerdict {
  readonly holds: boolean;
  readonly failure?: string;
}

/** What cannot be judged does not hold. */
function judge(rule: JudgingRule, subject: unknown): RuleVerdict {
  if (rule.require === undefined) return { holds: false };
  try {
    return { holds: rule.holds(subject) };
  } catch (error) {
    return { holds: false, failure: error instanceof Error ? error.message : String(error) };
  }
}

interface JudgedRule {
  readonly rule: JudgingRule;
  readonly finding: Objection;
}

function refused({ rule, finding }: JudgedRule): Refusal {
  const { exempt: { label, team } = {} } = rule;
  const ways = [
    ...(label === undefined ? [] : [`the label ${label}`]),
    ...(team === undefined ? [] : [`an approval by ${team}`]),
  ];
  const lift =
    ways.length === 0 ? 'change the manifests' : `${ways.join(', or ')} on the pull request lifts it`;
  return {
    guard: rules.name,
    rule: rule.name,
    address: finding.address,
    message: `${rule.name}: ${messageOf({ rule, finding })}`,
    suggestion: `${lift}; the rule is in ${rule.place}`,
    steps: [...finding.steps].sort(),
  };
}

function messageOf({ rule, finding: { failure } }: JudgedRule): string {
  const unjudged =
    failure === undefined ? '' : ` (require cannot be evaluated: ${failure.replace(/\.$/, '')})`;
  return `${rule.message}${unjudged}`;
}

function told({ rule, finding }: JudgedRule): RuleFinding {
  const { name, severity, lifted } = rule;
  return {
    rule: name,
    address: finding.address,
    message: messageOf({ rule, finding }),
    ...(severity === 'warning' ? {} : defined({ lifted })),
  };
}
