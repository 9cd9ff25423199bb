/** External links among the sections of a site. An entry under `sections` that has a `url` is a link. */
import * as z from 'zod';
import type { OperationOutput } from '../contract/index.ts';
import { once } from '../contract/once.ts';
import { defineKind, type Kind } from './kind.ts';
import { body, pick, valueField } from './parts/fields.ts';
import {
  conditionField,
  draftField,
  entryFields,
  grouping,
  groupOf,
  iconField,
  localizedField,
  sorting,
  structureList,
  structureUpdate,
} from './parts/structure.ts';

const required = ['title', 'url'];

/** Newer form of the service, "External links". */
export const link: Kind = defineKind({
  name: 'link',
  noun: 'link',
  description: 'A link among the sections of a site, which must have a section.',
  needs: '2026',
  manifest: {
    places: [
      { parent: 'site', key: 'sections', ordered: true },
      { parent: 'sectionGroup', key: 'sections', ordered: true },
    ],
    marker: 'url',
  },
  body: 'siteLinks.create',
  fields: {
    title: valueField('Title of the link in the navigation.', 'Forum', { trait: { is: 'title' } }),
    url: valueField('Address that the link leads to.', 'https://forum.example.com/', {
      schema: once(() =>
        z
          .url({ protocol: /^https?$/ })
          .max(2048)
          .meta({ help: 'write a whole address, such as https://forum.example.com/' }),
      ),
      risk: (before, after) =>
        before === undefined || before === after
          ? undefined
          : { text: 'leads visitors elsewhere', past: 'was changed to lead visitors elsewhere' },
    }),
    icon: iconField('message'),
    description: valueField('What visitors find there; null removes it.', 'Questions and answers', {
      nullable: 'removes',
    }),
    condition: conditionField('the link'),
    draft: draftField('the link'),
    localizedTitle: localizedField('title', 128),
    localizedDescription: localizedField('description', 256),
  },
  identity: { by: [{ field: 'url' }, { field: 'title' }], scope: 'site', idParam: 'siteExternalLinkId' },
  reads: structureList('link'),
  fromRemote: (remote: OperationOutput<'siteLinks.update'>) => ({
    id: remote.id,
    fields: pick(remote, ['title', 'url', ...entryFields]),
    ...groupOf(remote.sectionGroup),
  }),
  calls: {
    create: (context) => {
      const { container, fields } = context;
      if (fields.title === undefined)
        return { unsupported: 'a new link needs a title', suggestion: 'add one, for example title: Forum' };
      const parent = container.kind === 'sectionGroup' ? { parent: container.id } : {};
      const all = body(fields, [...required, 'icon', 'description', 'condition', 'draft']);
      return {
        call: { operation: 'siteLinks.create', params: context.params, body: { ...all, ...parent } },
        fields: all,
      };
    },
    update: structureUpdate('siteLinks.update'),
    delete: 'siteLinks.delete',
    ...sorting('link'),
    ...grouping('siteLinks.update', 'parent'),
    arrivesLast: true,
  },
});
