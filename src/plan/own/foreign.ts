/** Objects of another organization: they are never changed, copied or restored, whatever names their id. */
import { operationIds, operationOf } from '../../contract/index.ts';
import { hasAnyOwner } from '../../kinds/kind.ts';
import type { Registry } from '../../kinds/registry.ts';
import type { DesiredNode } from '../../tree/desired.ts';
import type { Read } from '../../tree/reads.ts';
import { resolveField } from '../../tree/references.ts';
import type { ObjectRef } from '../../tree/refs.ts';
import type { Diagnostic } from '../../util/diagnostic.ts';
import type { PlanContext } from '../context.ts';
import { pastIdsOf } from '../matching.ts';
import { problemOf } from '../problem.ts';

/** Objects that a request of the plan would name by an id of the manifests, and that no response has shown. */
export function foreignReads(context: PlanContext): readonly Read[] {
  const { desired, live, registry } = context;
  const named = [...desired.nodes.values()].flatMap((node) => namedByReference(context, node));
  return named
    .filter((ref) => !live.has(ref) && hasAnyOwner(registry.byName(ref.kind)))
    .map(({ kind, id }) => ({ type: 'object', kind, id }));
}

export function foreignProblems(context: PlanContext): readonly Diagnostic[] {
  const { live, registry } = context;
  return [...context.desired.nodes.values()].flatMap((node) =>
    [...ownIds(context, node), ...namedByReference(context, node)].flatMap(({ field, ...ref }) => {
      const owner = live.foreignOwner(ref);
      if (owner === undefined) return [];
      const { noun } = registry.byName(ref.kind);
      const transfer = transferOf(registry, ref, live.organizationId);
      const message = `${noun} ${ref.id} belongs to ${owner}, this document is ${live.organizationId}`;
      const suggestion = `name a ${noun} of ${live.organizationId}, or declare this one in the document of ${owner}${transfer === undefined ? '' : `; to move it here: ${transfer}`}`;
      return [problemOf(node, { code: 'other-organization', message, suggestion }, field)];
    }),
  );
}

/** The command that moves an object to another organization, if the service can. */
export function transferOf(registry: Registry, { kind, id }: ObjectRef, to: string): string | undefined {
  const { get } = registry.byName(kind).reads;
  const path = get && `${operationOf(get.operation).path}/transfer`;
  const operation = operationIds.find((one) => operationOf(one).path === path);
  if (operation === undefined || (operationOf(operation).needs ?? registry.form) !== registry.form)
    return undefined;
  return `octavo api ${operation} ${registry.byName(kind).identity.idParam}=${id} -F organization=${to}`;
}

interface NamedId extends ObjectRef {
  readonly field: string;
}

function ownIds(context: PlanContext, node: DesiredNode): readonly NamedId[] {
  if (!context.toCreate.has(node.address)) return [];
  const known = { tree: context.desired, pastIds: context.pastIds };
  return pastIdsOf(context.kindOf(node), node, known).map((id) => ({ kind: node.kind, id, field: 'id' }));
}

function namedByReference(context: PlanContext, node: DesiredNode): readonly NamedId[] {
  const live = context.liveOf(node.address);
  return Object.entries(context.kindOf(node).fields).flatMap(([name, field]) => {
    const target = resolveField(context.desired, node, { field, value: node.fields[name] });
    if (field.type !== 'reference' || target?.type !== 'id') return [];
    const isSent = live === undefined || (field.change !== 'create' && live.fields[name] !== target.id);
    return isSent ? field.kinds.map((kind) => ({ kind, id: target.id, field: name })) : [];
  });
}
