/** Existing link invites. The API neither lists nor creates them: the key in the manifest is the invite's id. */
import { roleRisk } from './access.ts';
import { defineKind, type Kind } from './kind.ts';

/** API document, "Organizations", link invites. */
export const linkInvite: Kind = defineKind({
  name: 'linkInvite',
  noun: 'link invite',
  description: 'An invite link of the organization; the key is its id.',
  manifest: { places: [{ parent: 'organization', key: 'linkInvites' }], key: { is: 'id' } },
  body: 'linkInvites.update',
  fields: {
    role: {
      description: 'Role of people who join through the link.',
      example: 'read',
      reads: 'role',
      risk: roleRisk('whoever has the link'),
    },
  },
  identity: { idParam: 'inviteId' },
  reads: { get: { operation: 'linkInvites.get' } },
  calls: {
    create: () => ({
      unsupported: 'the API cannot create one',
      suggestion: 'check the id, or create the invite in the app and use its id as the key',
      missing: 'object',
    }),
    update: 'linkInvites.update',
    delete: 'linkInvites.delete',
  },
  deletion: {
    cost: 'the link stops working',
    again: { impossible: () => 'the API cannot create one; create another one in the app' },
  },
  display: { unseen: 'link invites' },
});
