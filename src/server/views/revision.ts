import type { OperationOutput } from '../../contract/index.ts';
import { picked } from '../../util/picked.ts';
import type { Context } from '../context.ts';
import type { RevisionRow, SpaceRow, StoredFile, StoredPage } from '../store/rows.ts';

type PageAnswer = OperationOutput<'spaceContent.getPage'>;

/** `metadata` adds git metadata, `computed` computes pages, `markdown` adds their text. */
export interface Reading {
  readonly metadata: boolean;
  readonly computed: boolean;
  readonly markdown: boolean;
}

export interface ReadQuery {
  readonly metadata?: boolean | undefined;
  readonly computed?: boolean | undefined;
  readonly format?: string | undefined;
}

export function readingOf(query: ReadQuery): Reading {
  return {
    metadata: query.metadata !== false,
    computed: query.computed !== false,
    markdown: query.format === 'markdown',
  };
}

export function fileView(context: Context, file: StoredFile, { metadata }: { readonly metadata: boolean }) {
  return {
    ...picked(file, 'id', 'name', 'contentType'),
    downloadURL: `${context.base}/files/${file.id}/${encodeURIComponent(file.name)}`,
    size: file.size,
    git: metadata ? { oid: oidOf(file.id), path: `.assets/${file.name}` } : undefined,
  };
}

export function pageView(context: Context, space: SpaceRow, page: StoredPage, reading: Reading): PageAnswer {
  return {
    ...picked(page, 'id', 'title', 'emoji', 'icon', 'createdAt', 'updatedAt'),
    markdown: reading.markdown ? page.markdown : undefined,
    type: page.type,
    urls: { app: `${context.base}/app/${space.org}/s/${space.id}/p/${page.id}` },
    ...picked(page, 'slug', 'path', 'description'),
    documentId: page.type === 'document' ? `doc_${page.id}` : undefined,
    pages: page.pages.map((child) => pageView(context, space, child, reading)),
    git: reading.metadata ? { oid: oidOf(page.id), path: `${page.path}.md` } : undefined,
    layout: {
      cover: true,
      title: true,
      description: true,
      tableOfContents: true,
      outline: true,
      pagination: true,
    },
    hidden: false,
    noIndex: false,
    noRobotsIndex: false,
    computed:
      page.spec === undefined || !reading.computed
        ? undefined
        : {
            type: 'builtin:openapi',
            dependencies: { spec: { ref: { kind: 'openapi', spec: page.spec } } },
            props: { doc: page.path },
          },
    computedSeed: page.spec === undefined ? undefined : oidOf(page.spec),
  };
}

export function revisionView(context: Context, space: SpaceRow, row: RevisionRow, reading: Reading) {
  return {
    object: 'revision',
    ...picked(row, 'id', 'parents'),
    pages: row.pages.map((page) => pageView(context, space, page, reading)),
    files: row.files.map((file) => fileView(context, file, reading)),
    reusableContents: row.reusableContents.map((one) => ({
      ...one,
      git: reading.metadata ? { oid: oidOf(one.id), path: `.includes/${one.id}.md` } : undefined,
    })),
    createdAt: row.createdAt,
    git: reading.metadata ? { oid: oidOf(row.id), message: row.message, createdByService: true } : undefined,
    urls: { app: `${context.base}/app/${space.org}/s/${space.id}/~/revisions/${row.id}` },
    type: row.type,
  };
}

/** A fake git object id that depends only on the id. */
function oidOf(id: string): string {
  return Buffer.from(id.padEnd(20, '0')).toString('hex').slice(0, 40);
}
