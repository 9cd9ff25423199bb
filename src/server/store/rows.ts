/**
 * The rows of the store. `columns` has the parent, owner, order and unique key of a row in the store. Rows contain only ids, never
 * objects as in responses.
 */
import { defined } from '../../util/defined.ts';

/** null is a guest. */
export type Role = 'admin' | 'create' | 'review' | 'edit' | 'comment' | 'read';

export type Level = Role | 'inherit' | null;

interface Row {
  readonly id: string;
  readonly org: string;
  order: number;
}

type Strings<K extends string> = Record<K, string>;
type MaybeStrings<K extends string> = Partial<Strings<K>>;
type Booleans<K extends string> = Record<K, boolean>;
/** Times are in ISO 8601. */
type Dated = Strings<'createdAt' | 'updatedAt'>;

export interface OrgRow
  extends Row,
    Strings<'title' | 'createdAt' | 'type' | 'plan'>,
    MaybeStrings<'hostname' | 'useCase' | 'defaultSite' | 'logo'>,
    Booleans<'sso' | 'ai' | 'inviteLinks'> {
  emailDomains: string[];
  defaultRole: Role | null;
  mergeRules?: MergeRules;
}

/** The form used in requests. */
export interface MergeRules {
  readonly type: string;
  readonly rules?: readonly { readonly rule: string; readonly users?: readonly string[] }[];
}

export type UserRow = Row & Strings<'displayName' | 'email'> & MaybeStrings<'photoURL'>;

/** `id` is the hash of the token, never the token. */
interface TokenRow extends Row {
  user: string;
  /** The token that the service was started with; absent in stores that were created before this field. */
  isStart?: boolean;
}

/** `id` is `org/user`. The person's fields are copied, because the API cannot change them. */
export interface MemberRow
  extends Row,
    Strings<'user' | 'displayName' | 'email' | 'joinedAt'>,
    MaybeStrings<'photoURL' | 'lastSeenAt'>,
    Booleans<'disabled' | 'sso'> {
  role: Role | null;
  teams: number;
}

/** `members` is updated with its memberships. */
export type TeamRow = Row & Strings<'title' | 'createdAt'> & { members: number };

/** `id` is `team/user`. */
export type TeamMemberRow = Row & Strings<'team' | 'user'> & { role: 'owner' | 'member' };

export interface CustomFieldRow
  extends Row,
    Dated,
    Strings<'name' | 'title' | 'description' | 'placeholder' | 'type'> {
  options?: string[];
}

/** `id` is `space/field`. */
export type FieldValueRow = Row &
  Strings<'space' | 'field'> & { value: string | number | boolean | string[] };

export interface SamlRow
  extends Row,
    Strings<'label' | 'createdAt'>,
    MaybeStrings<'entityID' | 'certificate' | 'ssoURL' | 'defaultTeam'> {
  defaultRole: Role | null;
}

export interface InviteRow extends Row {
  /** Absent if a level of a space or a collection is set. */
  role?: Role | null;
  level?: Role | null;
  space?: string;
  collection?: string;
  redundant: boolean;
}

/** A granted level. `on` and `to` include kinds: `space/sp_1`, `team/team_1`; `id` combines both. */
export type GrantRow = Row & Strings<'on' | 'to'> & { role: Role | null };

/** A change by a request. The `type` of its target is the noun of its path. */
export type AuditRow = Row & Readonly<Record<'at' | 'action' | 'user' | 'type' | 'target', string>>;

/** `parent` is a collection's id or null at the root. */
export interface CollectionRow extends Row, Strings<'title'>, MaybeStrings<'description'> {
  parent: string | null;
  defaultLevel: Level;
}

/** `parent` is as in a collection. A deleted space keeps its place until it is restored or purged. */
export interface SpaceRow
  extends Row,
    Dated,
    Strings<'title' | 'emoji' | 'revision'>,
    MaybeStrings<'language' | 'deletedAt'> {
  parent: string | null;
  defaultLevel: Level;
  editMode: 'live' | 'locked';
  changeRequests: number;
  mergeRules?: MergeRules;
  gitSync?: object;
}

