/** A site publishes spaces, with or without sections. */
import type { OperationOutput } from '../contract/index.ts';
import { defined } from '../util/defined.ts';
import { adaptiveRisk, audienceRisk, formerLinks, openAudiences } from './access.ts';
import { body, bodyField, pick, referenceField } from './fields.ts';
import { type CallContext, defineKind, type Kind } from './kind.ts';
import type { Payload, Value } from './payload.ts';
import { pathRemark } from './remarks.ts';

/** API document, "Sites". */
export const site: Kind = defineKind({
  name: 'site',
  noun: 'site',
  description: 'A published site.',
  manifest: { places: [{ parent: 'organization', key: 'sites' }] },
  body: 'sites.update',
  fields: {
    type: {
      schema: bodyField('sites.create', 'type'),
      description: 'Type of the site; a change makes a new site.',
      example: 'basic',
      change: 'replace',
      reads: 'word',
    },
    title: {
      description: 'Title of the site.',
      example: 'Developer Hub',
    },
    visibility: {
      description: 'Who can see the published site.',
      example: 'public',
      reads: 'word',
      risk: audienceRisk,
      trait: { is: 'audience', open: openAudiences },
    },
    basename: {
      remark: pathRemark,
      description: 'Path of the site under its hostname.',
      example: 'docs',
      risk: formerLinks('path'),
    },
    proxy: {
      description: 'Host and path that the site is proxied from; null removes the proxy.',
      example: 'acme.dev/docs',
      nullable: 'removes',
    },
    adaptiveContent: {
      description: 'Whether content adapts to visitors.',
      example: { enabled: true },
      absent: { enabled: false },
      risk: adaptiveRisk,
    },
    default: referenceField(
      'Key of the default section, or of the default site-space of a site without sections.',
      {
        example: 'guides',
        kinds: ['section', 'siteSpace'],
        within: 'descendants',
      },
    ),
  },
  identity: {
    by: [{ field: 'title' }, { field: 'basename' }],
    unique: [{ field: 'basename', within: 'organization' }],
    idParam: 'siteId',
  },
  reads: { list: { operation: 'sites.list', per: 'organization' }, get: { operation: 'sites.get' } },
  fromRemote: (remote: OperationOutput<'sites.get'>) => {
    const enabled = remote.adaptiveContent?.enabled;
    return {
      id: remote.id,
      fields: {
        ...pick(remote, ['type', 'title', 'visibility', 'basename']),
        ...defined({
          proxy: proxyText(remote.proxy),
          adaptiveContent: typeof enabled === 'boolean' ? { enabled } : undefined,
        }),
      },
    };
  },
  calls: {
    create: { operation: 'sites.create', fields: ['type', 'title', 'visibility'] },
    update: (context, changed) => [
      { operation: 'sites.update', params: context.params, body: requestBody(context, changed) },
    ],
    delete: 'sites.delete',
  },
  deletion: {
    protected: true,
    cascadesTo: [
      'section',
      'sectionGroup',
      'siteSpace',
      'shareLink',
      'redirect',
      'draftRedirect',
      'adaptiveSchema',
    ],
    cost: 'its structure, customization and share links are lost, and it is no longer published; spaces stay',
    again: { lost: 'its customization, icon and custom hostname are lost; publish it in the app' },
  },
  display: {
    navigation: true,
    createRisk: ({ visibility }) =>
      visibility === undefined ? 'the service decides who can see the site: no visibility is set' : undefined,
  },
});

function requestBody(context: CallContext, changed: readonly string[]): Record<string, Payload> {
  const { default: main, ...rest } = body(context.fields, changed);
  if (main === undefined) return rest;
  return {
    ...rest,
    [context.targetKind('default') === 'section' ? 'defaultSiteSection' : 'defaultSiteSpace']: main,
  };
}

/** The form of a proxy in requests (API document, "Sites"). */
const hostAndPath = /^([\w-]+\.)*[\w-]+\.[a-zA-Z]{2,}(\/[\w-]+)+$/;

/**
 * Requests have the proxy as one string, responses as origin and target (API document, "Site"). The document does not
 * define the two: some services split the string, others return it whole as the origin and the address behind it as
 * the target.
 */
function proxyText(proxy: OperationOutput<'sites.get'>['proxy']): Value | undefined {
  if (proxy === null || proxy === undefined) return proxy;
  const { origin, target } = proxy;
  if ((origin ?? '') === '' && (target ?? '') === '') return undefined;
  const host = (origin ?? '').replace(/^https?:\/\//, '').replace(/\/+$/, '');
  if ((target ?? '') === '' || hostAndPath.test(host)) return host;
  return `${host}/${(target ?? '').replace(/^\/+/, '')}`;
}
