/**
 * What the store keeps of each kind of thing. A row is the truth; `columns` says under which parent, owner, order and
 * unique key the store files it. Rows hold ids only, never objects as responses show them.
 */

import { defined } from '../util/defined.ts';
import { type ContentRows, contentColumns } from './content-rows.ts';
import type { SiteRows } from './site-rows.ts';
import { siteColumns } from './site-rows.ts';

/** A role as stored; null is a guest. */
export type Role = 'admin' | 'create' | 'review' | 'edit' | 'comment' | 'read';

/** Level of content by default as stored. */
export type Level = Role | 'inherit' | null;

/** Every row: an id that is unique in its kind, the organization that owns it, and a place among its siblings. */
export interface Row {
  readonly id: string;
  readonly org: string;
  order: number;
}

/** An organization. */
export interface OrgRow extends Row {
  title: string;
  createdAt: string;
  emailDomains: string[];
  hostname?: string;
  type: string;
  useCase?: string;
  defaultRole: Role | null;
  defaultSite?: string;
  sso: boolean;
  ai: boolean;
  inviteLinks: boolean;
  plan: string;
  logo?: string;
}

/** A person, in no organization of itself. */
export interface UserRow extends Row {
  displayName: string;
  email: string;
  photoURL?: string;
}

/** A token: `id` is the hash of it, never the token. */
interface TokenRow extends Row {
  user: string;
  /** True for the token that the service was started with; absent in stores that were made before it was noted. */
  isStart?: boolean;
}

/** A person in an organization: `id` is `org/user`. The person's fields are copied, since the API cannot change them. */
export interface MemberRow extends Row {
  user: string;
  role: Role | null;
  displayName: string;
  email: string;
  photoURL?: string;
  disabled: boolean;
  joinedAt: string;
  lastSeenAt?: string;
  sso: boolean;
  teams: number;
}

/** A team; `members` is kept in step with its memberships. */
export interface TeamRow extends Row {
  title: string;
  createdAt: string;
  members: number;
}

/** A person in a team: `id` is `team/user`. */
export interface TeamMemberRow extends Row {
  team: string;
  user: string;
  role: 'owner' | 'member';
}

/** A custom field. */
export interface CustomFieldRow extends Row {
  name: string;
  title: string;
  description: string;
  placeholder: string;
  type: string;
  options?: string[];
  createdAt: string;
  updatedAt: string;
}

/** A value of a custom field: `id` is `space/field`. */
export interface FieldValueRow extends Row {
  space: string;
  field: string;
  value: string | number | boolean | string[];
}

/** A SAML provider. */
export interface SamlRow extends Row {
  label: string;
  entityID?: string;
  certificate?: string;
  ssoURL?: string;
  defaultTeam?: string;
  defaultRole: Role | null;
  createdAt: string;
}

/** A link invite. */
export interface InviteRow extends Row {
  role: Role;
  redundant: boolean;
}

/** A collection; `parent` is a collection's id or null at the root. */
export interface CollectionRow extends Row {
  title: string;
  description?: string;
  parent: string | null;
  defaultLevel: Level;
}

/** A space; `parent` as in a collection. A deleted one keeps its place until it is restored or gone. */
export interface SpaceRow extends Row {
  title: string;
  emoji: string;
  parent: string | null;
  defaultLevel: Level;
  editMode: 'live' | 'locked';
  createdAt: string;
  updatedAt: string;
  deletedAt?: string;
  revision: string;
  changeRequests: number;
}

/** An OpenAPI specification. */
export interface SpecRow extends Row {
  slug: string;
  sourceURL?: string;
  processingState: 'pending' | 'progress' | 'complete';
  lastVersion?: string;
  lastProcessedAt?: string;
  lastProcessErrorCode?: string;
  createdAt: string;
  updatedAt: string;
}

/** A version of a specification with its content. */
export interface SpecVersionRow extends Row {
  spec: string;
  url: string;
  createdAt: string;
  content: unknown;
}

/** Translation settings. */
export interface TranslationRow extends Row {
  title: string;
  languages: string[];
  createdAt: string;
  updatedAt: string;
}

