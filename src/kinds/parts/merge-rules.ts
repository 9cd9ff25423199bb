/**
 * Merge rules of an organization or of a space: the rules in one field, and the people that rules name in another. An update replaces
 * both, so rules that neither field can express are sent again unchanged.
 *
 *     [require_author_to_merge], { ada@acme.dev: bypass }
 *     {type: rules, rules: [{rule: require_author_to_merge}, {rule: allow_bypass, users: [user_ada]}]}
 */
import * as z from 'zod';
import type { OperationOutput } from '../../contract/index.ts';
import { once } from '../../contract/once.ts';
import { plainRules } from '../../contract/values.ts';
import { isRecord, sameJson, stableStringify } from '../../util/json.ts';
import { type CallContext, isUnsupported, type KindSpec, type Unsupported } from '../kind.ts';
import { member } from '../member.ts';
import type { Field, Included, RiskText } from './field.ts';
import { type Fields, mapOf, type Payload, type Value } from './payload.ts';

/** Rules with people, keyed by the manifest's name for the people. */
const partRules: Readonly<Record<string, string>> = {
  required: 'require_specific_reviewers',
  'one-of': 'require_one_of_specific_reviewers',
  bypass: 'allow_bypass',
};

const part = once(() => z.enum(['required', 'one-of', 'bypass']));

const rule = once(() =>
  z.union([
    z.enum(plainRules),
    z.strictObject({
      expression: z
        .string()
        .min(1)
        .max(1024)
        .meta({
          description: 'What must be true of a change request.',
          examples: ['changeRequest.contributors.size() > 1'],
        }),
      message: z
        .string()
        .exactOptional()
        .meta({ description: 'What people see if it is not.', examples: ['Ask someone else'] }),
    }),
  ]),
);

type Rule = Readonly<Record<string, unknown>>;

/** The two fields. `word`: kind of the object; a space can inherit the rules of the organization. */
export function mergeRuleFields(word: 'organization' | 'space'): Readonly<Record<string, Field>> {
  const where = word === 'organization' ? 'in every space that inherits its rules' : 'in the space';
  return {
    mergeRules: {
      type: 'value',
      needs: '2026',
      schema: once(() =>
        z.union([z.enum(word === 'organization' ? ['none'] : ['none', 'inherit']), z.array(rule())]),
      ),
      description: `Rules that a change request must pass before it is merged ${where}; all of them, or none${
        word === 'organization' ? '' : ', or inherit for those of the organization'
      }.`,
      example: ['require_at_least_one_approved_review'],
      ...(word === 'organization' ? {} : { absent: 'inherit' }),
      same: (desired, live) => sameJson(comparable(desired), comparable(live)),
      risk: (before, after) => rulesRisk(before, after, where),
    },
    mergeReviewers: {
      type: 'members',
      of: 'member',
      needs: '2026',
      schema: once(() => z.record(z.string().min(1), z.union([part(), z.array(part()).min(1)]))),
      description:
        'People by e-mail address whom merge rules name: required and one-of for reviews, bypass to merge without the rules; the list is exact.',
      example: { 'ada@acme.dev': 'required' },
      absent: {},
      normalize: (value) => inOrder(Object.entries(mapOf(value) ?? {})),
      risk: (before, after, { isNew }) =>
        isNew ? peopleAdded({}, after) : peopleRisks(before, after, where),
      detail: {
        operation: 'members.list',
        isNeeded: (value) => isRecord(value) && Object.keys(value).length > 0,
        read: (members, value) => named(members as readonly MemberOf[], value),
      },
    },
  };
}

type MemberOf = OperationOutput<'members.get'>;

function named(members: readonly MemberOf[], value: Value | undefined) {
  const people: [string, Value][] = [];
  const includes: Included[] = [];
  const known = new Map(members.map((one) => [member.fromRemote(one).id, one]));
  for (const [id, parts] of Object.entries(mapOf(value) ?? {})) {
    const one = known.get(id);
    const email = one && member.fromRemote(one).fields.email;
    people.push([typeof email === 'string' ? email : id, parts]);
    if (one !== undefined) includes.push({ kind: 'member', remote: one });
  }
  return { value: inOrder(people), includes };
}

function inOrder(entries: readonly (readonly [string, Value])[]): Fields {
  const spelled = entries.map(([key, value]): [string, Value] => {
    const parts = [...new Set(Array.isArray(value) ? value : [value])].sort() as Value[];
    return [key, parts.length === 1 ? (parts[0] ?? null) : parts];
  });
  return Object.fromEntries(spelled.sort(([left], [right]) => (left < right ? -1 : 1)));
}

