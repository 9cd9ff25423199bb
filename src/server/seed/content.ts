import { defined } from '../../util/defined.ts';
import { putGrant } from '../access.ts';
import { indexSpace } from '../content/search.ts';
import { slugOf } from '../store/places.ts';
import type { RevisionRow, Rows, StoredPage } from '../store/rows.ts';
import type { Store } from '../store/store.ts';
import type { SeedCollection, SeedPage, SeedSite, SeedSpace } from './seed-file.ts';

export interface Seeder {
  readonly store: Store;
  readonly at: string;
  readonly times: { readonly createdAt: string; readonly updatedAt: string };
  readonly now: Date;
  id(given: string | undefined, prefix: string): string;
  put<K extends keyof Rows>(kind: K, row: Omit<Rows[K], 'order'> & { order?: number }): void;
  readonly owner: string;
}

export function seedContent(
  seeder: Seeder,
  org: string,
  parent: string | null,
  content: readonly (SeedCollection | SeedSpace)[],
): void {
  for (const [at, one] of content.entries()) {
    const place = { org, parent, order: at + 1 };
    if ('type' in one) seedCollection(seeder, place, one);
    else seedSpace(seeder, place, one);
  }
}

interface ContentPlace {
  readonly org: string;
  readonly parent: string | null;
  readonly order: number;
}

function seedCollection(seeder: Seeder, place: ContentPlace, seed: SeedCollection): void {
  const id = seeder.id(seed.id, 'col');
  seeder.put('collection', {
    id,
    ...place,
    title: seed.title,
    defaultLevel: seed.defaultLevel === undefined ? 'inherit' : seed.defaultLevel,
    ...defined({ description: seed.description }),
  });
  seedGrants(seeder, { org: place.org, on: `collection/${id}` }, seed.access);
  seedContent(seeder, place.org, id, [
    ...(seed.content ?? []),
    ...(seed.collections ?? []),
    ...(seed.spaces ?? []),
  ]);
}

function seedSpace(seeder: Seeder, place: ContentPlace, seed: SeedSpace): void {
  const { store } = seeder;
  const { org } = place;
  const id = seeder.id(seed.id, 'sp');
  const deletedAt = seed.deletedAt === 'now' ? seeder.at : seed.deletedAt;
  const revision = seedRevision(seeder, org, id, seed);
  seeder.put('revision', revision);
  for (const request of (seed.changeRequests ?? []).entries()) seedRequest(seeder, revision, request);
  seeder.put('space', {
    id,
    ...place,
    title: seed.title,
    emoji: seed.emoji ?? '1f4c4',
    defaultLevel: seed.defaultLevel === undefined ? 'inherit' : seed.defaultLevel,
    editMode: seed.editMode ?? 'live',
    ...seeder.times,
    revision: revision.id,
    changeRequests: seed.changeRequests?.length ?? 0,
    ...defined({ deletedAt, language: seed.language, mergeRules: seed.mergeRules, gitSync: seed.gitSync }),
  });
  if (deletedAt !== undefined) {
    seeder.put('trash', { id, org, space: id, order: Date.parse(deletedAt) });
  }
  seedGrants(seeder, { org, on: `space/${id}` }, seed.access);
  seedFieldValues(seeder, org, id, seed.customFields);
  const row = store.get('space', id);
  if (row !== undefined && (seed.pages?.length ?? 0) > 0) indexSpace(store, row);
}

function seedFieldValues(
  seeder: Seeder,
  org: string,
  space: string,
  values: SeedSpace['customFields'],
): void {
  for (const [name, value] of Object.entries(values ?? {})) {
    const field = seeder.store.find('customField', org, name);
    if (field === undefined) throw new Error(`seed: no custom field "${name}"`);
    const stored = typeof value === 'object' ? [...value] : value;
    seeder.put('fieldValue', { id: `${space}/${field.id}`, org, space, field: field.id, value: stored });
  }
}

function seedRevision(seeder: Seeder, org: string, space: string, seed: SeedSpace) {
  return {
    id: seeder.id(undefined, 'rev'),
    org,
    space,
    parents: [],
    type: 'edits',
    message: 'Seeded',
    createdAt: seeder.at,
    pages: storedPages(seeder, seed.pages),
    files: (seed.files ?? []).map((file) => ({
      id: seeder.id(file.id, 'file'),
      name: file.name,
      contentType: file.contentType ?? 'application/octet-stream',
      size: file.size ?? 0,
    })),
    reusableContents: (seed.reusableContents ?? []).map((one) => ({
      id: seeder.id(one.id, 'reuse'),
      title: one.title,
      document: one.document ?? '',
    })),
  };
}

function storedPages(seeder: Seeder, pages: readonly SeedPage[] = [], under = ''): StoredPage[] {
  return pages.map((page) => {
    const slug = slugOf(page.title);
    const path = under === '' ? slug : `${under}/${slug}`;
    return {
      id: seeder.id(page.id, 'page'),
      title: page.title,
      slug,
      path,
      type: page.type ?? (page.spec === undefined ? 'document' : 'computed'),
      markdown: page.markdown ?? '',
      ...seeder.times,
      pages: storedPages(seeder, page.pages, path),
      ...defined({ spec: page.spec }),
    };
  });
}

function seedRequest(
  seeder: Seeder,
  base: Omit<RevisionRow, 'order'>,
  [at, seed]: readonly [number, NonNullable<SeedSpace['changeRequests']>[number]],
): void {
  const { org, space } = base;
  const id = seeder.id(seed.id, 'cr');
  const pages = seed.pages === undefined ? base.pages : storedPages(seeder, seed.pages);
  const revision = {
    ...base,
    id: seeder.id(undefined, 'rev'),
    parents: [base.id],
    message: 'Seeded change',
    pages,
  };
  seeder.put('revision', revision);
  seeder.put('changeRequest', {
    id,
    org,
    space,
    number: at + 1,
    status: seed.status ?? 'open',
    subject: seed.subject ?? '',
    createdBy: seeder.owner,
    contributors: [seeder.owner],
    ...seeder.times,
    revision: revision.id,
    revisionInitial: base.id,
    ...(seed.status === 'merged' ? { revisionMerged: base.id } : {}),
  });
  for (const comment of seed.comments ?? []) {
    const commentId = seeder.id(comment.id, 'com');
    const posted = { org, postedBy: seeder.owner, postedAt: seeder.at, reactions: [] };
    seeder.put('comment', {
      id: commentId,
      ...posted,
      space,
      changeRequest: id,
      markdown: comment.markdown,
      ...defined({ page: comment.page }),
      ...(comment.resolved === true ? { resolvedAt: seeder.at, resolvedBy: seeder.owner } : {}),
    });
    for (const reply of comment.replies ?? []) {
      const id = seeder.id(reply.id, 'rep');
      seeder.put('reply', { id, ...posted, comment: commentId, markdown: reply.markdown });
    }
  }
}

export function seedGrants(
  { store }: Seeder,
  { org, on }: { readonly org: string; readonly on: string },
  { teams = {}, users = {} }: NonNullable<SeedSite['access']> = {},
): void {
  for (const [id, role] of Object.entries(teams)) putGrant(store, { org, on, to: `team/${id}` }, role);
  for (const [name, role] of Object.entries(users)) {
    const id = store.find('user', 'user', name.toLowerCase())?.id ?? name;
    putGrant(store, { org, on, to: `user/${id}` }, role);
  }
}
