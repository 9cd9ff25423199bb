/** A kind that the product does not have: change requests of a space, by subject. One file, like every other kind. */
import type { OperationOutput } from '../../src/contract/index.ts';
import { body, bodyField, pick } from '../../src/kinds/fields.ts';
import type { Kind } from '../../src/kinds/kind.ts';

/** API document, "Change requests". */
export const changeRequest: Kind = {
  name: 'changeRequest',
  noun: 'change request',
  description: 'A change request of a space.',
  places: [{ parent: 'space', key: 'changeRequests', shape: 'map', ordered: false }],
  fields: {
    subject: {
      type: 'value',
      schema: bodyField('changeRequests.update', 'subject'),
      description: 'Subject.',
      example: 'Rework the guide',
    },
  },
  identities: [{ field: 'subject' }],
  scope: 'parent',
  idParam: 'changeRequestId',
  reads: { list: { operation: 'changeRequests.list', per: 'space', query: { status: 'draft' } } },
  fromRemote: (remote: OperationOutput<'changeRequests.get'>) => ({
    id: remote.id,
    fields: pick(remote, ['subject']),
  }),
  calls: {
    create: (context) => {
      const all = body(context.fields, ['subject']);
      return { call: { operation: 'changeRequests.create', params: context.params, body: all }, fields: all };
    },
    update: (context, changed) => [
      { operation: 'changeRequests.update', params: context.params, body: body(context.fields, changed) },
    ],
  },
};
