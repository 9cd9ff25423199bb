import type { spaces } from '../../contract/spaces.ts';
import { defined } from '../../util/defined.ts';
import { seenBy } from '../access.ts';
import {
  createSpace,
  deleteSpace,
  demandLive,
  restoreSpace,
  retention,
  transferSpace,
} from '../content/content.ts';
import { linksOfPages } from '../content/links.ts';
import type { Context } from '../context.ts';
import { conflict, invalid, notFound } from '../errors.ts';
import type { HandlersOf } from '../handler.ts';
import { pageOfRows } from '../paging.ts';
import type { CustomFieldRow, FieldValueRow, SpaceRow } from '../store/rows.ts';
import { emojiCode, spaceView } from '../views/content.ts';
import { customFieldView } from '../views/settings.ts';
import { demandLevelChange, moved, targetOrg } from './collections.ts';
import { fitRules } from './organizations.ts';

function space(context: Context, id: string | undefined, least: 'read' | 'create' | 'admin'): SpaceRow {
  const row = context.anySpace(id ?? '', least);
  if (row.deletedAt !== undefined && Date.parse(row.deletedAt) + retention <= context.now.getTime())
    throw notFound('space');
  return row;
}

function isFit({ type, options = [] }: CustomFieldRow, value: FieldValueRow['value']): boolean {
  switch (type) {
    case 'number':
    case 'boolean':
      return typeof value === type;
    case 'tags':
      return Array.isArray(value);
    case 'select:single':
    case 'select:multi':
      if (Array.isArray(value) !== (type === 'select:multi')) return false;
      return [value].flat().every((one) => options.includes(String(one)));
    default:
      return typeof value === 'string';
  }
}

function demandEmoji(emoji: string | undefined): void {
  if (emoji !== undefined && emojiCode(emoji) === undefined)
    throw invalid('body.emoji: not an emoji of at most 50 characters');
}

export const spaceHandlers: HandlersOf<typeof spaces> = {
  'spaces.list': (context, { params, query }) => {
    const org = context.org(params.organizationId ?? '', null);
    const seen = seenBy(context, context.memberOf(org.id));
    if (seen === undefined) return { items: [], count: 0 };
    const slice = { byOwner: true, seen, descending: true };
    return pageOfRows(context, 'space', org.id, { query, slice, view: (row) => spaceView(context, row) });
  },

  'spaces.create': (context, { params, body }) => {
    const org = context.org(params.organizationId ?? '', 'create');
    const { title = 'Untitled', parent = null, template, empty, ...fields } = body;
    if (parent !== null && context.collection(parent, 'create').org !== org.id) throw notFound('collection');
    if (template !== undefined && empty === true) throw invalid('body: pass either empty or template');
    demandEmoji(body.emoji);
    // Each template is a page with the same name.
    const pages =
      template === undefined
        ? []
        : [context.page({ title: template.id, slug: 'page', path: 'page', markdown: `# ${template.id}` })];
    return spaceView(
      context,
      createSpace(context, { org: org.id, parent, title, pages, fields: defined(fields) }),
    );
  },

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
    demandEmoji(body.emoji);
    demandLevelChange(context, row, body.defaultLevel);
    const fitting = fitRules(context, { org: row.org, before: row.mergeRules }, body);
    const changed = context.store.put('space', { ...row, ...defined(fitting), updatedAt: context.at });
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
      ...defined({ after: variants['duplicate-place'] === 'after-source' ? row.id : undefined }),
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
    return spaceView(context, context.store.put('space', moved(context, row, body)));
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
      if (!isFit(field, value))
        throw invalid(`body.values.${field.name}: not a value of a field of type ${field.type}`);
      const id = `${row.id}/${field.id}`;
      const order = context.store.get('fieldValue', id)?.order ?? context.store.next();
      context.store.put('fieldValue', { id, org: row.org, space: row.id, field: field.id, value, order });
    }
  },
};
