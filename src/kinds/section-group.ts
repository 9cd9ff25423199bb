/** Groups of sections of a site. An entry under `sections` that has `sections` itself is a group. */
import { body } from './fields.ts';
import { type Anchor, type ContainerRef, defineKind, type Kind, type KindSpec } from './kind.ts';
import type { Payload } from './payload.ts';
import { iconRemark } from './remarks.ts';
import { sorting } from './sorting.ts';

const calls: KindSpec['calls'] = {
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
  update: 'sectionGroups.update',
  delete: 'sectionGroups.delete',
  move: (context, anchor) => ({
    operation: 'sectionGroups.move',
    params: context.params,
    body: anchor === undefined ? {} : { position: position(anchor) },
  }),
  anchors: ['section', 'sectionGroup'],
};

/** API document, "Site section groups". */
export const sectionGroup: Kind = defineKind({
  name: 'sectionGroup',
  noun: 'section group',
  description: 'A group of sections.',
  manifest: { places: [{ parent: 'site', key: 'sections', ordered: true }], marker: 'sections' },
  body: 'sectionGroups.create',
  fields: {
    title: {
      description: 'Title of the group in the navigation.',
      example: 'Reference',
      trait: { is: 'label' },
    },
    icon: {
      remark: iconRemark,
      description: 'Name of an icon; null removes it.',
      example: 'code',
      nullable: 'removes',
    },
  },
  identity: { by: [{ field: 'title' }], scope: 'site', idParam: 'siteSectionGroupId' },
  reads: { list: { operation: 'sectionGroups.list', per: 'site', order: 'firstChild' } },
  calls,
  under: (abilities) => (abilities.has('sort') ? { calls: { ...calls, move: sorting('sectionGroup') } } : {}),
  deletion: { cost: 'its sections leave it first' },
});

function position(anchor: Anchor): Payload {
  return anchor.before !== undefined ? { before: place(anchor.before) } : { after: place(anchor.after) };
}

function place(sibling: ContainerRef): Payload {
  return { type: sibling.kind === 'section' ? 'site-section' : 'site-section-group', id: sibling.id };
}
