import type { Kind } from '../../kinds/kind.ts';
import { type DesiredNode, idIn } from '../../tree/desired.ts';
import { identityValue } from '../../tree/identity.ts';
import type { LiveNode } from '../../tree/live.ts';
import type { Diagnostic } from '../../util/diagnostic.ts';
import { problemOf } from '../problem.ts';
import type { ClaimContext } from './differences.ts';
import type { Group } from './same-name.ts';

export function ambiguous(
  kind: Kind,
  subject: DesiredNode,
  { desiredNodes, lives }: Group,
  field: string,
): Diagnostic {
  const ids = lives.map(({ id }) => id).join(', ');
  const others = desiredNodes.filter((other) => other !== subject);
  const message =
    lives.length > 1
      ? `${lives.length} live ${kind.noun}s match this one by ${field}: ${ids}`
      : `this and ${others.map(({ address }) => address).join(', ')} both match the live ${kind.noun} ${ids} by ${field}`;
  const suggestion = `add the id of the right one, for example id: ${lives[0]?.id ?? '…'}`;
  const related = others.map((other) => ({ message: `${other.address} matches as well`, at: other.at }));
  return problemOf(subject, { code: 'ambiguous-identity', message, suggestion, related }, 'id');
}

export function noIdentity(kind: Kind, desired: DesiredNode): Diagnostic {
  const fields = [...new Set(kind.identity.by.map(({ field }) => field))];
  const message = `nothing identifies this ${kind.noun}`;
  const suggestion = `add ${fields.join(' or ')}, or pin an existing one with id`;
  return problemOf(desired, { code: 'no-identity', message, suggestion }, 'id');
}

export function pinNotFound(kind: Kind, desired: DesiredNode): Diagnostic {
  const message = `the ${kind.noun} with the id ${idIn(desired)} no longer exists`;
  const suggestion = 'plan again: it was live when the plan was made';
  return problemOf(desired, { code: 'id-not-found', message, suggestion }, 'id');
}

export function pinnedElsewhere(kind: Kind, desired: DesiredNode, id: string): Diagnostic {
  const message = `the ${kind.noun} with the id ${id} is in another place`;
  const suggestion = 'move the entry to where the object is, or pin another one';
  return problemOf(desired, { code: 'id-elsewhere', message, suggestion }, 'id');
}

export function pinnedTwice(kind: Kind, desired: DesiredNode, id: string, other: string): Diagnostic {
  const message = `the ${kind.noun} with the id ${id} is already declared as ${other}`;
  const suggestion = 'declare the object once: remove one of the two';
  return problemOf(desired, { code: 'id-claimed-twice', message, suggestion }, 'id');
}

export function recordedOtherwise(
  kind: Kind,
  desired: DesiredNode,
  { recorded, named, field }: Record<'recorded' | 'named' | 'field', string>,
): Diagnostic {
  const message = `by the record this is the ${kind.noun} ${recorded}, but ${named} has its ${field}: they were exchanged in the app, or the record is wrong`;
  const suggestion = `pin the right one: id: ${named} leaves both as they are`;
  return problemOf(desired, { severity: 'warning', code: 'recorded-otherwise', message, suggestion });
}

/** Warns if a key is a name that requests cannot change, and the object has been renamed. */
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
    const suggestion = `write ${name} instead of ${desired.key}`;
    return [problemOf(desired, { severity: 'warning', code: 'recorded-otherwise', message, suggestion })];
  });
}