/** A deleted space waiting to be removed for good: `order` is the time of deletion in milliseconds. */
interface TrashRow extends Row {
  space: string;
}

/** All kinds of rows by name. */
export interface Rows extends SiteRows, ContentRows {
  org: OrgRow;
  user: UserRow;
  token: TokenRow;
  member: MemberRow;
  team: TeamRow;
  teamMember: TeamMemberRow;
  customField: CustomFieldRow;
  fieldValue: FieldValueRow;
  saml: SamlRow;
  invite: InviteRow;
  collection: CollectionRow;
  space: SpaceRow;
  spec: SpecRow;
  specVersion: SpecVersionRow;
  translation: TranslationRow;
  trash: TrashRow;
}

/** The name of a kind of row. */
export type RowKind = keyof Rows;

/**
 * How a row is filed. `parent` lists it among its siblings in order; `owner` lists it across parents; `key` is unique
 * within `scope`; `alt` is a second order; `text` is searched; `tag` finds it by one value.
 */
export interface Columns {
  readonly parent: string;
  readonly owner?: string;
  readonly alt?: number;
  readonly scope?: string;
  readonly key?: string;
  readonly text?: string;
  readonly tag?: string;
}

function unique(scope: string, key: string | undefined): { scope?: string; key?: string } {
  return key === undefined ? {} : { scope, key };
}

/** What a level means to members who are no admins: closed to them, open, or as the parent. */
function levelTag(level: Level): 'closed' | 'inherit' | 'open' {
  return level === null ? 'closed' : level === 'inherit' ? 'inherit' : 'open';
}

/** Under what each kind of row is filed. A change of this takes another format, so that stored rows are filed again. */
export const columns: { readonly [K in RowKind]: (row: Rows[K]) => Columns } = {
  ...siteColumns,
  ...contentColumns,
  org: (row) => ({ parent: '', ...unique('hostname', row.hostname) }),
  user: (row) => ({ parent: '', scope: 'user', key: row.email.toLowerCase() }),
  token: (row) => ({ parent: row.user }),
  member: (row) => ({
    parent: row.org,
    owner: row.user,
    text: `${row.displayName}\n${row.email}`.toLowerCase(),
    tag: row.role ?? 'guest',
    ...(row.lastSeenAt === undefined ? {} : { alt: Date.parse(row.lastSeenAt) }),
  }),
  team: (row) => ({ parent: row.org, text: row.title.toLowerCase() }),
  teamMember: (row) => ({ parent: row.team, owner: `${row.org}/${row.user}`, tag: row.role }),
  customField: (row) => ({ parent: row.org, scope: row.org, key: row.name }),
  fieldValue: (row) => ({ parent: row.space, owner: row.field }),
  saml: (row) => ({ parent: row.org, ...defined({ tag: row.defaultTeam }) }),
  invite: (row) => ({ parent: row.org }),
  collection: (row) => ({ parent: row.parent ?? row.org, owner: row.org, tag: levelTag(row.defaultLevel) }),
  space: (row) => ({
    parent: row.parent ?? row.org,
    owner: row.org,
    text: row.title.toLowerCase(),
    tag: row.deletedAt === undefined ? levelTag(row.defaultLevel) : 'deleted',
  }),
  spec: (row) => ({ parent: row.org, scope: row.org, key: row.slug }),
  specVersion: (row) => ({ parent: row.spec }),
  translation: (row) => ({ parent: row.org }),
  trash: () => ({ parent: '' }),
};

/** The names of all kinds of rows. */
export const rowKinds = Object.keys(columns) as readonly RowKind[];

/** How rows are filed; a store of another format is filed again when it is opened. */
export const rowFormat = '2';

/** The values of a row's columns, in the order of the table. */
export function filedValues<K extends RowKind>(kind: K, row: Rows[K]): (string | number | null)[] {
  const filed: Columns = columns[kind](row);
  const { owner, alt, scope, key, text, tag } = filed;
  const optional = [owner, alt, scope, key, text, tag].map((value) => value ?? null);
  return [kind, row.id, filed.parent, row.order, ...optional, JSON.stringify(row)];
}
