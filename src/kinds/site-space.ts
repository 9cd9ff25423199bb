/** Site-spaces: a space on a site, in a section or at the root of a site without sections. */
import * as z from 'zod';
import type { OperationOutput } from '../contract/index.ts';
import { once } from '../contract/once.ts';
import { defined } from '../util/defined.ts';
import { defineKind, type Kind, type KindSpec } from './kind.ts';
import { formerLinks } from './parts/access.ts';
import { body, pick, referenceField, textOf, valueField } from './parts/fields.ts';
import { pathRemark } from './parts/remarks.ts';
import { conditionField, draftField, lostRedirects, moving, sorting } from './parts/structure.ts';

const calls: KindSpec['calls'] = {
  create: (context) => {
    const { space } = context.fields;
    const inSection = context.container.kind === 'section' ? { sectionId: context.container.id } : {};
    const draft = body(context.fields, ['draft']);
    return {
      call: {
        operation: 'siteSpaces.create',
        params: context.params,
        body: { ...defined({ spaceId: space }), ...inSection, ...draft },
      },
      fields: { ...body(context.fields, ['space']), ...draft },
    };
  },
  // The service drops the page when another space replaces the current one, so it is sent again.
  update: ({ params, fields }, changed) => {
    const names = changed.includes('space') && fields.page !== null ? [...changed, 'page'] : changed;
    const { space, page, ...rest } = body(fields, names);
    return [
      {
        operation: 'siteSpaces.update',
        params,
        body: { ...rest, ...defined({ spaceId: space, pageId: page }) },
      },
    ];
  },
  delete: 'siteSpaces.delete',
  move: moving('siteSpaces.move', ({ id }) => ({ type: 'site-space', siteSpace: id })),
  anchors: ['siteSpace'],
};

const space = referenceField('Key of the space that is shown.', {
  kinds: ['space'],
  within: 'organization',
  example: 'api-guide',
});

const fields: KindSpec['fields'] = {
  space: { ...space, change: 'replace' },
  path: valueField('Path of the site-space in its section or site.', 'en', {
    remark: pathRemark,
    risk: formerLinks('path'),
    trait: { is: 'path', keptBy: 'redirect' },
  }),
  condition: conditionField('it'),
  page: {
    schema: once(() => z.string().min(1)),
    description: 'Id of the only page of the space that is shown; null shows the whole space.',
    example: 'pg_quickstart',
    nullable: 'removes',
    dropsWith: 'space',
    needs: '2026',
  },
  hidden: valueField('Whether it is hidden from the navigation.', true, {
    schema: once(() => z.boolean()),
    absent: false,
    needs: '2026',
  }),
  draft: draftField('it'),
};

const ownLost = 'a customization of its own is lost';

const deletion: KindSpec['deletion'] = {
  lastNeedsSuccessor: true,
  cost: 'its path and condition are lost; the space is kept',
  again: { lost: ownLost },
};

const identity: KindSpec['identity'] = {
  // Another space under the same path is another site-space, unless the former space was removed from this site.
  by: [{ field: 'path', unlessReplaced: true }, { field: 'space' }, { field: 'path' }],
  scope: 'parent',
  unique: [{ field: 'path', within: 'parent' }],
  usuallyUnique: ['space'],
  idParam: 'siteSpaceId',
};

/** API document, "Site spaces". */
export const siteSpace: Kind = defineKind({
  name: 'siteSpace',
  noun: 'site-space',
  description: 'A space that a site shows.',
  manifest: {
    places: [
      { parent: 'section', key: 'spaces', ordered: true },
      { parent: 'site', key: 'spaces', ordered: true, emptyWith: 'sections' },
    ],
  },
  body: 'siteSpaces.update',
  fields,
  identity,
  // The structure omits root site-spaces of a site with sections.
  reads: { list: { operation: 'siteSpaces.list', per: 'site' } },
  fromRemote: (remote: OperationOutput<'siteSpaces.update'>) => {
    const sectionId = textOf(remote.section);
    const spaceId = textOf(remote.space?.id);
    return {
      id: remote.id,
      fields: {
        ...pick(remote, ['path', 'condition', 'hidden', 'draft']),
        ...defined({ space: spaceId, page: remote.pageId }),
      },
      ...(sectionId === undefined ? {} : { container: { kind: 'section', id: sectionId } }),
      ...(remote.default === true ? { defaultOf: { on: 'container', field: 'default' } as const } : {}),
      ...(spaceId === undefined ? {} : { includes: [{ kind: 'space', remote: remote.space }] }),
    };
  },
  calls,
  newer: {
    calls: { ...calls, ...sorting('siteSpace') },
    // Another space may replace this one; a space that is already shown keeps its site-space, even with another path.
    fields: { ...fields, space },
    identity: { ...identity, by: [{ field: 'space' }, { field: 'path' }] },
    deletion: { ...deletion, again: { lost: `${ownLost}, and ${lostRedirects}` } },
  },
  deletion,
});
