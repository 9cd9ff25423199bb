/** Groups of sections of a site. An entry under `sections` that has `sections` itself is a group. */
import type { OperationOutput } from '../contract/index.ts';
import { body, bodyField, pick } from './fields.ts';
import type { Anchor, ContainerRef, Kind } from './kind.ts';
import type { Payload } from './payload.ts';
import { iconRemark } from './remarks.ts';

/** API document, "Site section groups". */
export const sectionGroup: Kind = {
  name: 'sectionGroup',
  noun: 'section group',
  description: 'A group of sections.',
  places: [{ parent: 'site', key: 'sections', shape: 'map', ordered: true }],
  marker: 'sections',
  fields: {
    title: {
      type: 'value',
      schema: bodyField('sectionGroups.create', 'title'),
      description: 'Title of the group in the navigation.',
      example: 'Reference',
      trait: { is: 'label' },
    },
    icon: {
      type: 'value',
      schema: bodyField('sectionGroups.create', 'icon'),
      remark: iconRemark,
      description: 'Name of an icon; null removes it.',
      example: 'code',
      nullable: 'removes',
    },
  },
  identities: [{ field: 'title' }],
  scope: 'site',
  idParam: 'siteSectionGroupId',
  cost: 'its sections leave it first',
  reads: { list: { operation: 'sectionGroups.list', per: 'site', order: 'firstChild' } },
  fromRemote: (remote: OperationOutput<'sectionGroups.update'>) => ({
    id: remote.id,
    fields: pick(remote, ['title', 'icon']),
  }),
  calls: {
    create: (context) => {
      const sections = context.children('sections');
      const all = body(context.fields, ['title', 'icon']);
      return {
        call: {
          operation: 'sectionGroups.create',
          params: context.params,
          body: { ...all, ...(sections.length > 0 ? { sections: sections.map(({ id }) => id) } : {}) },
        },
        fields: all,
        adoptsChildren: sections.map(({ address }) => address),
      };
    },
    update: (context, changed) => [
      { operation: 'sectionGroups.update', params: context.params, body: body(context.fields, changed) },
    ],
    delete: (context) => ({ operation: 'sectionGroups.delete', params: context.params }),
    move: (context, anchor) => ({
      operation: 'sectionGroups.move',
      params: context.params,
      body: anchor === undefined ? {} : { position: position(anchor) },
    }),
    anchors: ['section', 'sectionGroup'],
  },
};

function position(anchor: Anchor): Payload {
  return anchor.before !== undefined ? { before: place(anchor.before) } : { after: place(anchor.after) };
}

function place(sibling: ContainerRef): Payload {
  return { type: sibling.kind === 'section' ? 'site-section' : 'site-section-group', id: sibling.id };
}
