/** What the store keeps of the content of spaces and of what is said about it, and how it files them. */
import type { Columns, Row } from './rows.ts';

/** A file of a revision. `text` is its content where it is text. */
export interface StoredFile {
  readonly id: string;
  readonly name: string;
  readonly contentType: string;
  readonly size: number;
}

/** A page of a revision. */
export interface StoredPage {
  readonly id: string;
  readonly title: string;
  readonly slug: string;
  readonly path: string;
  readonly type: 'document' | 'group' | 'link' | 'computed';
  readonly emoji?: string;
  readonly icon?: string;
  readonly description?: string;
  readonly markdown: string;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly spec?: string;
  readonly pages: readonly StoredPage[];
}

/** One state of a space's content; never changed once stored. */
export interface RevisionRow extends Row {
  space: string;
  parents: string[];
  type: string;
  message: string;
  createdAt: string;
  pages: StoredPage[];
  files: StoredFile[];
  reusableContents: { id: string; title: string; document: string }[];
}

/** A change request; `comments` is kept in step with its open comments. */
export interface ChangeRequestRow extends Row {
  space: string;
  number: number;
  status: 'draft' | 'open' | 'archived' | 'merged';
  subject: string;
  createdBy: string;
  contributors: string[];
  createdAt: string;
  updatedAt: string;
  revision: string;
  revisionInitial: string;
  revisionMergedAncestor?: string;
  revisionMerged?: string;
}

/** A reaction by one user. */
export interface Reaction {
  readonly emoji: string;
  readonly user: string;
  readonly reactedAt: string;
}

/** A comment. */
export interface CommentRow extends Row {
  changeRequest: string;
  space: string;
  postedBy: string;
  postedAt: string;
  editedAt?: string;
  markdown: string;
  node?: string;
  page?: string;
  reactions: Reaction[];
  resolvedAt?: string;
  resolvedBy?: string;
}

/** A reply to a comment. */
export interface ReplyRow extends Row {
  comment: string;
  postedBy: string;
  postedAt: string;
  editedAt?: string;
  markdown: string;
  reactions: Reaction[];
}

/** All kinds of rows that belong to the content of spaces. */
export interface ContentRows {
  revision: RevisionRow;
  changeRequest: ChangeRequestRow;
  comment: CommentRow;
  reply: ReplyRow;
}

/** Under what the rows of content are filed. */
export const contentColumns: { readonly [K in keyof ContentRows]: (row: ContentRows[K]) => Columns } = {
  revision: (row) => ({ parent: row.space }),
  changeRequest: (row) => ({ parent: row.space, tag: row.status, scope: row.space, key: String(row.number) }),
  comment: (row) => ({
    parent: row.changeRequest,
    owner: row.space,
    tag: row.resolvedAt === undefined ? 'open' : 'resolved',
  }),
  reply: (row) => ({ parent: row.comment }),
};
