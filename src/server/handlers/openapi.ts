import type { openapi } from '../../contract/openapi.ts';
import { defined } from '../../util/defined.ts';
import type { Context, PathParams } from '../context.ts';
import { conflict, invalid, notFound } from '../errors.ts';
import type { HandlersOf } from '../handler.ts';
import { listIn, pageOfRows } from '../paging.ts';
import type { SpecRow, SpecVersionRow } from '../store/rows.ts';
import { shownSpec, specVersionView, specView } from '../views/settings.ts';

type SpecSource = { url?: string | undefined; text?: string | undefined };

function latest(context: Context, params: PathParams) {
  const row = shownSpec(context, context.orgObject('spec', params, 'read'));
  return { row, version: version(context, row, row.lastVersion) };
}

function version(context: Context, row: SpecRow, id: string | undefined): SpecVersionRow {
  const found = id === undefined ? undefined : context.store.get('specVersion', id);
  if (found === undefined || found.spec !== row.id) throw notFound('OpenAPI specification version');
  return found;
}

function contentOf({ form }: Context, { content, url }: SpecVersionRow) {
  return {
    filesystem: { '/': content },
    ...(form === '2026' ? { urls: { source: url, public: null } } : { url }),
  };
}

function newSpec(context: Context, org: string, slug: string): SpecRow {
  const letters = context.form === '2026' ? /^[a-z0-9]+(?:-[a-z0-9]+)*$/i : /^[a-z0-9]+(?:-[a-z0-9]+)*$/;
  if (slug.length > 100 || !letters.test(slug)) throw invalid('specSlug: not a slug');
  return {
    ...context.fresh('spec', org),
    slug,
    processingState: 'pending',
    updatedAt: context.at,
  };
}

function take(context: Context, row: SpecRow, source: SpecSource): SpecRow {
  const { url, text, ...others } = source;
  if (Object.keys(others).length > 0 || (url === undefined) === (text === undefined)) {
    throw invalid('body.source: pass either url or text');
  }
  const { lastProcessErrorCode: _code, sourceURL: _source, formerVersion: _former, ...rest } = row;
  const takes = Number(context.variants['spec-processing']);
  const readyAt = new Date(Date.parse(context.at) + takes).toISOString();
  const formerVersion = shownSpec(context, row).lastVersion;
  const { prepared } = context;
  if (prepared.type !== 'spec') throw new Error('a specification was not prepared');
  const { read } = prepared;
  const taken: SpecRow = {
    ...rest,
    ...defined({ sourceURL: url }),
    processingState: 'complete',
    lastProcessedAt: context.at,
    updatedAt: context.at,
    ...(takes === 0 ? {} : { readyAt, ...defined({ formerVersion }) }),
  };
  if (read.type === 'failed') {
    return context.store.put('spec', { ...taken, lastProcessErrorCode: read.code });
  }
  const version = context.fresh('specv', row.org);
  context.store.put('specVersion', {
    ...version,
    spec: row.id,
    url: url ?? `${context.base}/files/${version.id}/openapi.json`,
    content: read.content,
  });
  return context.store.put('spec', { ...taken, lastVersion: version.id });
}

export const openapiHandlers: HandlersOf<typeof openapi> = {
  'openapi.list': listIn('spec', 'read', specView),

  'openapi.create': (context, { params, body }) => {
    const org = context.org(params.organizationId ?? '', 'create');
    if (context.store.find('spec', org.id, body.slug) !== undefined) {
      throw conflict(`specification "${body.slug}" already exists`);
    }
    return specView(context, take(context, newSpec(context, org.id, body.slug), body.source));
  },

  'openapi.get': (context, { params }) => specView(context, context.orgObject('spec', params, 'read')),

  'openapi.put': (context, { params, body }) => {
    const org = context.org(params.organizationId ?? '', 'create');
    const slug = params.specSlug ?? '';
    const known = context.store.find('spec', org.id, slug);
    if (known === undefined) context.status = 201;
    const row = known ?? newSpec(context, org.id, slug);
    return specView(context, take(context, row, body.source));
  },

  'openapi.update': (context, { params, body }) => {
    const row = context.orgObject('spec', params, 'create');
    return specView(context, context.store.put('spec', { ...row, visibility: body.visibility }));
  },

  'openapi.delete': (context, { params }) => {
    const row = context.orgObject('spec', params, 'create');
    for (const one of context.store.children('specVersion', row.id))
      context.store.remove('specVersion', one.id);
    context.store.remove('spec', row.id);
  },

  'openapi.listVersions': (context, { params, query }) => {
    const row = context.orgObject('spec', params, 'read');
    return pageOfRows(context, 'specVersion', row.id, {
      query,
      slice: { descending: true },
      view: (one) => specVersionView(context, row, one),
    });
  },

  'openapi.getLatestVersion': (context, { params }) => {
    const { row, version: last } = latest(context, params);
    return specVersionView(context, row, last);
  },

  'openapi.getLatestContent': (context, { params }) => contentOf(context, latest(context, params).version),

  'openapi.getVersion': (context, { params }) => {
    const row = context.orgObject('spec', params, 'read');
    return specVersionView(context, row, version(context, row, params.versionId));
  },

  'openapi.getVersionContent': (context, { params }) => {
    const row = context.orgObject('spec', params, 'read');
    return contentOf(context, version(context, row, params.versionId));
  },
};
