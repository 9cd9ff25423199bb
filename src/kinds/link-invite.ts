/** Link invites that exist already. The API neither lists nor creates them: the key in the manifest is the invite's id. */
import type { OperationOutput } from '../contract/index.ts';
import { roleRisk } from './access.ts';
import { body, bodyField, pick } from './fields.ts';
import type { Kind } from './kind.ts';

/** API document, "Organizations", link invites. */
export const linkInvite: Kind = {
  name: 'linkInvite',
  noun: 'link invite',
  description: 'An invite link of the organization; the key is its id.',
  places: [{ parent: 'organization', key: 'linkInvites', shape: 'map', ordered: false }],
  key: { is: 'id' },
  fields: {
    role: {
      type: 'value',
      schema: bodyField('linkInvites.update', 'role'),
      description: 'Role of people who join through the link.',
      example: 'read',
      reads: 'role',
      risk: roleRisk('whoever has the link'),
    },
  },
  identities: [],
  scope: 'organization',
  idParam: 'inviteId',
  unseen: 'link invites',
  cost: 'the link stops working',
  again: { impossible: () => 'the API cannot create one; create another one in the app' },
  reads: { get: { operation: 'linkInvites.get' } },
  fromRemote: (remote: OperationOutput<'linkInvites.get'>) => ({
    id: remote.id,
    fields: pick(remote, ['role']),
  }),
  calls: {
    create: () => ({
      unsupported: 'the API cannot create one',
      suggestion: 'check the id, or create the invite in the app and use its id as the key',
      missing: 'object',
    }),
    update: (context, changed) => [
      { operation: 'linkInvites.update', params: context.params, body: body(context.fields, changed) },
    ],
    delete: (context) => ({ operation: 'linkInvites.delete', params: context.params }),
  },
};
