/** Content as responses show it: pages, files, revisions, links and search results (API document, "Shared sub-objects"). */
import * as z from 'zod';
import { each } from '../../util/data-schema.ts';
import { once } from '../once.ts';
import { flags, hint, maybe, resource, texts, urls } from '../values.ts';
import { organization } from './organization.ts';
import { space } from './space.ts';

const gitObject = once(() => z.looseObject({ oid: maybe(z.string()), path: maybe(z.string()) }));

/** A file that belongs to a revision. */
export const file = once(() =>
  z.looseObject({
    id: z.string(),
    ...texts('name', 'contentType', 'downloadURL'),
    size: maybe(z.number()),
    dimensions: maybe(z.looseObject({ width: maybe(z.number()), height: maybe(z.number()) })),
    git: maybe(gitObject()),
  }),
);

const layout = once(() =>
  z.looseObject({
    cover: maybe(z.boolean()),
    coverSize: maybe(hint('hero')),
    ...each(z.boolean().nullish(), 'title', 'description', 'tableOfContents', 'outline', 'pagination'),
  }),
);

const computed = once(() =>
  z.looseObject({
    type: maybe(hint('builtin:openapi')),
    dependencies: maybe(
      z.looseObject({
        spec: maybe(
          z.looseObject({
            ref: maybe(z.looseObject({ kind: maybe(hint('openapi')), spec: maybe(z.string()) })),
          }),
        ),
      }),
    ),
    props: maybe(z.looseObject({ doc: maybe(z.string()) })),
  }),
);

/** A page; `pages` are its children. */
export const page = once(() =>
  z.looseObject({
    id: z.string(),
    title: maybe(z.string()),
    emoji: maybe(z.string()),
    icon: maybe(z.string()),
    createdAt: maybe(z.string()),
    updatedAt: maybe(z.string()),
    markdown: maybe(z.string()),
    type: maybe(hint('document', 'group', 'link', 'computed')),
    urls: urls('app'),
    slug: maybe(z.string()),
    path: maybe(z.string()),
    description: maybe(z.string()),
    documentId: maybe(z.string()),
    get pages() {
      return maybe(z.array(page()));
    },
    git: maybe(gitObject()),
    layout: maybe(layout()),
    cover: maybe(
      z.looseObject({
        ref: maybe(z.looseObject({ kind: maybe(hint('file')), file: maybe(z.string()) })),
        yPos: maybe(z.number()),
      }),
    ),
    hidden: maybe(z.boolean()),
    noIndex: maybe(z.boolean()),
    noRobotsIndex: maybe(z.boolean()),
    computed: maybe(computed()),
    computedSeed: maybe(z.string()),
  }),
);

/** The pages of a revision, without the rest of it. */
export const pageList = once(() => z.looseObject({ pages: z.array(page()) }));

/** A state of a space's content. */
export const revision = resource('revision', () => ({
  parents: maybe(z.array(z.string())),
  pages: maybe(z.array(page())),
  files: maybe(z.array(file())),
  reusableContents: maybe(
    z.array(
      z.looseObject({
        id: z.string(),
        ...texts('title', 'document'),
        git: maybe(gitObject()),
      }),
    ),
  ),
  createdAt: maybe(z.string()),
  git: maybe(
    z.looseObject({
      ...texts('oid', 'message'),
      createdByService: maybe(z.boolean()),
      ...texts('url', 'ref'),
    }),
  ),
  urls: urls('app', 'published', 'public'),
  type: maybe(hint('edits', 'merge', 'rollback', 'update', 'computed')),
}));

/** The target of a link, or the place that contains it. */
export const reference = once(() =>
  z.looseObject({
    kind: maybe(hint('file', 'url', 'page', 'user', 'collection', 'space', 'reusable-content', 'openapi')),
    organization: maybe(organization()),
    space: maybe(space()),
    versionContext: maybe(z.looseObject({ type: maybe(hint('revision')), revision: maybe(z.string()) })),
    file: maybe(file()),
  }),
);

/** A link: its status, its target and the place that contains it. */
const link = once(() =>
  z.looseObject({
    status: maybe(hint('ok', 'broken', 'in-app')),
    relation: maybe(hint('reference', 'dependsOn')),
    targetReference: maybe(reference()),
    locationReferences: maybe(z.array(reference())),
  }),
);

/** The list envelope of links, with counts. */
export const linkList = once(() =>
  z.looseObject({
    items: z.array(link()),
    count: maybe(z.number()),
    next: maybe(z.looseObject({ page: z.string() })),
    stats: maybe(
      z.looseObject({
        total: maybe(z.number()),
        broken: maybe(z.looseObject({ total: maybe(z.number()), changeRequest: maybe(z.number()) })),
      }),
    ),
  }),
);

const foundSection = once(() =>
  z.looseObject({
    ...texts('id', 'title', 'path', 'body'),
    urls: urls('app'),
  }),
);

/** A page that a search in a space found. */
export const foundPage = once(() =>
  z.looseObject({
    id: z.string(),
    ...texts('title', 'path'),
    sections: maybe(z.array(foundSection())),
    urls: urls('app'),
  }),
);

/** A space with pages that a search in an organization found. */
export const foundSpace = once(() =>
  z.looseObject({ id: z.string(), title: maybe(z.string()), pages: maybe(z.array(foundPage())) }),
);

/** The result of an import. */
export const importResult = once(() =>
  z.looseObject({
    revision: maybe(z.string()),
    ...each(z.number().nullish(), 'importedResources', 'totalResources'),
  }),
);

/** Permissions of the caller in a discussion. */
export const discussionPermissions = once(() => flags('view', 'edit', 'reply', 'delete'));
