import type { OperationOutput } from '../contract/index.ts';
import { type CallContext, defineKind, type Kind } from './kind.ts';
import { levelField } from './parts/access.ts';
import { body, pick, textOf, valueField } from './parts/fields.ts';
import { grantFields, withGrants } from './parts/grants.ts';
import type { Payload } from './parts/payload.ts';

/** API document, "Collections". */
export const collection: Kind = defineKind({
  name: 'collection',
  noun: 'collection',
  description: 'A collection of spaces and of further collections.',
  manifest: {
    places: [
      { parent: 'organization', key: 'collections' },
      { parent: 'collection', key: 'collections' },
    ],
  },
  body: 'collections.update',
  fields: {
    title: valueField('Title of the collection.', 'Handbook', { trait: { is: 'title' } }),
    description: valueField('What the collection contains.', 'How we work', { absent: '' }),
    defaultLevel: {
      ...levelField,
      description: 'Level of everyone in the organization on its content; null for none.',
      trait: { is: 'level' },
    },
    ...grantFields('collections'),
  },
  identity: { by: [{ field: 'title' }], idParam: 'collectionId' },
  reads: {
    list: { operation: 'collections.list', per: 'organization', query: { nested: true } },
    get: { operation: 'collections.get' },
  },
  fromRemote: (remote: OperationOutput<'collections.get'>) => {
    const parent = textOf(remote.parent);
    return {
      id: remote.id,
      fields: pick(remote, ['title', 'description', 'defaultLevel']),
      ...(parent === undefined ? {} : { container: { kind: 'collection', id: parent } }),
    };
  },
  calls: {
    create: (context) => ({
      call: {
        operation: 'collections.create',
        params: context.params,
        body: { ...body(context.fields, ['title']), ...parentBody(context) },
      },
      fields: body(context.fields, ['title']),
    }),
    update: withGrants('collections', ({ params, fields }, changed) => [
      { operation: 'collections.update', params, body: body(fields, changed) },
    ]),
    delete: 'collections.delete',
    attach: (context) => ({
      operation: 'collections.move',
      params: context.params,
      body: { parent: null, ...parentBody(context) },
    }),
  },
  deletion: {
    protected: true,
    cost: 'its contents may be deleted with it',
    again: { lost: 'access given to people in addition to its default level is lost' },
  },
});

function parentBody(context: CallContext): Record<string, Payload> {
  return context.container.kind === 'collection' ? { parent: context.container.id } : {};
}
