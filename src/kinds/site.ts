/** A site publishes spaces, with or without sections. */
import * as z from 'zod';
import type { OperationId, OperationOutput } from '../contract/index.ts';
import { once } from '../contract/once.ts';
import { defined } from '../util/defined.ts';
import { type CallContext, defineKind, type Kind, type KindSpec } from './kind.ts';
import { adaptiveRisk, audienceRisk, formerLinks, levelField, openAudiences } from './parts/access.ts';
import type { RiskText } from './parts/field.ts';
import { body, bodyField, pick, referenceField, valueField } from './parts/fields.ts';
import { siteWriter } from './parts/git-sync.ts';
import { grantFields, withGrants } from './parts/grants.ts';
import type { Payload, Value } from './parts/payload.ts';
import { pathRemark } from './parts/remarks.ts';

const deletion: KindSpec['deletion'] = {
  protected: true,
  // biome-ignore format: a list of words
  cascadesTo: [
    'section', 'sectionGroup', 'siteSpace', 'shareLink', 'redirect', 'draftRedirect', 'adaptiveSchema',
    'customization',
  ],
  cost: 'its structure, customization and share links are lost, and it is no longer published; spaces are kept',
  again: { lost: 'its customization, icon and custom hostname are lost; publish it in the app' },
};

/** API document, "Sites". */
export const site: Kind = defineKind({
  name: 'site',
  noun: 'site',
  description: 'A published site.',
  manifest: { places: [{ parent: 'organization', key: 'sites' }] },
  body: 'sites.update',
  fields: {
    type: valueField('Type of the site; a change makes a new site.', 'basic', {
      schema: bodyField('sites.create', 'type'),
      change: 'replace',
      reads: 'word',
      trait: { is: 'internal' },
    }),
    title: valueField('Title of the site.', 'Developer Hub', { trait: { is: 'title' } }),
    visibility: valueField('Who can see the published site.', 'public', {
      reads: 'word',
      risk: audienceRisk,
      trait: {
        is: 'audience',
        open: openAudiences,
        everyone: { unlisted: 'everyone who has the address', public: 'everyone' },
      },
    }),
    basename: valueField('Path of the site under its hostname.', 'docs', {
      remark: pathRemark,
      risk: formerLinks('path'),
      trait: { is: 'base' },
    }),
    proxy: {
      description: 'Host and path that the site is proxied from; null removes the proxy.',
      example: 'acme.dev/docs',
      nullable: 'removes',
      trait: { is: 'host' },
    },
    adaptiveContent: valueField(
      'Whether content adapts to visitors.',
      { enabled: true },
      { absent: { enabled: false }, risk: adaptiveRisk },
    ),
    published: valueField('Whether the site is live.', true, {
      schema: once(() => z.boolean()),
      needs: '2026',
      afterContents: true,
      // A replacement is published only if the manifest requests it.
      carriedIf: () => false,
      risk: publishingRisk,
      trait: { is: 'live' },
    }),
    defaultLevel: {
      ...levelField,
      needs: '2026',
      description:
        'Level of everyone in the organization on the site; null for none, inherit for that of their roles.',
    },
    ...grantFields('sites'),
    default: referenceField(
      'Key of the default section, or of the default site-space of a site without sections.',
      {
        example: 'guides',
        kinds: ['section', 'siteSpace'],
        within: 'descendants',
        trait: { is: 'first' },
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
      ...siteWriter(remote.gitSync),
      fields: {
        ...pick(remote, ['type', 'title', 'visibility', 'basename', 'published', 'defaultLevel']),
        ...defined({
          proxy: proxyText(remote.proxy),
          adaptiveContent: typeof enabled === 'boolean' ? { enabled } : undefined,
        }),
      },
    };
  },
  calls: {
    create: ({ fields, params, makes }) => {
      const all = body(fields, ['type', 'title', 'visibility']);
      // A new site is not live.
      const known = fields.published === false ? { published: false } : {};
      const requested = { ...all, ...defined({ spaces: makes }) };
      return { call: { operation: 'sites.create', params, body: requested }, fields: { ...all, ...known } };
    },
    update: withGrants('sites', (context, changed) => {
      const { params, fields } = context;
      const others = changed.filter((name) => name !== 'published');
      const requested = requestBody(context, others);
      const patch =
        others.length === 0 ? [] : [{ operation: 'sites.update' as const, params, body: requested }];
      if (!changed.includes('published')) return patch;
      // Unpublish first, so that visitors never see the values that follow.
      return fields.published === true
        ? [...patch, { operation: 'sites.publish', params }]
        : [{ operation: 'sites.unpublish', params }, ...patch];
    }),
    delete: 'sites.delete',
    notDone,
  },
  mayBeSynced: true,
  deletion,
  newer: {
    deletion: {
      ...deletion,
      again: { lost: 'its icon, its custom hostname and unknown parts of its customization are lost' },
    },
  },
  display: {
    navigation: true,
    createRisk: ({ visibility }) =>
      visibility === undefined ? 'the service decides who can see the site: no visibility is set' : undefined,
  },
});

function publishingRisk(before: Value | undefined, after: Value): RiskText | undefined {
  if (after === true)
    return before === true
      ? undefined
      : {
          text: 'the whole site goes live, for everyone its visibility allows',
          past: 'was published',
          severe: true,
        };
  if (before === undefined || before === after) return undefined;
  return { text: 'the whole site goes offline', past: 'was taken offline', severe: true };
}

/** A site that needs payment is not published, although the service returns success. */
function notDone(answer: unknown, { operation }: { readonly operation: OperationId }): string | undefined {
  if (operation !== 'sites.publish' && operation !== 'sites.unpublish') return undefined;
  const { type, published } = answer as Readonly<Record<string, unknown>>;
  if (type === 'checkout')
    return 'not published: the service asks for a payment first; publish the site in the app, then apply again';
  return published === (operation === 'sites.publish') ? undefined : 'the service did not carry it out';
}

function requestBody(context: CallContext, changed: readonly string[]): Record<string, Payload> {
  const { default: main, ...rest } = body(context.fields, changed);
  if (main === undefined) return rest;
  return {
    ...rest,
    [context.targetKind('default') === 'section' ? 'defaultSiteSection' : 'defaultSiteSpace']: main,
  };
}

/** Format of a proxy in requests (API document, "Sites"). */
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
