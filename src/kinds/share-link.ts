/** Share links of a site. Their URLs are secrets and are never read into a field. */
import type { OperationOutput } from '../contract/index.ts';
import { body, bodyField, pick } from './fields.ts';
import type { Kind } from './kind.ts';

/** API document, "Share links". */
export const shareLink: Kind = {
  name: 'shareLink',
  noun: 'share link',
  description: 'A secret link to a site.',
  places: [{ parent: 'site', key: 'shareLinks', shape: 'map', ordered: false }],
  fields: {
    name: {
      type: 'value',
      schema: bodyField('shareLinks.create', 'name'),
      description: 'Name of the link, for those who manage it.',
      example: 'Partners',
    },
    active: {
      type: 'value',
      schema: bodyField('shareLinks.update', 'active'),
      description: 'Whether the link opens the site.',
      example: true,
      absent: true,
      risk: (before, after) =>
        before === false && after === true ? 'whoever has the link can see the site again' : undefined,
    },
  },
  identities: [{ field: 'name' }],
  scope: 'site',
  idParam: 'shareLinkId',
  cost: 'the link stops working for everyone who has it',
  again: {
    lost: 'it has a new address: whoever had the former one needs the new one',
    impossible: ({ name }) => (name === undefined ? 'the API creates none without a name' : undefined),
  },
  givesAccess: ({ active }) =>
    active === false ? undefined : { rank: 1, risk: 'whoever has the link can see the site' },
  reads: { list: { operation: 'shareLinks.list', per: 'site' } },
  fromRemote: (remote: OperationOutput<'shareLinks.update'>) => ({
    id: remote.id,
    fields: pick(remote, ['name', 'active']),
  }),
  calls: {
    create: (context) => {
      const all = body(context.fields, ['name']);
      return { call: { operation: 'shareLinks.create', params: context.params, body: all }, fields: all };
    },
    update: (context, changed) => [
      { operation: 'shareLinks.update', params: context.params, body: body(context.fields, changed) },
    ],
    delete: (context) => ({ operation: 'shareLinks.delete', params: context.params }),
  },
};
