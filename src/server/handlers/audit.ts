import type { audit } from '../../contract/audit.ts';
import { isRecord } from '../../util/json.ts';
import type { Context, PathParams } from '../context.ts';
import { forbidden, notFound } from '../errors.ts';
import type { HandlersOf } from '../handler.ts';
import { pageOfList } from '../paging.ts';
import type { AuditRow } from '../store/rows.ts';

export const auditHandlers: HandlersOf<typeof audit> = {
  'user.get': (context) => {
    const { id, displayName, email } = personOf(context, context.user);
    return { object: 'user', id, displayName, email, urls: { location: `${context.base}/v1/user` } };
  },

  'auditEvents.list': (context, { params, query }) => {
    const org = context.org(params.organizationId ?? '', 'admin');
    const access = context.variants['audit-events'];
    if (access === 'forbidden') throw forbidden('audit events are part of another plan');
    if (access === 'missing') throw notFound('path');
    const { target, actor, action, from, to } = query;
    const all =
      target === undefined
        ? context.store.children('auditEvent', org.id)
        : context.store.owned('auditEvent', target).filter((row) => row.org === org.id);
    const found = all.filter(
      ({ user, action: own, at }) =>
        (actor === undefined || user === actor) &&
        (action === undefined || own === action) &&
        (from === undefined || Date.parse(at) >= Date.parse(from)) &&
        (to === undefined || Date.parse(at) <= Date.parse(to)),
    );
    return pageOfList(context, found.reverse(), {
      of: org.id,
      query: { limit: 20, ...query },
      key: (row) => [row.order],
      view: (row) => eventView(context, row),
      descending: true,
    });
  },
};

function personOf(context: Context, id: string) {
  return context.store.get('user', id) ?? { id, displayName: '', email: '' };
}

function eventView(context: Context, { id, org, at, action, user, type, target }: AuditRow) {
  return {
    object: 'audit-event',
    id,
    occurredAt: at,
    action,
    actor: { type: 'user', id: user, label: personOf(context, user).email },
    source: 'api',
    target: { type, id: target },
    urls: { location: `${context.base}/v1/orgs/${org}/audit-events/${id}` },
  };
}

/** Organization of a space or collection, whose paths do not contain it. Call before the object may be deleted. */
export function organizationIn(context: Context, { organizationId, spaceId, collectionId }: PathParams) {
  return organizationId ?? orgOf(context, spaceId ?? collectionId ?? '');
}

function orgOf({ store }: Context, id: string): string | undefined {
  return (store.get('space', id) ?? store.get('collection', id))?.org;
}

/** The target is the created object, or the last one in the path; never the recipient of a grant. */
export function recordChange(
  context: Context,
  { path, params }: { readonly path: string; readonly params: PathParams },
  org: string | undefined,
  result: unknown,
): void {
  const segments = path
    .replace(/\/(?:permissions|(?<=teamId\}\/)members)\/.*/, '')
    .split('/')
    .slice(2);
  const made = isRecord(result) && typeof result.id === 'string' ? result.id : undefined;
  const last = segments.findLastIndex((segment) => segment.startsWith('{'));
  const given = params[segments[last]?.slice(1, -1) ?? ''];
  const isNew = last < segments.length - 1 && made !== undefined && made !== given;
  const target = isNew ? made : given;
  const owner = org ?? orgOf(context, target ?? '');
  if (target === undefined || owner === undefined) return;
  const order = context.store.next();
  context.store.put('auditEvent', {
    id: `00000000-0000-4000-8000-${order.toString(16).padStart(12, '0')}`,
    org: owner,
    order,
    at: context.at,
    action: context.operation,
    user: context.user,
    type: (isNew ? segments.at(-1) : segments[last - 1])?.replace(/s$/, '') ?? '',
    target,
  });
}
