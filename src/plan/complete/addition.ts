import type { Fields } from '../../kinds/parts/payload.ts';
import type { DesiredNode } from '../../tree/desired.ts';

export interface Addition {
  readonly to: DesiredNode;
  readonly fields: Fields;
  /** Names of fields whose values come from the replaced object. */
  readonly carried?: readonly string[];
}

/** `node`: with earlier additions. The first addition to a field wins. */
export function withAddition(node: DesiredNode, { to, fields, carried }: Addition): DesiredNode {
  const fresh = Object.entries(fields).filter(([name]) => node.fields[name] === to.fields[name]);
  const added = { ...node, fields: { ...node.fields, ...Object.fromEntries(fresh) } };
  if (carried === undefined) return added;
  const ignore = node.lifecycle.ignore.filter((name) => !carried.includes(name));
  return { ...added, lifecycle: { ...node.lifecycle, ignore }, carried };
}
