/**
 * Fields that the manifests or the base write with a secret: a plan never shows their old, current or new value. Decisions use
 * the values; this module hides them in finished plans.
 *
 *     base  url: …?key=${secret:KEY}   manifests  url: …/public.json   →   url: (secret) → (secret)
 */
import type { Fields, Payload, Value } from '../../kinds/parts/payload.ts';
import { secretsOf } from '../../tree/desired.ts';
import type { LiveNode } from '../../tree/live.ts';
import type { ObjectRef } from '../../tree/refs.ts';
import { withTexts } from '../../tree/tidied.ts';
import { defined } from '../../util/defined.ts';
import { remembered } from '../../util/remembered.ts';
import { Secret, textsIn } from '../../util/secret.ts';
import type { PlanContext } from '../context.ts';
import type { FieldChange, Step } from '../plan.ts';

const hidden = '(hidden)';

export function isSecret(context: PlanContext, live: ObjectRef, name: string): boolean {
  const { matching, base } = context;
  const known = secretFields(context);
  if (known.size === 0) return false;
  if (known.has(nameOf(live.kind, live.id, name))) return true;
  // A secret of an object that was not found may belong to any undeclared object.
  const isDeclared = matching.addressOf(live) !== undefined || base?.matching.addressOf(live) !== undefined;
  return !isDeclared && known.has(nameOf(live.kind, undefined, name));
}

const secretFields = remembered(({ desired, matching, base }: PlanContext): ReadonlySet<string> => {
  const trees = [{ tree: desired, matching }, ...(base === undefined ? [] : [base])];
  const names = trees.flatMap(({ tree, matching: known }) =>
    [...tree.nodes.values()].flatMap((node) =>
      secretsOf(node).map((name) => nameOf(node.kind, known.liveOf(node.address)?.id, name)),
    ),
  );
  return new Set(names);
});

function nameOf(kind: string, id: string | undefined, field: string): string {
  return JSON.stringify([kind, id, field]);
}

/** Live fields, without those for which the manifests or the base have a secret. */
export function plainFields(context: PlanContext, live: LiveNode): Fields {
  return Object.fromEntries(Object.entries(live.fields).filter(([name]) => !isSecret(context, live, name)));
}

export function withoutSecrets(context: PlanContext, steps: readonly Step[]): readonly Step[] {
  return secretFields(context).size === 0 ? steps : steps.map((step) => withoutSecret(context, step));
}

/** Returns a function that hides the step's secrets in texts about risks. */
export function withoutSecretsOf(context: PlanContext, step: Step): (text: string, field?: string) => string {
  if (secretFields(context).size === 0) return (text) => text;
  const { names, texts } = secretsIn(context, step);
  return (text, field = '') =>
    names.has(field) ? [...texts.keys()].reduce((safe, one) => safe.replaceAll(one, '(secret)'), text) : text;
}

function withoutSecret(context: PlanContext, step: Step): Step {
  const { names, texts } = secretsIn(context, step);
  if (names.size === 0) return step;
  return {
    ...step,
    fields: step.fields.map((change) => (names.has(change.field) ? hiddenChange(change, texts) : change)),
    calls: step.calls.map((call) => (call.body ? { ...call, body: hideTexts(call.body, texts) } : call)),
  };
}

function secretsIn(
  context: PlanContext,
  step: Step,
): { readonly names: ReadonlySet<string>; readonly texts: Texts } {
  const { address, kind, liveId: id } = step;
  const node = context.desired.get(address);
  const live = id === undefined ? context.replaced.get(address) : context.live.get({ kind, id });
  const names = new Set([...secretsOf(node), ...secretsOf(node && context.baseOf(node))]);
  for (const name of Object.keys(context.kindOf(step).fields))
    if (live !== undefined && isSecret(context, live, name)) names.add(name);
  const texts = new Map<string, Secret>();
  for (const name of names)
    for (const text of textsIn(live?.fields[name])) texts.set(text, new Secret(hidden, text));
  for (const { field, after, carried } of step.fields) {
    if (!names.has(field) || carried === true) continue;
    const written = node?.inputs?.[field]?.replaceAll('${env:', '${secret:');
    // As written in the manifest, so that the digest of the plan covers it.
    const template = (text: string) => written ?? text.replaceAll('${', () => '$${');
    for (const text of textsIn(after))
      texts.set(text, new Secret(template(text), text, written === undefined ? [] : [text]));
  }
  return { names, texts };
}

type Texts = ReadonlyMap<string, Secret>;

function hiddenChange({ before, after, base, ...change }: FieldChange, texts: Texts): FieldChange {
  const whole = (value: Payload | undefined) =>
    value === undefined || value === null ? value : new Secret(hidden, textsIn(value).join('\n'));
  const shown = after === undefined ? undefined : hideTexts(after, texts);
  return { ...change, ...defined({ before: whole(before), after: shown, base: whole(base) }) };
}

function hideTexts<P extends Payload>(value: P, texts: Texts): P {
  return withTexts(value as Value, (text) => texts.get(text) ?? text) as P;
}
