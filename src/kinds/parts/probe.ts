/**
 * Runs a kind's create with samples to find the fields that a new object needs. The call is pure, so the answer matches a real plan.
 * Knows no kind by name.
 */
import { operationOf } from '../../contract/index.ts';
import type { CallContext, ChildView, Creation, Kind, Unsupported } from '../kind.ts';
import type { Registry } from '../registry.ts';
import type { Field } from './field.ts';
import type { Payload, Value } from './payload.ts';

const anyId = 'id';

/** Fields, and keys of children, that a new object needs. */
export function neededToCreate(registry: Registry, kind: Kind): readonly string[] {
  if (!isAccepted(attempt(() => kind.calls.create(contextOf(registry, kind))))) return [];
  const parts = [...Object.keys(kind.fields), ...registry.collectionsOf(kind.name)];
  return parts.filter(
    (part) => !isAccepted(attempt(() => kind.calls.create(contextOf(registry, kind, part)))),
  );
}

function isAccepted(created: Creation | Unsupported | undefined): boolean {
  if (created === undefined || !('call' in created)) return false;
  const operation = operationOf(created.call.operation);
  const body = operation.newer?.body ?? operation.body;
  return body === null || body.safeParse(created.call.body ?? {}).success;
}

/** Samples of every field and child, except the given one. */
function contextOf(registry: Registry, kind: Kind, without?: string): CallContext {
  const fields = samplePayload(kind, without);
  return {
    address: kind.name,
    key: sampleKeyOf(kind),
    params: kind.identity.idParam === undefined ? {} : { [kind.identity.idParam]: anyId },
    id: anyId,
    fields,
    before: {},
    container: { kind: kind.manifest.places[0]?.parent ?? '', id: anyId },
    children: (key) => (key === without ? [] : childrenOf(registry, kind, key)),
    targetKind: (field) => {
      const found = kind.fields[field];
      return found?.type === 'reference' ? found.kinds[0] : undefined;
    },
    resolve: () => anyId,
  };
}

function childrenOf(registry: Registry, parent: Kind, key: string): readonly ChildView[] {
  return registry
    .at(parent.name, key)
    .map(({ kind }) => ({ kind: kind.name, address: kind.name, id: anyId, fields: samplePayload(kind) }));
}

function samplePayload(kind: Kind, without?: string): Readonly<Record<string, Payload>> {
  return Object.fromEntries(
    Object.entries(kind.fields)
      .filter(([name]) => name !== without)
      .map(([name, field]) => [name, payloadOf(field)]),
  );
}

/** References are replaced with ids, as in calls. */
function payloadOf(field: Field): Payload {
  if (field.type === 'reference') return anyId;
  const value = field.example as Value;
  return (field.normalize?.(value) ?? value) as Payload;
}

/** Returns undefined if a call fails with samples. */
function attempt<T>(make: () => T): T | undefined {
  try {
    return make();
  } catch {
    return undefined;
  }
}

/** A sample key for examples: a name, or a sample of the key field. */
export function sampleKeyOf({ manifest: { key }, name, fields }: Kind): string {
  const field = key?.is === 'field' ? fields[key.field] : undefined;
  if (field !== undefined) return String(field.example);
  return key?.is === 'id' ? `${dashed(name)}-id` : `my-${dashed(name)}`;
}

function dashed(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
