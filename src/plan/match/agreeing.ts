/** Objects that may be the same by one identity, without those whose stronger identities disagree. */
import type { Identity } from '../../kinds/kind.ts';
import type { DesiredNode } from '../../tree/desired.ts';
import { identityValue } from '../../tree/identity.ts';
import type { LiveNode } from '../../tree/live.ts';

/** Objects of one kind in one scope. */
export interface Group {
  readonly desiredNodes: readonly DesiredNode[];
  readonly lives: readonly LiveNode[];
}

/** Those whose stronger identities do not disagree; all, where that leaves none on one side. */
export function agreeing(
  stronger: readonly Identity[],
  all: Group,
  read: (desired: DesiredNode, identity: Identity) => string | undefined,
): Group {
  const agree = (desired: DesiredNode, live: LiveNode) =>
    stronger.every((identity) => {
      const value = read(desired, identity);
      const present = identityValue(live.fields, identity);
      return value === undefined || present === undefined || value === present;
    });
  const desiredNodes = all.desiredNodes.filter((desired) => all.lives.some((live) => agree(desired, live)));
  const lives = all.lives.filter((live) => all.desiredNodes.some((desired) => agree(desired, live)));
  return desiredNodes.length === 0 || lives.length === 0 ? all : { desiredNodes, lives };
}
