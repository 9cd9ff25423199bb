/** Groups of sections of a site. An entry under `sections` that itself has `sections` is a group. */
import type { OperationOutput } from '../contract/index.ts';
import { defineKind, type Kind, type KindSpec } from './kind.ts';
import { body, pick, valueField } from './parts/fields.ts';
import {
  draftField,
  grouping,
  groupOf,
  iconField,
  localizedField,
  moving,
  sorting,
  structureList,
  structureUpdate,
} from './parts/structure.ts';

const calls: KindSpec['calls'] = {
  create: (context) => {
    // Other children are moved into the group after it exists.
    const sections = context.children('sections').filter(({ kind }) => kind === 'section');
    const all = body(context.fields, ['title', 'icon', 'draft']);
    const parent = context.container.kind === 'sectionGroup' ? { parent: context.container.id } : {};
    return {
      call: {
        operation: 'sectionGroups.create',
        params: context.params,
        body: {
          ...all,
          ...parent,
          ...(sections.length > 0 ? { sections: sections.map(({ id }) => id) } : {}),
        },
      },
      fields: all,
      adoptsChildren: sections.map(({ address }) => address),
    };
  },
  update: structureUpdate('sectionGroups.update'),
  delete: 'sectionGroups.delete',
  move: moving('sectionGroups.move', ({ kind, id }) => ({
    type: kind === 'section' ? 'site-section' : 'site-section-group',
    id,
  })),
  anchors: ['section', 'sectionGroup'],
};

/** API document, "Site section groups". */
export const sectionGroup: Kind = defineKind({
  name: 'sectionGroup',
  noun: 'section group',
  description: 'A group of sections, and of links and groups where the service has those.',
  manifest: {
    places: [
      { parent: 'site', key: 'sections', ordered: true },
      { parent: 'sectionGroup', key: 'sections', ordered: true, levels: 2, needs: '2026' },
    ],
    marker: 'sections',
  },
  body: 'sectionGroups.create',
  fields: {
    title: valueField('Title of the group in the navigation.', 'Reference', { trait: { is: 'title' } }),
    icon: iconField('code'),
    draft: draftField('the group'),
    localizedTitle: localizedField('title', 128),
  },
  identity: { by: [{ field: 'title' }], scope: 'site', idParam: 'siteSectionGroupId' },
  reads: { list: { operation: 'sectionGroups.list', per: 'site', order: 'firstChild' } },
  fromRemote: (remote: OperationOutput<'sectionGroups.update'>) => ({
    id: remote.id,
    fields: pick(remote, ['title', 'icon', 'draft', 'localizedTitle']),
    ...groupOf(remote.sectionGroup),
  }),
  calls,
  newer: {
    calls: {
      ...calls,
      ...sorting('sectionGroup'),
      ...grouping('sectionGroups.update', 'parentSectionGroupId'),
    },
    reads: structureList('sectionGroup'),
  },
  deletion: { cost: 'its sections are moved out first' },
});
