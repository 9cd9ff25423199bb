/**
 * The rules of a team: a guard that is passed to the planner. Each judges objects as the plan shows them: all steps of an object are
 * one change, and cascaded deletes are changes as well.
 */
import { levelsIn, rankOfGrant } from '../kinds/parts/access.ts';
import { canEnd, type Field, fieldWith, valueWith } from '../kinds/parts/field.ts';
import type { Payload } from '../kinds/parts/payload.ts';
import { fitsPattern, type JudgedValue, type Pattern } from '../kinds/rules/patterns.ts';
import type { LinkOutcome, PlanRule } from '../kinds/rules/rules.ts';
import type { PlanContext } from '../plan/context.ts';
import type { Guard, GuardedPlan, OwnRefusal } from '../plan/guards/guard.ts';
import { formerAddresses } from '../plan/matching.ts';
import { sortSteps } from '../plan/order/sort-steps.ts';
import type { RuleFinding, Step } from '../plan/plan.ts';
import { isSecret } from '../plan/values/secret-fields.ts';
import { type DesiredNode, rootAddress } from '../tree/desired.ts';
import { endingsOf, entryName } from '../tree/endings.ts';
import type { LiveNode } from '../tree/live.ts';
import { isDraft, pathField } from '../tree/site-paths.ts';
import { countOf } from '../util/count.ts';
import { defined } from '../util/defined.ts';
import { grouped } from '../util/group.ts';
import { isRecord, sameJson } from '../util/json.ts';
import { Secret } from '../util/secret.ts';
import { FormerLinks, formerLinkReads } from './former-links.ts';
import { type InboundLinks, inboundLinks } from './inbound-links.ts';
import { lastDayChanges } from './policy.ts';
import type { LinkedObject, PolicyChange } from './reviewed-plan.ts';
import { inheritedLevels } from './risks.ts';

interface Objection {
  readonly address: string;
  readonly steps: readonly string[];
  /** A field that the rule needs but the manifest omits. */
  readonly leftOut?: string | undefined;
  /** Number of spaces whose links were not read, if none of the others has one: the rule then only warns. */
  readonly unread?: number | undefined;
}

export interface JudgingRule extends PlanRule {
  /** Matches addresses; absent for all objects. */
  readonly appliesTo?: (address: string) => boolean;
  /** Source of the rule, for example `octavo.rules.yaml:4 at 4f1c2aa`. */
  readonly place: string;
  /** Exemption of the object from the rule. */
  readonly lifted?: { readonly by: string; readonly why: string };
}

export function guardOf(rules: readonly JudgingRule[]): Guard {
  const needsLinks = rules.some(({ when }) => when?.links !== undefined);
  const needsInbound = rules.some(({ when }) => when?.breaksLinks === true);
  return {
    name: 'rules',
    needs: ({ context, removals }) => [
      ...(needsLinks ? formerLinkReads(context, removals) : []),
      ...(needsInbound ? inboundLinks(context, removals).reads() : []),
    ],
    check: (plan) => {
      const steps = sortSteps(plan.draft);
      const changes = changesOf(plan, steps);
      const links = needsLinks ? linksOf(plan.context, steps, changes) : new Map();
      const inbound = needsInbound ? inboundLinks(plan.context) : undefined;
      const judged = rules.flatMap((rule) =>
        objectionsOf(rule, changes, links, inbound).map((objection) => ({ rule, objection })),
      );
      const refuses = ({ rule: { severity = 'error', lifted }, objection: { unread } }: JudgedRule) =>
        severity === 'error' && lifted === undefined && unread === undefined;
      return {
        refusals: judged.filter(refuses).map(refused),
        findings: judged.filter((one) => !refuses(one)).map(found),
      };
    },
  };
}

function changesOf({ context, deletions }: GuardedPlan, steps: readonly Step[]): readonly JudgedChange[] {
  const days = grouped(lastDayChanges(context), ({ address }) => address);
  const byAddress = grouped(steps, ({ address }) => address);
  const byAction = grouped(steps, ({ address, action }) => JSON.stringify([address, action]));
  const own = [...byAction.values()].map(
    ([first]) => new JudgedChange(context, first, { all: byAddress.get(first.address) ?? [], days }),
  );
  const along = deletions.flatMap(({ address, live: { kind, id: liveId }, by }) => {
    if (by === undefined || byAddress.has(address)) return [];
    return [new JudgedChange(context, { address, kind, action: 'delete', liveId, id: by })];
  });
  // Later last days need no request.
  const extended = [...days.keys()].flatMap((address) => {
    const kind = context.desired.get(address)?.kind;
    if (kind === undefined || byAddress.has(address)) return [];
    return [new JudgedChange(context, { address, kind, action: 'update' }, { days })];
  });
  return [...own, ...along, ...extended];
}

