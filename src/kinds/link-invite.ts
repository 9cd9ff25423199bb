/** Link invites: the key in the manifest is the invite's id. Newer services list and create the organization's invites. */
import { once } from '../contract/once.ts';
import { closedEnum, roles } from '../contract/values.ts';
import {
  type CallContext,
  type Creation,
  defineKind,
  type Kind,
  type KindSpec,
  type Unsupported,
} from './kind.ts';
import { roleRisk } from './parts/access.ts';
import type { RiskSituation, RiskText } from './parts/field.ts';
import { body, pick, valueField } from './parts/fields.ts';
import type { Value } from './parts/payload.ts';

const risk = roleRisk('anyone with the link');

const fields = {
  role: valueField('Role of people who join the organization through the link.', 'read', {
    reads: 'role',
    risk,
  }),
  level: {
    needs: '2026',
    schema: once(() => closedEnum(roles)),
    description:
      'Level of people who get access to one space or collection through the link, which exists already.',
    example: 'read',
    reads: 'word',
    risk: severeRisk,
  },
} as const satisfies KindSpec['fields'];

const calls: KindSpec['calls'] = {
  create: () => ({
    unsupported: 'the API cannot create one',
    suggestion: 'check the id, or create the invite in the app and use its id as the key',
    missing: 'object',
  }),
  update: 'linkInvites.update',
  delete: 'linkInvites.delete',
};

/** Differences at services that list and create invites. */
const listed: NonNullable<KindSpec['newer']> = {
  fields: { ...fields, role: { ...fields.role, risk: severeRisk } },
  identity: { by: [{ field: 'role' }], idParam: 'inviteId' },
  reads: {
    list: { operation: 'linkInvites.list', per: 'organization' },
    get: { operation: 'linkInvites.get' },
  },
  calls: { ...calls, create: createOne },
  deletion: {
    cost: 'the link stops working',
    again: {
      lost: 'it is another link: everyone who had the former one needs the new one',
      impossible: ({ role }) => (role === undefined ? noList : undefined),
    },
  },
  display: { unseen: 'link invites of spaces and collections' },
};

/** API document, "Organizations", link invites. */
export const linkInvite: Kind = defineKind({
  name: 'linkInvite',
  noun: 'link invite',
  description:
    'An invite link; the key is its id. Services of the form `2026` create one of the organization for any other key, and find it again by its role.',
  manifest: { places: [{ parent: 'organization', key: 'linkInvites' }], key: { is: 'id' } },
  body: 'linkInvites.update',
  fields,
  identity: { idParam: 'inviteId' },
  reads: { get: { operation: 'linkInvites.get' } },
  // Omits the null role of a guest, which cannot be declared.
  fromRemote: (remote: { readonly id: string; readonly role?: Value; readonly level?: Value }) => ({
    id: remote.id,
    fields: Object.fromEntries(
      Object.entries(pick(remote, ['role', 'level'])).filter(([, value]) => value !== null),
    ),
  }),
  calls,
  newer: listed,
  deletion: {
    cost: 'the link stops working',
    again: { impossible: () => 'the API cannot create one; create another one in the app' },
  },
  display: { unseen: 'link invites' },
});

const noList =
  'the API does not list the link invites of spaces and collections, so Octavo cannot tell whether it already exists';

function createOne({ fields: wanted, params }: CallContext): Creation | Unsupported {
  if (wanted.level !== undefined || wanted.role === undefined) {
    return {
      unsupported: wanted.level === undefined ? 'a new one needs a role' : noList,
      suggestion: 'check the id, or create the invite in the app and use its id as the key',
      missing: 'object',
    };
  }
  const all = body(wanted, ['role']);
  return { call: { operation: 'linkInvites.create', params, body: all }, fields: all };
}

/** Marks the risk as severe, because anyone may have the link. */
function severeRisk(before: Value | undefined, after: Value, situation: RiskSituation): RiskText | undefined {
  const found = risk(before, after, situation);
  return typeof found === 'string' && after !== 'read' ? { text: found, severe: true } : found;
}
