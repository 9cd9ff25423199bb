/** A kind that the product lacks: change requests of a space, by subject. One file, like every other kind. */
import { defineKind, type Kind } from '../../src/kinds/kind.ts';

/** API document, "Change requests". */
export const changeRequest: Kind = defineKind({
  name: 'changeRequest',
  noun: 'change request',
  description: 'A change request of a space.',
  manifest: { places: [{ parent: 'space', key: 'changeRequests' }] },
  body: 'changeRequests.update',
  fields: {
    subject: {
      description: 'Subject.',
      example: 'Rework the guide',
    },
  },
  identity: { by: [{ field: 'subject' }], scope: 'parent', idParam: 'changeRequestId' },
  reads: { list: { operation: 'changeRequests.list', per: 'space', query: { status: 'draft' } } },
  calls: {
    create: { operation: 'changeRequests.create', fields: ['subject'] },
    update: 'changeRequests.update',
  },
});
