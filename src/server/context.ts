/**
 * Input of a handler in addition to the request: the store, the clock, new ids, the caller, and permission checks. Objects of other
 * organizations are "not found", so a member of one learns nothing about the others.
 */
import { randomBytes } from 'node:crypto';
import type { Form } from '../contract/form.ts';
import { type OperationId, operationOf } from '../contract/index.ts';
import { rememberedIn } from '../util/remembered.ts';
import { findsSpace, levelOf, rankOf, saidOnSite } from './access.ts';
import { forbidden, notFound } from './errors.ts';
import type {
  CollectionRow,
  MemberRow,
  OrgRow,
  Role,
  Rows,
  ShareLinkRow,
  SiteRow,
  SpaceRow,
  StoredFile,
  StoredPage,
} from './store/rows.ts';
import type { Store } from './store/store.ts';
import type { Variants } from './variants.ts';

export type PathParams = Readonly<Record<string, string>>;

/** Pages and files of an import. `total` counts all entries, imported or not. */
export interface Imported {
  readonly pages: readonly StoredPage[];
  readonly files: readonly StoredFile[];
  readonly imported: number;
  readonly total: number;
}

export type SpecRead =
  | { readonly type: 'content'; readonly content: object }
  | { readonly type: 'failed'; readonly code: 'FETCH_TIMEOUT' | 'FETCH_ERROR' | 'PARSE_ERROR' };

/** External input of an operation, fetched and parsed before its transaction began. */
export type Prepared =
  | { readonly type: 'nothing' }
  | { readonly type: 'spec'; readonly read: SpecRead }
  | { readonly type: 'import'; readonly imported: Imported };

export interface Publication {
  readonly visibility: string | undefined;
  readonly urls: { readonly published?: string; readonly public?: string };
}

/** Objects of an organization: the parameter of a path with the id or the unique key of one, and their noun. */
const orgObjects = {
  team: { param: 'teamId', noun: 'team', isKey: false },
  invite: { param: 'inviteId', noun: 'link invite', isKey: false },
  saml: { param: 'samlProviderId', noun: 'SAML provider', isKey: false },
  translation: { param: 'translationSettingsId', noun: 'translation settings', isKey: false },
  spec: { param: 'specSlug', noun: 'OpenAPI specification', isKey: true },
  customField: { param: 'fieldName', noun: 'custom field', isKey: true },
};

const siteObjects = {
  section: { param: 'siteSectionId', noun: 'site section' },
  group: { param: 'siteSectionGroupId', noun: 'site section group' },
  link: { param: 'siteExternalLinkId', noun: 'site external link' },
  siteSpace: { param: 'siteSpaceId', noun: 'site space' },
  shareLink: { param: 'shareLinkId', noun: 'share link' },
  redirect: { param: 'siteRedirectId', noun: 'site redirect' },
};

/** Lives as long as the request's transaction. */
export class Context {
  readonly store: Store;
  readonly now: Date;
  readonly base: string;
  readonly user: string;
  readonly operation: OperationId;
  readonly variants: Variants;
  readonly form: Form;
  readonly prepared: Prepared;
  /** Replaces the status of the API document. */
  status: number | undefined;
  /** Path of the created object, if it differs from the request's path and the id. */
  location: string | undefined;
  /** The share link whose key is in the request; it opens the published addresses of its site. */
  shareLink: ShareLinkRow | undefined;
  readonly #random: () => number;
  readonly #publications = new Map<string, Publication>();
  readonly #members = new Map<string, MemberRow | undefined>();

  constructor(
    options: Pick<
      Context,
      'store' | 'now' | 'base' | 'user' | 'operation' | 'variants' | 'form' | 'prepared'
    > & { readonly random: () => number },
  ) {
    this.store = options.store;
    this.now = options.now;
    this.base = options.base;
    this.user = options.user;
    this.operation = options.operation;
    this.variants = options.variants;
    this.form = options.form;
    this.prepared = options.prepared;
    this.#random = options.random;
  }

  /** Format: ISO 8601. */
  get at(): string {
    return this.now.toISOString();
  }

  /**
   * Publication of a space. Cached during reads: many entries of a list may show the same space, which many sites may publish. Not cached
   * during writes, because they change it.
   */
  publication(space: string, find: () => Publication): Publication {
    if (operationOf(this.operation).method !== 'GET') return find();
    return rememberedIn(this.#publications, space, find);
  }

  id(prefix: string): string {
    return `${prefix}_${randomText(this.#random, 12)}`;
  }

  fresh(prefix: string, org: string) {
    return { id: this.id(prefix), org, createdAt: this.at, order: this.store.next() };
  }

  /** A new page with text, not stored yet. */
  page(fields: Pick<StoredPage, 'title' | 'slug' | 'path' | 'markdown'> & Partial<StoredPage>): StoredPage {
    const id = this.id('page');
    return { id, type: 'document', createdAt: this.at, updatedAt: this.at, pages: [], ...fields };
  }

  memberOf(org: string): MemberRow | undefined {
    return rememberedIn(this.#members, org, () => {
      const member = this.store.get('member', `${org}/${this.user}`);
      return member?.disabled === true ? undefined : member;
    });
  }