/** Reads rules with people by id. Rules that no manifest can express are kept in their live form. */
export function mergeRulesIn(remote: object): Fields {
  const { mergeRules } = remote as { readonly mergeRules?: Rule };
  if (!isRecord(mergeRules) || typeof mergeRules.type !== 'string') return {};
  if (mergeRules.type !== 'rules') return { mergeRules: mergeRules.type, mergeReviewers: {} };
  const rules = (Array.isArray(mergeRules.rules) ? mergeRules.rules : []) as readonly Rule[];
  const people: Record<string, Value[]> = {};
  const held = rules.filter((one) => isHeld(one, rules));
  for (const one of held)
    for (const id of Array.isArray(one.users) ? one.users.map(String) : [])
      people[id] = [...(people[id] ?? []), partOf(one) ?? ''];
  return {
    mergeRules: rules.filter((one) => !held.includes(one)).map(spelled),
    mergeReviewers: inOrder(Object.entries(people)),
  };
}

function partOf({ rule: name }: Rule): string | undefined {
  return Object.keys(partRules).find((key) => partRules[key] === name);
}

/** Several one-of rules must all pass, so they cannot be merged into one. */
function isHeld(one: Rule, rules: readonly Rule[]): boolean {
  if (partOf(one) === undefined || !hasOnly(one, ['rule', 'users'])) return false;
  return one.rule !== partRules['one-of'] || rules.filter(({ rule: name }) => name === one.rule).length === 1;
}

function hasOnly(one: Rule, names: readonly string[]): boolean {
  return Object.keys(one).every((name) => names.includes(name));
}

/** Returns undefined for rules with people, and for unknown ones. */
function inManifest({ rule: name, expression, message }: Rule): Value | undefined {
  if (plainRules.some((known) => known === name)) return String(name);
  if (name !== 'custom' || typeof expression !== 'string') return undefined;
  return { expression, ...(typeof message === 'string' && message !== '' ? { message } : {}) };
}

/** Returns the live rule unchanged if a manifest cannot express all of it. */
function spelled(one: Rule): Value {
  const own = inManifest(one);
  const names = typeof own === 'string' ? ['rule'] : ['rule', 'expression', 'message'];
  return own === undefined || !hasOnly(one, names) ? (one as Value) : own;
}

function isLive(one: unknown): one is Rule {
  return isRecord(one) && one.rule !== undefined;
}

/** The rules in manifest form, without those it cannot express. */
function held(rules: Value | undefined): readonly Value[] {
  return Array.isArray(rules) ? rules.flatMap((one) => (isLive(one) ? (inManifest(one) ?? []) : [one])) : [];
}

/** Sorts rules, and drops rules that a manifest cannot express. Also accepts the value of a request. */
function comparable(value: Value): unknown {
  const own = isRecord(value) ? mergeRulesIn({ mergeRules: value }).mergeRules : value;
  return Array.isArray(own) ? held(own).map(stableStringify).sort() : own;
}

/** Returns the names of the other changed fields, and the body for the rules. */
export function mergeRulesBody(
  context: CallContext,
  changed: readonly string[],
): { readonly others: readonly string[]; readonly own: Readonly<Record<string, Payload>> } | Unsupported {
  const others = changed.filter((name) => name !== 'mergeRules' && name !== 'mergeReviewers');
  if (others.length === changed.length) return { others, own: {} };
  const rules = context.fields.mergeRules ?? context.before.mergeRules;
  const reviewers =
    context.fields.mergeReviewers ?? (Array.isArray(rules) ? context.before.mergeReviewers : {}) ?? {};
  const people = Object.entries(mapOf(reviewers) ?? {});
  if (!Array.isArray(rules)) {
    const live = Object.keys(mapOf(context.before.mergeReviewers) ?? {});
    if (context.fields.mergeReviewers === undefined && live.length > 0 && rules !== undefined) {
      return {
        unsupported: `mergeRules: ${String(rules)} removes its reviewers (${live.length})`,
        suggestion: 'write mergeReviewers: {} as well',
      };
    }
    if (people.length === 0)
      return { others, own: rules === undefined ? {} : { mergeRules: { type: rules } } };
    return {
      unsupported: `mergeReviewers need rules of their own, and mergeRules is ${String(rules ?? 'not set')}`,
      suggestion: 'write mergeRules: [] or a list of rules; or mergeReviewers: {} for no reviewers',
    };
  }
  const absent = people.filter(([email]) => idOf(context, email) === undefined).map(([email]) => email);
  if (absent.length > 0) {
    return {
      unsupported: `there is no member ${absent.join(', ')} in this organization`,
      suggestion: 'name members of the organization',
      missing: 'reference',
    };
  }
  const live = Array.isArray(context.before.mergeRules) ? context.before.mergeRules.filter(isLive) : [];
  const kept = live.filter((one) => inManifest(one) === undefined);
  const twice = kept.find((one) => people.some(([, parts]) => [parts].flat().includes(partOf(one) ?? '')));
  if (twice !== undefined && changed.includes('mergeReviewers')) {
    return {
      unsupported: `the service has ${String(twice.rule)} in a form that no manifest can hold`,
      suggestion: 'remove that rule in the app, or name no one for it in mergeReviewers',
    };
  }
  const all = [
    ...held(rules as Value).map(
      (one) =>
        live.find((other) => sameJson(inManifest(other), one)) ??
        (isRecord(one) ? { rule: 'custom', ...mapOf(one) } : { rule: one }),
    ),
    ...Object.entries(partRules).flatMap(([key, name]) => {
      const users = people.filter(([, parts]) => [parts].flat().includes(key));
      return users.length === 0
        ? []
        : [{ rule: name, users: users.map(([email]) => idOf(context, email) ?? email) }];
    }),
    ...kept,
  ] as readonly Payload[];
  return { others, own: { mergeRules: { type: 'rules', rules: all } } };
}

