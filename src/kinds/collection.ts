/** Collections, which hold spaces and other collections. */
import type { OperationOutput } from '../contract/index.ts';
import { inherited, levelRisk } from './access.ts';
import { body, bodyField, pick, textOf } from './fields.ts';
import type { CallContext, Kind } from './kind.ts';
import type { Payload } from './payload.ts';

/** API document, "Collections". */
export const collection: Kind = {
  name: 'collection',
  noun: 'collection',
  description: 'A collection of spaces and of further collections.',
  places: [
    { parent: 'organization', key: 'collections', shape: 'map', ordered: false },
    { parent: 'collection', key: 'collections', shape: 'map', ordered: false },
  ],
  fields: {
    title: {
      type: 'value',
      schema: bodyField('collections.update', 'title'),
      description: 'Title of the collection.',
      example: 'Handbook',
    },
    description: {
      type: 'value',
      schema: bodyField('collections.update', 'description'),
      description: 'What the collection contains.',
      example: 'How we work',
      absent: '',
    },
    defaultLevel: {
      type: 'value',
      schema: bodyField('collections.update', 'defaultLevel'),
      description: 'What everyone in the organization may do with its content; null for nothing.',
      example: 'read',
      nullable: 'value',
      inherits: inherited,
      reads: 'word',
      risk: levelRisk,
      trait: { is: 'level' },
    },
  },
  identities: [{ field: 'title' }],
  scope: 'organization',
  idParam: 'collectionId',
  protected: true,
  cost: 'what it holds may go with it',
  again: { lost: 'access that people had to it beside its default level is lost' },
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
    update: (context, changed) => [
      { operation: 'collections.update', params: context.params, body: body(context.fields, changed) },
    ],
    delete: (context) => ({ operation: 'collections.delete', params: context.params }),
    attach: (context) => ({
      operation: 'collections.move',
      params: context.params,
      body: { parent: null, ...parentBody(context) },
    }),
  },
};

function parentBody(context: CallContext): Record<string, Payload> {
  return context.container.kind === 'collection' ? { parent: context.container.id } : {};
}
