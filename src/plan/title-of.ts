/** Display names of live objects: title or address, from the field that identifies their kind. */
import { fieldWith } from '../kinds/parts/field.ts';
import { identityValue } from '../tree/identity.ts';
import type { LiveNode } from '../tree/live.ts';
import type { PlanContext } from './context.ts';
import type { CascadedDelete } from './plan.ts';
import { isSecret } from './values/secret-fields.ts';

const hidden = '(secret)';

export function titleOf(context: PlanContext, live: LiveNode): string {
  const kind = context.kindOf(live);
  const name = fieldWith(kind, 'title')?.name ?? '';
  const text = live.fields[name];
  if (typeof text === 'string' && text !== '') return isSecret(context, live, name) ? hidden : text;
  for (const identity of kind.identity.by) {
    if (kind.fields[identity.field]?.type === 'reference') continue;
    const value = identityValue(live.fields, { field: identity.field });
    if (value !== undefined) return isSecret(context, live, identity.field) ? hidden : value;
  }
  // The only object of its kind in a parent has no name of its own.
  const parent = context.live.get(live.container);
  return parent !== undefined && parent !== live && parent.id === live.id
    ? titleOf(context, parent)
    : live.id;
}

/** Example: `collection "Handbook"`. */
export function namedObject(context: PlanContext, live: LiveNode): string {
  return `${context.kindOf(live).noun} ${JSON.stringify(titleOf(context, live))}`;
}

export function describeObject(context: PlanContext, live: LiveNode): CascadedDelete {
  const { kind, id } = live;
  return { kind, noun: context.kindOf(live).noun, id, title: titleOf(context, live) };
}