/** Live people who are not members may be known only by id. */
function idOf({ resolve, before }: CallContext, person: string): Payload | undefined {
  const id = resolve('member', person);
  if (id !== undefined) return id;
  return isRecord(before.mergeReviewers) && person in before.mergeReviewers && !person.includes('@')
    ? person
    : undefined;
}

/** Services may silently omit people who are not members. */
export const rulesNotTaken: NonNullable<KindSpec['calls']['notDone']> = (answer, { body }) => {
  const sent = isRecord(body) && isRecord(body.mergeRules) ? body.mergeRules : undefined;
  if (sent === undefined || !isRecord(answer) || answer.mergeRules === undefined) return undefined;
  const [wanted, taken] = [{ mergeRules: sent }, answer].map((one) => mergeRulesIn(one).mergeReviewers ?? {});
  if (sameJson(wanted, taken)) return undefined;
  const left = Object.keys(wanted ?? {}).filter((id) => !isRecord(taken) || !(id in taken));
  return `the service did not store mergeReviewers${left.length === 0 ? '' : `: it left out ${left.join(', ')}`}`;
};

/** Adds the rules to a kind's update, in the request for the other fields. */
export function withMergeRules(
  update: (context: CallContext, names: readonly string[]) => ReturnType<NonNullable<Updates>>,
): NonNullable<Updates> {
  return (context, changed) => {
    const rules = mergeRulesBody(context, changed);
    if (isUnsupported(rules)) return rules;
    const fields = { ...context.fields, ...rules.own };
    return update({ ...context, fields }, [...rules.others, ...Object.keys(rules.own)]);
  };
}

type Updates = Exclude<KindSpec['calls']['update'], string>;

function rulesRisk(before: Value | undefined, after: Value, where: string): RiskText | undefined {
  if (sameJson(comparable(before ?? null), comparable(after))) return undefined;
  if (after === 'none') return { text: `changes are merged without any rule ${where}`, severe: true };
  if (before === undefined) return undefined;
  if (after === 'inherit') return 'the merge rules of the organization apply instead';
  const lost = held(before).filter((one) => !held(after).some((other) => sameJson(one, other)));
  if (lost.length > 0) {
    const names = lost.map((one) => (isRecord(one) ? 'a custom rule' : String(one)));
    return `changes are merged without ${names.join(', ')} ${where}`;
  }
  return before === 'inherit' ? 'the merge rules of the organization no longer apply' : undefined;
}

function holders(value: Value | undefined, parts: readonly string[]): readonly string[] {
  return Object.entries(mapOf(value) ?? {})
    .filter(([, own]) => [own].flat().some((one) => parts.includes(String(one))))
    .map(([person]) => person);
}

function peopleAdded(before: Value | undefined, after: Value): string | undefined {
  const were = holders(before, ['bypass']);
  const added = holders(after, ['bypass']).filter((person) => !were.includes(person));
  return added.length === 0 ? undefined : `${added.join(', ')} can merge without the merge rules`;
}

function peopleRisks(before: Value | undefined, after: Value, where: string): string | undefined {
  const [requiredBefore, requiredAfter] = [holders(before, ['required']), holders(after, ['required'])];
  const [oneBefore, oneAfter] = [holders(before, ['one-of']), holders(after, ['one-of'])];
  const lost = requiredBefore.filter((person) => !requiredAfter.includes(person));
  // One review is enough, so fewer people make the rule stricter, unless another rule requires one of them or none remain.
  const isFree = oneBefore.length > 0 && oneAfter.length === 0;
  const noneOf = isFree && !oneBefore.some((person) => requiredAfter.includes(person)) ? oneBefore : [];
  const enough = oneBefore.length === 0 ? [] : oneAfter.filter((person) => !oneBefore.includes(person));
  const texts = [
    peopleAdded(before, after),
    ...[lost, noneOf]
      .filter((people) => people.length > 0)
      .map((people) => `changes are merged ${where} without a review of ${people.join(' or ')}`),
    enough.length === 0
      ? undefined
      : `a review of ${enough.join(' or ')} is enough where one of several is needed`,
  ].filter((text) => text !== undefined);
  return texts.length === 0 ? undefined : texts.join('; ');
}
