/** Site-spaces: a space on a site, in a section or at the root of a site without sections. */
import type { OperationOutput } from '../contract/index.ts';
import { defined } from '../util/defined.ts';
import { conditionRisk, formerLinks, visitorCondition } from './access.ts';
import { conditionRemark } from './conditions.ts';
import { body, pick, referenceField, textOf } from './fields.ts';
import { type Anchor, defineKind, type Kind } from './kind.ts';
import type { Payload } from './payload.ts';
import { pathRemark } from './remarks.ts';

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
  fields: {
    space: referenceField('Key of the space that is shown.', {
      kinds: ['space'],
      within: 'organization',
      change: 'replace',
      example: 'api-guide',
    }),
    path: {
      remark: pathRemark,
      description: 'Path of the site-space in its section or site.',
      example: 'en',
      risk: formerLinks('path'),
    },
    condition: {
      description: 'Expression that decides who sees it; null shows it to everyone.',
      example: 'visitor.claims.unsigned.beta',
      nullable: 'removes',
      risk: conditionRisk('it'),
      remark: conditionRemark,
      trait: visitorCondition,
    },
  },
  identity: {
    // Another space under the same path is another site-space, unless the former space was removed from here.
    by: [{ field: 'path', unlessReplaced: true }, { field: 'space' }, { field: 'path' }],
    scope: 'parent',
    unique: [{ field: 'path', within: 'parent' }],
    usuallyUnique: ['space'],
    idParam: 'siteSpaceId',
  },
  reads: { list: { operation: 'siteSpaces.list', per: 'site' } },
  fromRemote: (remote: OperationOutput<'siteSpaces.update'>) => {
    const sectionId = textOf(remote.section);
    const spaceId = textOf(remote.space?.id);
    return {
      id: remote.id,
      fields: { ...pick(remote, ['path', 'condition']), ...defined({ space: spaceId }) },
      ...(sectionId === undefined ? {} : { container: { kind: 'section', id: sectionId } }),
      ...(remote.default === true ? { defaultOf: { on: 'container', field: 'default' } as const } : {}),
      ...(spaceId === undefined ? {} : { includes: [{ kind: 'space', remote: remote.space }] }),
    };
  },
  calls: {
    create: (context) => {
      const { space } = context.fields;
      const inSection = context.container.kind === 'section' ? { sectionId: context.container.id } : {};
      return {
        call: {
          operation: 'siteSpaces.create',
          params: context.params,
          body: { ...defined({ spaceId: space }), ...inSection },
        },
        fields: body(context.fields, ['space']),
      };
    },
    update: 'siteSpaces.update',
    delete: 'siteSpaces.delete',
    move: (context, anchor) => ({
      operation: 'siteSpaces.move',
      params: context.params,
      body: anchor === undefined ? {} : { position: position(anchor) },
    }),
    anchors: ['siteSpace'],
  },
  deletion: {
    lastNeedsSuccessor: true,
    cost: 'its path and condition are lost; the space stays',
    again: { lost: 'a customization of its own is lost' },
  },
});

function position(anchor: Anchor): Payload {
  return anchor.before !== undefined
    ? { before: { type: 'site-space', siteSpace: anchor.before.id } }
    : { after: { type: 'site-space', siteSpace: anchor.after.id } };
}
