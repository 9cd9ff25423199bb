/** Values of objects before a run, as its journal keeps them: without secrets and without values that the run does not change. */
import type { Field } from '../../kinds/field.ts';
import { mapOf, type Value } from '../../kinds/payload.ts';
import { type DesiredNode, writesSecret } from '../../tree/desired.ts';
import { sameField } from '../../tree/difference.ts';
import type { LiveNode } from '../../tree/live.ts';
import { RefMap } from '../../tree/refs.ts';
import { sameJson } from '../../util/json.ts';
import { holdsSecret, Secret } from '../../util/secret.ts';
import { notKept } from '../journal/entry.ts';
import { type BeforeApply, idOf } from './changed-objects.ts';

/** A value of a deleted object that can be given to the object created in its place. */
export function known(field: Field, value: Value | undefined): Value | undefined {
  if (value === null && field.nullable !== 'value') return undefined;
  // Defaults of new objects need not be sent, and some services refuse an empty text. An empty member list is sent, because another ⏎
  // object may take the place.
  const isDefault = field.absent !== undefined && sameJson(value, field.absent);
  return isDefault && field.type !== 'members' ? undefined : value;
}

/** Undefined if no request could restore the value. */
export function prior(field: Field, value: Value | undefined): Value | undefined {
  const present = value ?? field.absent ?? null;
  return present === null && field.nullable === undefined ? undefined : present;
}

export function keysOf(value: Value | undefined, keys: ReadonlySet<string> | undefined): Value | undefined {
  const all = mapOf(value);
  if (keys === undefined || all === undefined) return value;
  const entries = Object.entries(all).filter(([key]) => keys.has(key));
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}

export class Secrets {
  readonly #input: BeforeApply;
  readonly #declared = new RefMap<DesiredNode>();
  readonly #former = new RefMap<DesiredNode>();

  constructor(input: BeforeApply) {
    this.#input = input;
    for (const node of input.desired.nodes.values()) {
      const id = idOf(input, node) ?? node.id;
      if (id !== undefined) this.#declared.set({ kind: node.kind, id }, node);
    }
    for (const { phase, kind, liveId, address } of input.plan.steps) {
      const node = input.desired.get(address);
      if (phase === 'delete' && liveId !== undefined && node !== undefined)
        this.#declared.set({ kind, id: liveId }, node);
    }
    for (const node of input.base?.nodes.values() ?? []) {
      const id = node.parent === undefined ? input.live.organizationId : node.id;
      if (id !== undefined) this.#former.set({ kind: node.kind, id }, node);
    }
  }

  /** True if a variable supplies the value now, which may be the same text. */
  isFormer(node: DesiredNode, name: string): boolean {
    const id = idOf(this.#input, node);
    const former = id === undefined ? undefined : this.#former.get({ kind: node.kind, id });
    return node.inputs?.[name] !== undefined && !writesSecret(node, name) && writesSecret(former, name);
  }

  /** The secret of a live value, as written in the base; `notKept` if only the value would reveal it. */
  of(live: LiveNode, name: string, value: Value): Value | undefined {
    const [declared, base] = [this.#declared.get(live), this.#former.get(live)];
    if (!writesSecret(declared, name) && !writesSecret(base, name)) return undefined;
    const former = base?.fields[name];
    const field = this.#input.registry.byName(live.kind).fields[name];
    const isFormer = field !== undefined && former !== undefined && holdsSecret(former);
    return isFormer && sameField(field, former, value) ? former : new Secret(notKept, '');
  }
}
