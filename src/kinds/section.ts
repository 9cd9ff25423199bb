import type { OperationOutput } from '../contract/index.ts';
import { defined } from '../util/defined.ts';
import { shortHash } from '../util/short-hash.ts';
import {
  type CallContext,
  type Creation,
  defineKind,
  type Kind,
  type KindSpec,
  type Unsupported,
} from './kind.ts';
import { formerLinks } from './parts/access.ts';
import { body, pick, referenceField, valueField } from './parts/fields.ts';
import { pathRemark } from './parts/remarks.ts';
import {
  conditionField,
  draftField,
  entryFields,
  grouping,
  groupOf,
  iconField,
  localizedField,
  lostRedirects,
  moving,
  sorting,
  structureBody,
  structureList,
} from './parts/structure.ts';

/** Maximum length of a title at creation; a longer one follows as an update (API document, "Limits"). */
const createTitleLength = 64;

/** Shortens a long title for creation, with a hash of the whole, so that titles with the same beginning remain distinct. */
function shortTitle(title: string): string {
  if (title.length <= createTitleLength) return title;
  const suffix = `… ${shortHash(title)}`;
  return title.slice(0, createTitleLength - suffix.length) + suffix;
}

const deletion: KindSpec['deletion'] = {
  cascadesTo: ['siteSpace'],
  lastNeedsSuccessor: true,
  cost: 'its place, path and site-spaces are lost; spaces are kept',
};

const calls: KindSpec['calls'] = {
  createdOutside: true,
  create,
  update: (context, changed) => {
    const { default: main, ...rest } = structureBody(context, changed);
    return [
      {
        operation: 'sections.update',
        params: context.params,
        body: { ...rest, ...defined({ defaultSiteSpace: main }) },
      },
    ];
  },
  delete: 'sections.delete',
  move: moving('sections.move', ({ id }) => ({ type: 'site-section', siteSection: id })),
  anchors: ['section'],
  detach: (context, from) =>
    from.kind === 'sectionGroup'
      ? {
          operation: 'sectionGroups.removeSection',
          params: { ...context.params, siteSectionGroupId: from.id },
        }
      : undefined,
  attach: (context) =>
    context.container.kind === 'sectionGroup'
      ? {
          operation: 'sectionGroups.addSection',
          params: { ...context.params, siteSectionGroupId: context.container.id },
          body: { sectionId: context.id },
        }
      : undefined,
};

/** API document, "Site sections". */
export const section: Kind = defineKind({
  name: 'section',
  noun: 'section',
  description: 'A section of a site. A new one needs at least one space.',
  manifest: {
    places: [
      { parent: 'site', key: 'sections', ordered: true },
      { parent: 'sectionGroup', key: 'sections', ordered: true },
    ],
  },
  body: 'sections.update',
  fields: {
    title: valueField('Title of the section in the navigation.', 'Guides', { trait: { is: 'title' } }),
    path: valueField('Path of the section on the site.', 'guides', {
      remark: pathRemark,
      risk: formerLinks('path'),
      trait: { is: 'path', keptBy: 'redirect' },
    }),
    icon: iconField('book'),
    description: valueField('What the section contains; null removes it.', 'How-to guides', {
      nullable: 'removes',
    }),
    condition: conditionField('the section'),
    draft: draftField('the section'),
    localizedTitle: localizedField('title', 128),
    localizedDescription: localizedField('description', 256),
    default: referenceField('Key of the site-space that the section opens with.', {
      example: 'en',
      kinds: ['siteSpace'],
      within: 'descendants',
      trait: { is: 'first' },
    }),
  },
  identity: {
    // The shortened title identifies a section whose update with the long title failed.
    by: [{ field: 'path' }, { field: 'title' }, { field: 'title', fold: shortTitle, foldsDesiredOnly: true }],
    scope: 'site',
    unique: [{ field: 'path', within: 'site' }],
    idParam: 'siteSectionId',
  },
  reads: { list: { operation: 'sections.list', per: 'site' } },
  fromRemote: (remote: OperationOutput<'sections.update'>) => ({
    id: remote.id,
    fields: pick(remote, ['title', 'path', ...entryFields]),
    ...groupOf(remote.sectionGroup),
    ...(remote.default === true ? { defaultOf: { on: 'scope', field: 'default' } as const } : {}),
  }),
  calls,
  newer: {
    calls: { ...calls, ...sorting('section'), ...grouping('sections.update', 'siteSectionGroupId') },
    reads: structureList('section'),
    deletion: { ...deletion, again: { lost: lostRedirects } },
  },
  deletion,
});

function create(context: CallContext): Creation | Unsupported {
  const first = context.children('spaces')[0];
  const spaceId = first?.fields.space;
  if (first === undefined || spaceId === undefined) {
    return {
      unsupported: 'a new section needs at least one space',
      suggestion: 'list one under spaces:, for example spaces: { main: { space: some-space } }',
    };
  }
  const title = context.fields.title;
  const short = {
    ...(typeof title === 'string' ? { title: shortTitle(title) } : {}),
    ...body(context.fields, ['draft']),
  };
  return {
    call: { operation: 'sections.create', params: context.params, body: { spaceId, ...short } },
    fields: short,
    alsoCreates: {
      address: first.address,
      fields: { space: spaceId },
      find: {
        operation: 'siteSpaces.list',
        params: context.params,
        find: { section: context.id, 'space.id': spaceId as string },
      },
    },
  };
}
