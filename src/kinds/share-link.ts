/** Share links of a site. Their URLs are secrets and are never read into a field. */
import { defineKind, type Kind } from './kind.ts';
import { bodyField, valueField } from './parts/fields.ts';

/** API document, "Share links". */
export const shareLink: Kind = defineKind({
  name: 'shareLink',
  noun: 'share link',
  description: 'A secret link to a site.',
  manifest: { places: [{ parent: 'site', key: 'shareLinks' }], ends: true },
  body: 'shareLinks.create',
  fields: {
    name: valueField('Name of the link, shown to its managers only.', 'Partners'),
    active: valueField('Whether the link opens the site.', true, {
      schema: bodyField('shareLinks.update', 'active'),
      absent: true,
      risk: (before, after) =>
        before === false && after === true ? 'anyone with the link can see the site again' : undefined,
    }),
  },
  identity: { by: [{ field: 'name' }], scope: 'site', idParam: 'shareLinkId' },
  reads: { list: { operation: 'shareLinks.list', per: 'site' } },
  calls: {
    create: { operation: 'shareLinks.create', fields: ['name'] },
    update: 'shareLinks.update',
    delete: 'shareLinks.delete',
  },
  deletion: {
    cost: 'the link stops working for everyone who has it',
    again: {
      lost: 'it has a new address: everyone who had the former one needs the new one',
      impossible: ({ name }) => (name === undefined ? 'the API cannot create one without a name' : undefined),
    },
  },
  display: {
    givesAccess: ({ active }) =>
      active === false ? undefined : { rank: 1, risk: 'anyone with the link can see the site' },
  },
});
