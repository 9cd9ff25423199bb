/** Redirects of a site. A draft and a live redirect of one source are two objects in two lists, so each has its own mapping. */
import * as z from 'zod';
import type { OperationOutput } from '../contract/index.ts';
import { once } from '../contract/once.ts';
import { defined } from '../util/defined.ts';
import { type CallContext, defineKind, isUnsupported, type Kind, type Unsupported } from './kind.ts';
import type { RiskText } from './parts/field.ts';
import { body, bodyField, pick, referenceValue, textOf, valueField } from './parts/fields.ts';
import type { Payload, Value } from './parts/payload.ts';

/** True for a text with a scheme, which keys lack. */
function isUrl(text: string): boolean {
  return /^[a-z][a-z0-9+.-]*:\/\//i.test(text);
}

const target = once(() =>
  z.union([
    referenceValue().options[0].refine(
      (text) =>
        !text.startsWith('/') &&
        (!isUrl(text) || (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol))),
      'must be the key of a section or site-space, or a URL such as https://acme.dev/',
    ),
    referenceValue().options[1],
  ]),
);

interface Variety {
  readonly name: string;
  readonly noun: string;
  readonly key: string;
  readonly description: string;
  readonly draft: boolean;
  readonly cost: string;
}

/** Defines the kind of one list of redirects: the live ones, or the drafts. */
export function redirectKind({ name, noun, key, description, draft, cost }: Variety): Kind {
  return defineKind({
    name,
    noun,
    needs: '2026',
    description,
    manifest: {
      places: [{ parent: 'site', key }],
      key: { is: 'field', field: 'source', isPath: true },
      keySchema: bodyField('redirects.create', 'source'),
    },
    body: 'redirects.create',
    fields: {
      source: {
        description: 'Path on the site that is redirected; one * at its end matches the rest.',
        example: '/old-guides/*',
        change: 'replace',
      },
      to: {
        type: 'reference',
        kinds: ['siteSpace', 'section'],
        within: 'parent',
        literal: isUrl,
        schema: target,
        description: 'Target: the key of a section or site-space of the same site, or a URL.',
        example: 'guides',
        ...(draft ? {} : { risk: targetRisk, trait: { is: 'target' as const } }),
      },
      page: {
        schema: once(() => z.string().min(1)),
        description: 'Id of a page of the site-space that it leads to; null for the site-space itself.',
        example: 'p3kQd8',
        nullable: 'removes',
      },
      wildcard: valueField('Whether what the * of the source matches is appended to the target.', true, {
        schema: bodyField('redirects.create', 'captureWildcard'),
        absent: false,
      }),
      permanent: {
        description: 'Whether browsers may keep the redirect for good.',
        example: true,
        absent: false,
        ...(draft
          ? {}
          : {
              risk: (_before, after) =>
                after === true ? 'browsers keep it, even after it is changed or deleted' : undefined,
            }),
      },
    },
    identity: {
      by: [{ field: 'source' }],
      scope: 'site',
      unique: [{ field: 'source', within: 'site' }],
      idParam: 'siteRedirectId',
    },
    reads: { list: { operation: 'redirects.list', per: 'site', ...(draft ? { query: { draft } } : {}) } },
    fromRemote: (remote: OperationOutput<'redirects.update'>) => {
      const { url, siteSectionId, siteSpaceId, pageId } = remote.destination;
      return {
        id: remote.id,
        fields: {
          ...pick(remote, ['source', 'permanent']),
          ...defined({
            to: textOf(url) ?? textOf(siteSectionId) ?? textOf(siteSpaceId),
            page: textOf(pageId),
            wildcard: remote.captureWildcard,
          }),
        },
      };
    },
    calls: {
      create: (context) => {
        const leads = destinationOf(context, ['to', 'page']);
        if (isUnsupported(leads)) return leads;
        return {
          call: {
            operation: 'redirects.create',
            params: context.params,
            body: { source: context.key, ...leads, ...flags(context.fields), ...(draft ? { draft } : {}) },
          },
          fields: context.fields,
        };
      },
      update: (context, changed) => {
        const isOther = changed.includes('to') || changed.includes('page');
        const leads = isOther ? destinationOf(context, changed) : {};
        if (isUnsupported(leads)) return leads;
        return [
          {
            operation: 'redirects.update',
            params: context.params,
            body: { ...leads, ...flags(body(context.fields, changed)) },
          },
        ];
      },
      delete: 'redirects.delete',
    },
    deletion: { cost },
  });
}

/** API of the newer form, "Redirects". */
export const redirect: Kind = redirectKind({
  name: 'redirect',
  noun: 'redirect',
  key: 'redirects',
  description: 'A redirect of a site; the key is the path that it redirects.',
  draft: false,
  cost: 'the address stops working',
});

function flags(fields: Readonly<Record<string, Payload>>): Record<string, Payload> {
  const { wildcard, permanent } = fields;
  return defined({ captureWildcard: wildcard, permanent });
}

/** Returns exactly one target: a URL, a section, a site-space, or a page of one. */
function destinationOf(
  context: CallContext,
  changed: readonly string[],
): { readonly destination: Payload } | Unsupported {
  const { fields, before } = context;
  const to = fields.to ?? before.to;
  const page = fields.page !== undefined || changed.includes('to') ? fields.page : before.page;
  const hasPage = page !== undefined && page !== null;
  if (to === undefined) {
    return { unsupported: 'it has no target', suggestion: 'add to: with a section, a site-space or a URL' };
  }
  const kind = targetKindOf(context, to);
  if (kind === undefined) {
    return {
      unsupported: `there is no section or site-space ${String(to)} in this site`,
      suggestion: 'name another one in to:',
      missing: 'reference',
    };
  }
  if (hasPage && kind !== 'siteSpace') {
    return {
      unsupported: 'only a site-space has pages',
      suggestion: 'name a site-space in to:, or remove page:',
    };
  }
  if (kind === 'url') return { destination: { kind: 'external', url: to } };
  if (kind === 'section') return { destination: { kind: 'site-section', siteSectionId: to } };
  return {
    destination: hasPage
      ? { kind: 'site-page', siteSpaceId: to, pageId: page }
      : { kind: 'site-space', siteSpaceId: to },
  };
}

function targetKindOf({ fields, targetKind, resolve }: CallContext, to: Payload): string | undefined {
  if (typeof to === 'string' && isUrl(to)) return 'url';
  const declared = fields.to === undefined ? undefined : targetKind('to');
  if (declared !== undefined || typeof to !== 'string') return declared;
  return ['section', 'siteSpace'].find((kind) => resolve(kind, to) === to);
}

function targetRisk(before: Value | undefined, after: Value): RiskText | undefined {
  const url = typeof after === 'string' && isUrl(after) ? after : undefined;
  if (url !== undefined) return `visitors are sent to ${url}`;
  return before === undefined || before === null ? undefined : 'visitors are sent elsewhere';
}