type Links = ReadonlyMap<JudgedChange, LinkOutcome>;

/** Excludes objects inside other deleted ones. */
function linksOf(context: PlanContext, steps: readonly Step[], changes: readonly JudgedChange[]): Links {
  const former = new FormerLinks(context);
  const made = new Set(steps.map(({ address }) => address));
  const all = changes.filter((one) => one.touchesLinks());
  const gone = new Set(all.flatMap(({ isGone, live }) => (isGone && live !== undefined ? [live] : [])));
  const isInside = (live: LiveNode) => context.live.ancestorsOf(live).some((above) => gone.has(above));
  const touched = all.filter(({ live }) => live !== undefined && !isInside(live));
  return new Map(
    touched.map((one) => {
      const isKept = one.live !== undefined && former.isRedirected(one.live, (address) => made.has(address));
      return [one, isKept ? 'redirected' : 'broken'] as const;
    }),
  );
}

/** Placeholder for a field that is secret on either side. */
const hidden = new Secret('', '', []);

/** An object with all changes by one action of the plan. */
class JudgedChange {
  readonly address: string;
  readonly kind: string;
  readonly action: Step['action'];
  readonly steps: readonly string[];
  /** The current object, or the replaced one. */
  readonly live: LiveNode | undefined;
  readonly #context: PlanContext;
  /** Fields that the action changes directly. */
  readonly #own: ReadonlySet<string>;
  readonly #isMoved: boolean;
  /** Entries of fields whose last day changes. */
  readonly #extended: ReadonlySet<string>;
  /** Values by field name; a temporary value comes first. */
  readonly #set = new Map<string, Payload>();

  /** `id`: of a step without which the change is not made; `all`: every step of the object, in order. */
  constructor(
    context: PlanContext,
    {
      id,
      address,
      kind,
      action,
      liveId,
    }: Pick<Step, 'address' | 'kind' | 'action' | 'liveId'> & Partial<Pick<Step, 'id'>>,
    { all = [], days }: { readonly all?: readonly Step[]; readonly days?: LastDayChanges } = {},
  ) {
    this.#context = context;
    this.address = address;
    this.kind = kind;
    this.action = action;
    const own = all.filter((step) => step.action === action);
    this.steps = own.length > 0 ? own.map((step) => step.id) : id === undefined ? [] : [id];
    this.#extended = new Set(days?.get(address)?.map(({ name = '' }) => name));
    this.#own = new Set(own.flatMap(({ fields }) => fields.map(({ field }) => field)));
    this.#isMoved = own.some(({ phase }) => phase === 'attach' || phase === 'detach');
    const ids = [liveId, ...all.map((step) => step.liveId)];
    const known = ids.flatMap((one) =>
      one === undefined ? [] : (context.live.get({ kind, id: one }) ?? []),
    );
    this.live = context.replaced.get(address) ?? context.liveOf(address) ?? known[0];
    for (const { field, after } of all.flatMap(({ fields }) => fields))
      if (after !== undefined) this.#set.set(field, after);
  }

