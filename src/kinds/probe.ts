/**
 * Runs a kind's calls on samples to find which operations set a field, and what a new object needs. The calls are
 * pure, so the answer is what a plan would contain. Knows no kind by name.
 */
import type { OperationId } from '../contract/index.ts';
import { operationOf } from '../contract/index.ts';
import type { Field } from './field.ts';
import type { CallContext, ChildView, Creation, Kind, Unsupported } from './kind.ts';
import type { Call, Payload, Value } from './payload.ts';
import type { Registry } from './registry.ts';
import { sampleKeyOf } from './sample-key.ts';

const anyId = 'id';

/** The operations that give a field its value: at creation, and later. */
export function settersOf(registry: Registry, kind: Kind, name: string): readonly OperationId[] {
  const { change = 'update' } = kind.fields[name] ?? {};
  const created = attempt(() => kind.calls.create(contextOf(registry, kind)));
  const isMadeWith = isCreation(created) && (name in created.fields || change === 'create');
  const updated = change === 'update' ? updatesOf(registry, kind, [name]) : [];
  return [
    ...new Set([
      ...(isMadeWith && isCreation(created) ? [created.call.operation] : []),
      ...updated.map(({ operation }) => operation),
    ]),
  ];
}

/** The operations that a kind's objects are made, changed, moved and deleted with, by what they do. */
export function operationsOfKind(
  registry: Registry,
  kind: Kind,
): readonly (readonly [what: string, operations: readonly OperationId[]])[] {
  const context = contextOf(registry, kind);
  const { create, delete: remove, restore, move, attach } = kind.calls;
  const created = attempt(() => create(context));
  const changeable = Object.keys(kind.fields).filter(
    (name) => (kind.fields[name]?.change ?? 'update') === 'update',
  );
  const { list, get, search } = kind.reads;
  const rows: readonly (readonly [string, readonly (OperationId | undefined)[]])[] = [
    ['read', [list?.operation, get?.operation, search?.operation]],
    ['create', [isCreation(created) && created.call.find === undefined ? created.call.operation : undefined]],
    ['update', updatesOf(registry, kind, changeable).map(({ operation }) => operation)],
    ['move', [move?.(context, undefined).operation, attach?.(context, undefined)?.operation]],
    ['delete', [remove?.(context).operation]],
    ['restore', [restore?.(context).operation]],
  ];
  return rows
    .map(([what, found]) => [what, [...new Set(found.filter((one) => one !== undefined))]] as const)
    .filter(([, found]) => found.length > 0);
}

/** Why the API never creates an object of the kind. */
export function whyNotCreated(registry: Registry, kind: Kind): Unsupported | undefined {
  const created = attempt(() => kind.calls.create(contextOf(registry, kind)));
  return created === undefined || isCreation(created) ? undefined : created;
}

/** Fields, and keys of children, without which an object cannot be created. */
export function neededToCreate(registry: Registry, kind: Kind): readonly string[] {
  if (!isAccepted(attempt(() => kind.calls.create(contextOf(registry, kind))))) return [];
  const parts = [...Object.keys(kind.fields), ...registry.collectionsOf(kind.name)];
  return parts.filter(
    (part) => !isAccepted(attempt(() => kind.calls.create(contextOf(registry, kind, part)))),
  );
}

function isAccepted(created: Creation | Unsupported | undefined): boolean {
  if (!isCreation(created)) return false;
  const operation = operationOf(created.call.operation);
  const body = operation.newer?.body ?? operation.body;
  return body === null || body.safeParse(created.call.body ?? {}).success;
}

function updatesOf(registry: Registry, kind: Kind, names: readonly string[]): readonly Call[] {
  const updated = attempt(() => kind.calls.update?.(contextOf(registry, kind), names));
  return updated === undefined || 'unsupported' in updated ? [] : updated;
}

function isCreation(created: Creation | Unsupported | undefined): created is Creation {
  return created !== undefined && 'call' in created;
}

/** Samples of every field and every child, except one part. */
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

/** References are ids, as in calls. */
function payloadOf(field: Field): Payload {
  if (field.type === 'reference') return anyId;
  const value = field.example as Value;
  return (field.normalize?.(value) ?? value) as Payload;
}

/** A call that cannot be made from samples is unknown. */
function attempt<T>(make: () => T): T | undefined {
  try {
    return make();
  } catch {
    return undefined;
  }
}
