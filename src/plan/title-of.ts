/** What people call live objects: their title, name, label or address, by what their kind is recognised by. */
import { identityValue } from '../tree/identity.ts';
import type { LiveNode } from '../tree/live.ts';
import type { Scene } from './context.ts';

/** What people call a live object. */
export function titleOf(scene: Scene, live: LiveNode): string {
  const kind = scene.kindOf(live);
  const { title } = live.fields;
  if (typeof title === 'string' && title !== '') return title;
  for (const identity of kind.identities) {
    if (kind.fields[identity.field]?.reference !== undefined) continue;
    const value = identityValue(live.fields, { field: identity.field });
    if (value !== undefined) return value;
  }
  return live.id;
}