  /** Disabled or not. */
  member(org: string, user: string): MemberRow {
    const member = this.store.get('member', `${org}/${user}`);
    if (member === undefined) throw notFound('member');
    return member;
  }

  rankIn(org: string): number {
    const member = this.memberOf(org);
    return member === undefined ? -1 : rankOf(member.role);
  }

  /** Finds the organization if the caller has at least that role (null: guests too). */
  org(id: string, least: Role | null): OrgRow {
    const org = this.store.get('org', id);
    if (org === undefined || this.memberOf(id) === undefined) throw notFound('organization');
    this.demand(id, least);
    return org;
  }

  demand(org: string, least: Role | null): void {
    if (this.rankIn(org) < rankOf(least)) throw forbidden(`requires role ${least} in the organization`);
  }

  site(params: PathParams, least: Role): SiteRow {
    const org = params.organizationId ?? '';
    const site = this.store.get('site', params.siteId ?? '');
    const member = this.memberOf(org);
    const said = site && member && saidOnSite(this, member, site);
    this.org(org, said === undefined ? least : null);
    if (site === undefined || site.org !== org || said?.role === null) throw notFound('site');
    if (said !== undefined && rankOf(said.role) < rankOf(least))
      throw forbidden(`requires level ${least} on the site`);
    return site;
  }

  openShare(key: string | undefined, sites: readonly string[]): void {
    if (key === undefined) return;
    const link = this.store.find('shareLink', 'share', key);
    if (link === undefined || !link.active || !sites.includes(link.site)) throw notFound('share link');
    this.shareLink = link;
    this.#publications.clear();
  }

  onSite<K extends keyof typeof siteObjects>(kind: K, site: SiteRow, id: string): Rows[K] {
    const row = this.store.get(kind, id);
    if (row === undefined || row.site !== site.id) throw notFound(siteObjects[kind].noun);
    return row;
  }

  /** The object that the path names, and its site, for a change. */
  siteObject<K extends keyof typeof siteObjects>(kind: K, params: PathParams): [SiteRow, Rows[K]] {
    const site = this.site(params, 'create');
    return [site, this.onSite(kind, site, params[siteObjects[kind].param] ?? '')];
  }

  orgObject<K extends keyof typeof orgObjects>(kind: K, params: PathParams, least: Role): Rows[K] {
    const org = this.org(params.organizationId ?? '', least);
    const { param, noun, isKey } = orgObjects[kind];
    const name = params[param] ?? '';
    const row = isKey ? this.store.find(kind, org.id, name) : this.store.get(kind, name);
    if (row === undefined || row.org !== org.id) throw notFound(noun);
    return row;
  }

  rankOn(content: CollectionRow | SpaceRow): number {
    const member = this.memberOf(content.org);
    return member === undefined ? 0 : rankOf(levelOf(this, member, content));
  }

  collection(id: string, least: Role): CollectionRow {
    const collection = this.store.get('collection', id);
    if (collection === undefined || this.rankOn(collection) === 0) throw notFound('collection');
    this.#demandOn(collection, least);
    return collection;
  }

  finds(space: SpaceRow): boolean {
    const member = this.memberOf(space.org);
    return member !== undefined && findsSpace(this, member, space);
  }

  space(id: string, least: Role): SpaceRow {
    const space = this.anySpace(id, least);
    if (space.deletedAt !== undefined) throw notFound('space');
    return space;
  }

  /** Deleted or not; only admins see deleted ones. */
  anySpace(id: string, least: Role): SpaceRow {
    const space = this.store.get('space', id);
    if (space === undefined || !this.finds(space)) throw notFound('space');
    this.#demandOn(space, least);
    return space;
  }

  #demandOn(content: CollectionRow | SpaceRow, least: Role): void {
    if (this.rankOn(content) < rankOf(least)) throw forbidden(`requires level ${least} on the content`);
  }
}

/** Always random from a cryptographic source, even if ids are not. */
export function randomSecret(prefix: string): string {
  return `${prefix}_${randomBytes(18).toString('base64url')}`;
}

export function randomText(random: () => number, length: number): string {
  const letters = 'abcdefghijklmnopqrstuvwxyz0123456789';
  let text = '';
  for (let at = 0; at < length; at += 1) text += letters[Math.floor(random() * letters.length)] ?? 'a';
  return text;
}