export interface SpecRow
  extends Row,
    Dated,
    MaybeStrings<'sourceURL' | 'lastVersion' | 'formerVersion' | 'lastProcessedAt' | 'lastProcessErrorCode'> {
  slug: string;
  /** Defaults to private. */
  visibility?: 'private' | 'public';
  processingState: 'pending' | 'progress' | 'complete';
  /** The row is shown as pending, with `formerVersion`, until this time (ISO 8601). */
  readyAt?: string;
}

export type SpecVersionRow = Row & Strings<'spec' | 'url' | 'createdAt'> & { content: unknown };

export type TranslationRow = Row & Dated & { title: string; languages: string[] };

export type StoredFile = Readonly<Strings<'id' | 'name' | 'contentType'> & { size: number }>;

export interface StoredPage
  extends Readonly<Dated & Strings<'id' | 'title' | 'slug' | 'path' | 'markdown'>>,
    Readonly<MaybeStrings<'emoji' | 'icon' | 'description' | 'spec'>> {
  readonly type: 'document' | 'group' | 'link' | 'computed';
  readonly pages: readonly StoredPage[];
}

/** Immutable once stored. */
export interface RevisionRow extends Row, Strings<'space' | 'type' | 'message' | 'createdAt'> {
  parents: string[];
  pages: StoredPage[];
  files: StoredFile[];
  reusableContents: { id: string; title: string; document: string }[];
}

/** `comments` is updated with its open comments. */
export interface ChangeRequestRow
  extends Row,
    Dated,
    Strings<'space' | 'subject' | 'createdBy' | 'revision' | 'revisionInitial'>,
    MaybeStrings<'revisionMergedAncestor' | 'revisionMerged'> {
  number: number;
  status: 'draft' | 'open' | 'archived' | 'merged';
  contributors: string[];
}

export type Reaction = Readonly<Strings<'emoji' | 'user' | 'reactedAt'>>;

interface PostRow extends Row, Strings<'postedBy' | 'postedAt' | 'markdown'>, MaybeStrings<'editedAt'> {
  reactions: Reaction[];
}

export type CommentRow = PostRow &
  Strings<'changeRequest' | 'space'> &
  MaybeStrings<'node' | 'page' | 'resolvedAt' | 'resolvedBy'>;

export type ReplyRow = PostRow & Strings<'comment'>;

/** `siteSpaces` is updated with its site-spaces. */
export interface SiteRow
  extends Row,
    Strings<'type' | 'title' | 'createdAt'>,
    MaybeStrings<'basename' | 'proxy'> {
  visibility: 'public' | 'unlisted' | 'share-link' | 'visitor-auth';
  published: boolean;
  defaultLevel?: Level;
  adaptiveContent?: boolean;
  siteSpaces: number;
  gitSync?: object;
}

/** Keyed by language. */
export type LocalizedText = Readonly<Record<string, string>>;

export interface GroupRow extends Row, Strings<'site' | 'title'>, MaybeStrings<'icon'> {
  group: string | null;
  draft?: boolean;
  localizedTitle?: LocalizedText;
}

interface EntryRow extends GroupRow, MaybeStrings<'description' | 'condition'> {
  localizedDescription?: LocalizedText;
}

export interface SectionRow extends EntryRow {
  path: string;
  default: boolean;
}

export interface LinkRow extends EntryRow {
  url: string;
}

export interface SiteSpaceRow
  extends Row,
    Strings<'site' | 'space' | 'path'>,
    MaybeStrings<'condition' | 'pageId'> {
  section: string | null;
  default: boolean;
  draft?: boolean;
  hidden?: boolean;
}

export type ShareLinkRow = Row & Strings<'site' | 'name' | 'createdAt' | 'token'> & { active: boolean };

/** Refers to ids, or contains a URL. */
export type RedirectDestination =
  | { readonly kind: 'external'; readonly url: string }
  | { readonly kind: 'site-section'; readonly siteSectionId: string }
  | { readonly kind: 'site-space'; readonly siteSpaceId: string }
  | { readonly kind: 'site-page'; readonly siteSpaceId: string; readonly pageId: string };