  get #fields(): Readonly<Record<string, Field>> {
    return this.#context.registry.byName(this.kind).fields;
  }

  has(field: string): boolean {
    return Object.hasOwn(this.#fields, field);
  }

  /** Includes former addresses: in the base, or from its own `was`. */
  addresses(): readonly string[] {
    const { desired, base } = this.#context;
    const node = desired.get(this.address);
    const live = this.#context.liveOf(this.address);
    const was = live && base?.matching.addressOf(live);
    return [
      this.address,
      ...(was === undefined ? [] : [was]),
      ...(node ? formerAddresses(node, desired) : []),
    ];
  }

  /** A new object sets all fields of its kind, a replacement sets the differing ones, and a delete sets none. */
  sets(field: string): boolean {
    if (this.action === 'delete' || !this.has(field)) return false;
    const isNew = this.action === 'create' || this.action === 'replace';
    const after = this.after(field);
    const isSet = this.#own.has(field) && this.#set.has(field);
    return isSet || (isNew && (after === undefined || !sameJson(this.before(field), after)));
  }

  before(field: string): JudgedValue {
    if (this.live === undefined) return null;
    if (this.#isSecret(field)) return hidden;
    return this.#shown(field, this.#context.liveField(this.live, field));
  }

  /** The value after the plan. Undefined: the manifest omits the field, so the service decides. */
  after(field: string): JudgedValue {
    const { desired } = this.#context;
    const node = desired.get(this.address);
    const isNew = this.action === 'create' || this.action === 'replace';
    if (this.#isSecret(field)) return hidden;
    if (this.#set.has(field)) return this.#set.get(field);
    if (this.live !== undefined && !isNew) return this.before(field);
    return this.#shown(field, node?.fields[field] ?? this.#fields[field]?.absent);
  }

  /** True if people gain the level or a higher one, even if it is inherited from a container. */
  gains(level: string): boolean {
    const least = rankOfGrant(level);
    const isGained = (before: unknown, after: unknown) =>
      rankOfGrant(after) >= least && rankOfGrant(before) < least;
    return Object.entries(this.#fields).some(([name, field]) => {
      const levels = levelsIn(field);
      if (levels === undefined || this.action === 'delete') return false;
      const [before, after] = [this.before(name), this.after(name)];
      if (levels === 'each') {
        const [were, are] = [before, after].map((value) => (isRecord(value) ? value : {}));
        return Object.entries(are ?? {}).some(
          ([who, one]) =>
            isGained(were?.[who], one) || (this.#extended.has(`${name}.${who}`) && rankOfGrant(one) >= least),
        );
      }
      const node = this.#context.desired.get(this.address);
      if (field.inherits === undefined || node === undefined) return isGained(before, after);
      const inherited = inheritedLevels(this.#context, node, name);
      const was = before === field.inherits ? inherited.before : before;
      const is = after === field.inherits || after === undefined ? inherited.after : after;
      // A new object cannot have more access than its container.
      if (is === undefined) return this.live !== undefined && before !== after;
      return isGained(was, is);
    });
  }

  /** Last days (null for none) of what the change adds, raises or extends; with a level, of the grants that have it then. */
  lastDays(level?: string): readonly (string | null)[] {
    if (this.action === 'delete') return [];
    const { desired, registry } = this.#context;
    const all = endingsOf(desired, this.address);
    const dayOf = (name: string) => all.find((one) => entryName(one) === name)?.until ?? null;
    const own = registry.byName(this.kind).manifest.ends === true ? [dayOf('')] : [];
    const entries = Object.entries(this.#fields).flatMap(([name, field]) => {
      if (!canEnd(field) || (level !== undefined && levelsIn(field) !== 'each')) return [];
      const [were, are] = [this.before(name), this.after(name)].map((value) =>
        isRecord(value) ? value : {},
      );
      const given = Object.entries(are ?? {}).filter(
        ([who, one]) => !sameJson(were?.[who], one) || this.#extended.has(`${name}.${who}`),
      );
      return given.flatMap(([who, one]) =>
        level === undefined || rankOfGrant(one) >= rankOfGrant(level) ? [dayOf(`${name}.${who}`)] : [],
      );
    });
    return [...own, ...entries];
  }

  #isSecret(field: string): boolean {
    return this.live !== undefined && isSecret(this.#context, this.live, field);
  }

  get isGone(): boolean {
    return this.action === 'delete' || this.action === 'replace';
  }

  /** True if the change affects an address that visitors have and that belongs to the object itself. */
  touchesLinks(): boolean {
    const { live, registry } = this.#context;
    if (this.live === undefined) return false;
    const chain = [this.live, ...live.ancestorsOf(this.live)];
    const site = chain.find((one) => registry.byName(one.kind).display.navigation === true);
    if (site === undefined || chain.some((one) => one.deleted === true || isDraft(registry, one)))
      return false;
    const isOffline = valueWith(registry.byName(site.kind), site.fields, 'live') === false;
    const draft = fieldWith({ fields: this.#fields }, 'draft')?.name ?? '';
    const hasPath = (one: LiveNode | DesiredNode | undefined) =>
      one !== undefined && pathField(registry, one) !== undefined;
    if (isOffline || !(this.live === site || hasPath(this.live) || this.sets(draft))) return false;
    const { desired } = this.#context;
    const node = desired.get(this.address);
    const parents = [live.parentOf(this.live), node && desired.parentOf(node)];
    if (this.isGone || (this.#isMoved && parents.some(hasPath))) return true;
    return Object.entries(this.#fields).some(([name, { trait }]) => {
      if (!this.sets(name)) return false;
      if (trait?.is === 'draft') return this.after(name) === true;
      if (trait?.is === 'live') return this.after(name) === false;
      return trait?.is === 'path' || trait?.is === 'base' || trait?.is === 'host';
    });
  }

  /** Undefined if the change leaves the URLs of the object as they are, or if no link in other spaces was found. */
  linkedBy(inbound: InboundLinks): LinkedObject | undefined {
    const path = fieldWith({ fields: this.#fields }, 'path')?.name ?? '';
    const isChanged = this.isGone || this.#isMoved || this.sets(path);
    return isChanged && this.live !== undefined ? inbound.to(this.live) : undefined;
  }

  #shown(name: string, value: Payload | undefined): JudgedValue {
    const field = this.#fields[name];
    if (field?.type === 'reference' && typeof value === 'string')
      return this.#context.showId(field.kinds, value);
    return value;
  }
}

type LastDayChanges = ReadonlyMap<string, readonly PolicyChange[]>;

function objectionsOf(
  rule: JudgingRule,
  changes: readonly JudgedChange[],
  links: Links,
  inbound: InboundLinks | undefined,
): readonly Objection[] {
  const matchesLinks = (change: JudgedChange) => {
    const outcome = links.get(change);
    return rule.when?.links === undefined || (outcome !== undefined && rule.when.links.includes(outcome));
  };
  const rejected = changes.flatMap((change): readonly Objection[] => {
    if (!matchesLinks(change) || !selects(rule, change)) return [];
    const linked =
      rule.when?.breaksLinks && inbound ? change.linkedBy(inbound) : { from: [change], unread: 0 };
    const flaw = linked && flawOf(rule, change);
    if (flaw === undefined) return [];
    const unread = linked?.from.length === 0 ? linked.unread : undefined;
    return [{ address: change.address, steps: change.steps, ...flaw, ...defined({ unread }) }];
  });
  if (rule.most === undefined) return rejected;
  const [certain, others] = [true, false].map((is) =>
    rejected.filter((one) => (one.unread === undefined) === is),
  );
  const count = new Set(certain?.map(({ address }) => address)).size;
  const steps = [...new Set(certain?.flatMap((one) => one.steps))];
  return [...(count > rule.most ? [{ address: rootAddress, steps }] : []), ...(others ?? [])];
}

function selects({ when = {}, appliesTo }: JudgingRule, change: JudgedChange): boolean {
  const { kind, action, field, gains } = when;
  return (
    (kind === undefined || kind.includes(change.kind)) &&
    (action === undefined || action.includes(change.action)) &&
    (field === undefined || field.some((name) => change.sets(name))) &&
    (gains === undefined || change.gains(gains)) &&
    (appliesTo === undefined || change.addresses().some(appliesTo))
  );
}

/** Undefined if all requirements of the rule are met; a rule without requirements always objects. */
function flawOf(
  { require, when }: JudgingRule,
  change: JudgedChange,
): Pick<Objection, 'leftOut'> | undefined {
  if (require === undefined) return {};
  const { before = {}, after: { until, ...after } = {} } = require;
  if (until !== undefined && change.lastDays(when?.gains).some((day) => !fitsPattern(until, day))) return {};
  const misfits = (patterns: Readonly<Record<string, Pattern>>, valueIn: (name: string) => JudgedValue) =>
    Object.entries(patterns).find(([name, one]) => change.has(name) && !fitsPattern(one, valueIn(name)))?.[0];
  const was = misfits(before, (name) => change.before(name));
  if (was !== undefined) return {};
  const is = change.action === 'delete' ? undefined : misfits(after, (name) => change.after(name));
  if (is === undefined) return undefined;
  return defined({ leftOut: change.after(is) === undefined ? is : undefined });
}

interface JudgedRule {
  readonly rule: JudgingRule;
  readonly objection: Objection;
}

function refused({ rule, objection }: JudgedRule): OwnRefusal {
  const { exempt: { label, team } = {} } = rule;
  const ways = [
    ...(label === undefined ? [] : [`the label ${label}`]),
    ...(team === undefined ? [] : [`an approval by ${team}`]),
  ];
  const lift =
    ways.length === 0 ? 'change the manifests' : `${ways.join(', or ')} on the pull request lifts it`;
  return {
    rule: rule.name,
    address: objection.address,
    message: `${rule.name}: ${messageOf({ rule, objection })}`,
    suggestion: `${lift}; the rule is in ${rule.place}`,
    steps: [...objection.steps].sort(),
  };
}

function messageOf({ rule: { message }, objection: { leftOut, unread } }: JudgedRule): string {
  if (unread !== undefined)
    return `${message} (not known: the links of ${countOf(unread, 'other space')} were not read)`;
  return leftOut === undefined ? message : `${message} (${leftOut} is left out, so the service decides)`;
}

function found({ rule, objection }: JudgedRule): RuleFinding {
  const { name, severity, lifted } = rule;
  return {
    rule: name,
    address: objection.address,
    message: messageOf({ rule, objection }),
    ...(severity === 'warning' ? {} : defined({ lifted })),
  };
}
