import type { spaces } from '../../contract/spaces.ts';
import { defined } from '../../util/defined.ts';
import {
  contentPlace,
  createSpace,
  deleteSpace,
  demandLive,
  restoreSpace,
  retention,
  transferSpace,
} from '../content.ts';
import type { Context } from '../context.ts';
import { conflict, type HandlersOf, invalid, notFound } from '../handler.ts';
import { linksOfPages } from '../links.ts';
import type { CustomFieldRow, FieldValueRow, SpaceRow } from '../rows.ts';
import { emojiCode, spaceView } from '../views/content.ts';
import { customFieldView } from '../views/settings.ts';
import { contentAnchors, demandLevelChange, demandNoGain, targetOrg, targetParent } from './collections.ts';

function space(context: Context, id: string | undefined, least: 'read' | 'create' | 'admin'): SpaceRow {
  const row = context.anySpace(id ?? '', least);
  if (row.deletedAt !== undefined && Date.parse(row.deletedAt) + retention <= context.now.getTime())
    throw notFound('space');
  return row;
}

function checkValue(field: CustomFieldRow, value: FieldValueRow['value']): void {
  const wrong = invalid(`body.values.${field.name}: not a value of a field of type ${field.type}`);
  const list = Array.isArray(value) ? value : [value];
  switch (field.type) {
    case 'number':
    case 'boolean':
      if (typeof value !== field.type) throw wrong;
      return;
    case 'tags':
      if (!Array.isArray(value)) throw wrong;
      return;
    case 'select:single':
    case 'select:multi':
      if (Array.isArray(value) !== (field.type === 'select:multi')) throw wrong;
      if (list.some((one) => !field.options?.includes(String(one)))) throw wrong;
      return;
    default:
      if (typeof value !== 'string') throw wrong;
  }
}

export const spaceHandlers: HandlersOf<typeof spaces> = {
  'spaces.get': (context, { params, query }) => {
    const row = space(context, params.spaceId, 'read');
    const sites = context.store.tagged('siteSpace', row.id).map(({ site }) => site);
    context.openShare(query.shareKey, sites);
    return spaceView(context, row);
  },

  'spaces.delete': (context, { params }) => {
    const row = space(context, params.spaceId, 'admin');
    if (row.deletedAt !== undefined) throw notFound('space');
    deleteSpace(context, row);
  },

  'spaces.update': (context, { params, body }) => {
    const row = demandLive(space(context, params.spaceId, 'create'));
    if (body.emoji !== undefined && emojiCode(body.emoji) === undefined) {
      throw invalid('body.emoji: not an emoji of at most 50 characters');
    }
    demandLevelChange(context, row, body.defaultLevel);
    const changed: SpaceRow = { ...row, ...defined(body), updatedAt: context.at };
    context.store.put('space', changed);
    return spaceView(context, changed);
  },

  'spaces.duplicate': (context, { params }) => {
    const row = demandLive(space(context, params.spaceId, 'create'));
    const { variants } = context;
    const copy = createSpace(context, {
      org: row.org,
      parent: row.parent,
      title:
        variants['duplicate-title'] === 'suffix'
          ? `${row.title.slice(0, 43).replace(/\p{Surrogate}$/u, '')} (copy)`
          : row.title,
      from: row,
      ...defined({ after: variants['duplicate-place'] === 'beside' ? row.id : undefined }),
    });
    return spaceView(context, copy);
  },

  'spaces.restore': (context, { params }) => {
    const row = space(context, params.spaceId, 'admin');
    if (row.deletedAt === undefined) throw conflict('the space is not deleted');
    return spaceView(context, restoreSpace(context, row));
  },

  'spaces.move': (context, { params, body }) => {
    const row = demandLive(space(context, params.spaceId, 'create'));
    const parent = targetParent(context, row, body.parent);
    const order = contentPlace(context.store, parent ?? row.org, row.id, contentAnchors(body.position));
    const changed = { ...row, parent, order };
    demandNoGain(context, row, changed);
    context.store.put('space', changed);
    return spaceView(context, changed);
  },

  'spaces.transfer': (context, { params, body }) => {
    const row = demandLive(space(context, params.spaceId, 'admin'));
    const org = targetOrg(context, row, body.organization);
    return spaceView(context, transferSpace(context.store, row, org, null));
  },

  'spaces.links': (context, { params, query }) => {
    const row = context.space(params.spaceId ?? '', 'read');
    const revision = context.store.get('revision', row.revision);
    if (revision === undefined) throw notFound('revision');
    return linksOfPages(context, { space: row, revision, pages: revision.pages, query });
  },

  'spaces.getCustomFields': (context, { params }) => {
    const row = context.space(params.spaceId ?? '', 'read');
    return context.store.children('fieldValue', row.id).flatMap(({ field, value }) => {
      const customField = context.store.get('customField', field);
      return customField === undefined ? [] : [{ customField: customFieldView(context, customField), value }];
    });
  },

  'spaces.updateCustomFields': (context, { params, body }) => {
    const row = demandLive(space(context, params.spaceId, 'create'));
    for (const [name, { value }] of Object.entries(body.values)) {
      const field = context.store.find('customField', row.org, name);
      if (field === undefined) throw invalid(`body.values: no custom field "${name.slice(0, 80)}"`);
      checkValue(field, value);
      const id = `${row.id}/${field.id}`;
      const order = context.store.get('fieldValue', id)?.order ?? context.store.next();
      context.store.put('fieldValue', { id, org: row.org, space: row.id, field: field.id, value, order });
    }
  },
};
