import type { Kind } from '../../kinds/kind.ts';
import type { DesiredNode } from '../../tree/desired.ts';
import { identityValue } from '../../tree/identity.ts';
import type { LiveNode } from '../../tree/live.ts';
import type { Diagnostic } from '../../util/diagnostic.ts';
import type { DiagnosticCode } from '../../util/diagnostic-codes.ts';
import type { ClaimContext } from './differences.ts';

function problem(
  desired: DesiredNode,
  code: DiagnosticCode,
  message: string,
  more: Pick<Diagnostic, 'suggestion' | 'related'>,
): Diagnostic {
  return {
    severity: 'error',
    code,
    message,
    address: desired.address,
    at: desired.fieldAt.id ?? desired.at,
    ...more,
  };
}

export function ambiguous(
  kind: Kind,
  subject: DesiredNode,
  {
    desiredNodes,
    lives,
    field,
  }: {
    readonly desiredNodes: readonly DesiredNode[];
    readonly lives: readonly LiveNode[];
    readonly field: string;
  },
): Diagnostic {
  const ids = lives.map(({ id }) => id).join(', ');
  const others = desiredNodes.filter((other) => other !== subject);
  const message =
    lives.length > 1
      ? `${lives.length} live ${kind.noun}s match this one by ${field}: ${ids}`
      : `this and ${others.map(({ address }) => address).join(', ')} both match the live ${kind.noun} ${ids} by ${field}`;
  return problem(subject, 'ambiguous-identity', message, {
    suggestion: `add the id of the right one, for example id: ${lives[0]?.id ?? '…'}`,
    related: others.map((other) => ({ message: `${other.address} matches as well`, at: other.at })),
  });
}

export function noIdentity(kind: Kind, desired: DesiredNode): Diagnostic {
  const fields = [...new Set(kind.identity.by.map(({ field }) => field))];
  return problem(desired, 'no-identity', `nothing identifies this ${kind.noun}`, {
    suggestion: `add ${fields.join(' or ')}, or pin an existing one with id`,
  });
}

export function indistinguishable(kind: Kind, desired: DesiredNode, twin: DesiredNode): Diagnostic {
  const { field = 'name' } =
    kind.identity.by.find((identity) => desired.fields[identity.field] !== undefined) ?? {};
  return problem(
    desired,
    'indistinguishable',
    `two ${kind.noun}s in one place have the same ${field}: later runs could not distinguish them`,
    {
      suggestion: `give one of them another ${field}, or pin existing ones with id`,
      related: [{ message: `the other one is ${twin.address}`, at: twin.at }],
    },
  );
}

export function pinNotFound(kind: Kind, desired: DesiredNode): Diagnostic {
  return problem(desired, 'id-not-found', `the ${kind.noun} with the id ${desired.id} is gone`, {
    suggestion: 'plan again: it was live when the plan was made',
  });
}

export function pinnedElsewhere(kind: Kind, desired: DesiredNode, id: string): Diagnostic {
  return problem(
    desired,
    'id-elsewhere',
    `the ${kind.noun} with the id ${id} is not here but in another place`,
    {
      suggestion: 'move the entry to where the object is, or pin another one',
    },
  );
}

export function pinnedTwice(
  kind: Kind,
  desired: DesiredNode,
  { id, other }: { readonly id: string; readonly other: string },
): Diagnostic {
  return problem(desired, 'id-claimed-twice', `the ${kind.noun} with the id ${id} is ${other} already`, {
    suggestion: 'declare the object once: remove one of the two',
  });
}

export function recordedOtherwise(
  kind: Kind,
  desired: DesiredNode,
  {
    recorded,
    named,
    field,
  }: { readonly recorded: LiveNode; readonly named: LiveNode; readonly field: string },
): Diagnostic {
  return {
    severity: 'warning',
    code: 'recorded-otherwise',
    message: `by the record this is the ${kind.noun} ${recorded.id}, but ${named.id} has its ${field}: they were exchanged in the app, or the record is wrong`,
    address: desired.address,
    at: desired.at,
    suggestion: `find out which one it is, and pin it: id: ${named.id} leaves both as they are`,
  };
}

/** The key is a name that no request changes, and the object has another one now. */
export function renamedOutside(
  kind: Kind,
  claims: ReadonlyMap<DesiredNode, LiveNode>,
  nameOf: ClaimContext['desiredIdentityOf'],
): readonly Diagnostic[] {
  const { key } = kind.manifest;
  const identity = kind.identity.by.find(({ field }) => key?.is === 'field' && key.field === field);
  if (identity === undefined || kind.fields[identity.field]?.change !== 'create') return [];
  return [...claims].flatMap(([desired, live]): readonly Diagnostic[] => {
    const name = identityValue(live.fields, identity);
    if (name === undefined || name === nameOf(kind, desired, identity)) return [];
    const message = `by the record this is the ${kind.noun} ${live.id}, whose ${identity.field} is ${name} now; wherever the manifests name ${desired.key}, it means that ${kind.noun}`;
    const suggestion = `write ${name} in place of ${desired.key}`;
    const { address, at } = desired;
    return [{ severity: 'warning', code: 'recorded-otherwise', message, address, at, suggestion }];
  });
}

export function unfinishedCopy(kind: Kind, desired: DesiredNode, live: LiveNode): Diagnostic {
  const name = JSON.stringify(String(live.fields[kind.calls.copies?.name ?? ''] ?? ''));
  return {
    severity: 'warning',
    code: 'unfinished-copy',
    message: `the ${kind.noun} ${name} (${live.id}) looks like this one, left unfinished by an earlier run: it is finished, and no other copy is made`,
    address: desired.address,
    at: desired.at,
    suggestion: `if it is something else, add was: []`,
  };
}
