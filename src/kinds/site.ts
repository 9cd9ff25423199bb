/** Sites, which publish spaces, with or without sections. */
import { body, bodyField, idOf, pick, property, referenceField, text } from './fields.ts';
import type { CallContext, Kind } from './kind.ts';
import type { Payload, Value } from './payload.ts';

/** From the most to the least restricted audience; a step to the right shows the site to more people. */
const audience = ['visitor-auth', 'share-link', 'unlisted', 'public'];

/** API document, "Sites". */
export const site: Kind = {
  name: 'site',
  noun: 'site',
  description: 'A published site.',
  places: [{ parent: 'organization', key: 'sites', shape: 'map', ordered: false }],
  fields: {
    type: {
      schema: bodyField('sites.create', 'type'),
      description: 'Type of the site; cannot be changed later.',
      example: 'basic',
      change: 'replace',
    },
    title: { schema: bodyField('sites.update', 'title'), description: 'Title.', example: 'Developer Hub' },
    visibility: {
      schema: bodyField('sites.update', 'visibility'),
      description: 'Who can see the published site.',
      risk: (before, after) =>
        before !== undefined && audience.indexOf(String(after)) > audience.indexOf(String(before))
          ? `more people can see the site: ${String(before)} → ${String(after)}`
          : undefined,
    },
    basename: {
      schema: bodyField('sites.update', 'basename'),
      description: 'Path of the site under the hostname.',
      example: 'docs',
      risk: (before) => (before === undefined ? undefined : 'links to the former path stop working'),
    },
    proxy: {
      schema: bodyField('sites.update', 'proxy'),
      description: 'Host and path that the site is proxied from; null removes the proxy.',
      example: 'acme.dev/docs',
      nullable: 'removes',
    },
    adaptiveContent: {
      schema: bodyField('sites.update', 'adaptiveContent'),
      description: 'Whether content adapts to visitors.',
      example: { enabled: true },
      absent: { enabled: false },
    },
    default: referenceField(
      'Key of the default section, or of the default site-space of a site without sections.',
      {
        kinds: ['section', 'siteSpace'],
        of: 'value',
        within: 'descendants',
        undeclared: 'refused',
      },
    ),
  },
  identities: [{ field: 'title' }, { field: 'basename' }],
  scope: 'organization',
  unique: [{ field: 'basename', within: 'organization' }],
  idParam: 'siteId',
  protected: true,
  cascadesTo: ['section', 'sectionGroup', 'siteSpace', 'shareLink', 'adaptiveSchema'],
  cost: 'its structure, customization and share links are lost, and it is no longer published; spaces stay',
  reads: { list: { operation: 'sites.list', per: 'organization' }, get: { operation: 'sites.get' } },
  fromRemote: (remote) => {
    const proxy = proxyText(property(remote, 'proxy'));
    const enabled = property(property(remote, 'adaptiveContent'), 'enabled');
    return {
      id: idOf(remote),
      fields: {
        ...pick(remote, ['type', 'title', 'visibility', 'basename']),
        ...(proxy === undefined ? {} : { proxy }),
        ...(typeof enabled === 'boolean' ? { adaptiveContent: { enabled } } : {}),
      },
    };
  },
  calls: {
    create: (context) => {
      const all = body(context.fields, ['type', 'title', 'visibility']);
      return { call: { operation: 'sites.create', params: context.params, body: all }, fields: all };
    },
    update: (context, changed) => [
      { operation: 'sites.update', params: context.params, body: requestBody(context, changed) },
    ],
    delete: (context) => ({ operation: 'sites.delete', params: context.params }),
  },
};

function requestBody(context: CallContext, changed: readonly string[]): Record<string, Payload> {
  const { default: main, ...rest } = body(context.fields, changed);
  if (main === undefined) return rest;
  return {
    ...rest,
    [context.targetKind('default') === 'section' ? 'defaultSiteSection' : 'defaultSiteSpace']: main,
  };
}

/** Requests hold the proxy as one string, answers as origin and target (API document, "Site"). */
function proxyText(proxy: unknown): Value | undefined {
  if (proxy === null || proxy === undefined || typeof proxy === 'string')
    return proxy as string | null | undefined;
  const origin = text(proxy, 'origin') ?? '';
  const target = text(proxy, 'target') ?? '';
  if (origin === '' && target === '') return undefined;
  const host = origin.replace(/^https?:\/\//, '').replace(/\/+$/, '');
  return target === '' ? host : `${host}/${target.replace(/^\/+/, '')}`;
}