export interface RedirectRow
  extends Row,
    Strings<'site' | 'source' | 'createdAt'>,
    MaybeStrings<'updatedAt'>,
    Booleans<'draft' | 'captureWildcard' | 'permanent'> {
  destination: RedirectDestination;
}

export interface Rows {
  site: SiteRow;
  section: SectionRow;
  group: GroupRow;
  link: LinkRow;
  siteSpace: SiteSpaceRow;
  shareLink: ShareLinkRow;
  redirect: RedirectRow;
  /** `id` is the site's. */
  adaptiveSchema: Row & { jsonSchema: Record<string, unknown>; updatedAt: string };
  /** `id` is the site's. Without a date, the customization was never changed. */
  customization: Row & { whole: Readonly<Record<string, unknown>>; updatedAt?: string };
  revision: RevisionRow;
  changeRequest: ChangeRequestRow;
  comment: CommentRow;
  reply: ReplyRow;
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
  grant: GrantRow;
  space: SpaceRow;
  spec: SpecRow;
  specVersion: SpecVersionRow;
  translation: TranslationRow;
  /** A deleted space before its purge: `order` is the time of deletion in milliseconds. */
  trash: Row & Strings<'space'>;
  auditEvent: AuditRow;
}

export type RowKind = keyof Rows;

/**
 * Index columns of a row. `parent` lists it among its siblings in order; `owner` lists it across parents; `key` is unique within
 * `scope`; `alt` is a second order; `text` is searched; `tag` finds it by a value.
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

function levelTag(level: Level): 'closed' | 'inherit' | 'open' {
  return level === null ? 'closed' : level === 'inherit' ? 'inherit' : 'open';
}

/** After a change, increase `rowFormat`, so that the columns of stored rows are updated. */
export const columns: { readonly [K in RowKind]: (row: Rows[K]) => Columns } = {
  site: (row) => ({
    parent: row.org,
    text: row.title.toLowerCase(),
    tag: row.published ? 'published' : 'unpublished',
    ...(row.basename === undefined ? {} : { scope: row.org, key: row.basename }),
  }),
  section: (row) => ({ parent: row.group ?? row.site, owner: row.site, scope: row.site, key: row.path }),
  group: (row) => ({ parent: row.group ?? row.site, owner: row.site }),
  link: (row) => ({ parent: row.group ?? row.site, owner: row.site }),
  siteSpace: (row) => ({
    parent: row.section ?? row.site,
    owner: row.site,
    tag: row.space,
    scope: row.section ?? row.site,
    key: row.path,
  }),
  shareLink: (row) => ({ parent: row.site, scope: 'share', key: row.token }),
  redirect: (row) => ({ parent: row.site, tag: row.draft ? 'draft' : 'live' }),
  adaptiveSchema: (row) => ({ parent: row.id }),
  customization: (row) => ({ parent: row.id }),
  revision: (row) => ({ parent: row.space }),
  changeRequest: (row) => ({ parent: row.space, tag: row.status, scope: row.space, key: String(row.number) }),
  comment: (row) => ({
    parent: row.changeRequest,
    owner: row.space,
    tag: row.resolvedAt === undefined ? 'open' : 'resolved',
  }),
  reply: (row) => ({ parent: row.comment }),
  org: ({ hostname: key }) => ({ parent: '', ...(key === undefined ? {} : { scope: 'hostname', key }) }),
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
  grant: (row) => ({ parent: row.on, owner: row.to }),
  spec: (row) => ({ parent: row.org, scope: row.org, key: row.slug }),
  specVersion: (row) => ({ parent: row.spec }),
  translation: (row) => ({ parent: row.org }),
  trash: () => ({ parent: '' }),
  auditEvent: (row) => ({ parent: row.org, owner: row.target }),
};

export const rowKinds = Object.keys(columns) as readonly RowKind[];

export const rowFormat = '3';
