/**
 * What a handler gets beside its input: the store, the clock, new ids, the caller, and the checks of who may do what.
 * A member of one organization learns nothing of another: what is not theirs is not found.
 */
import { randomBytes } from 'node:crypto';
import { type OperationId, operationOf } from '../contract/index.ts';
import { findsSpace, levelOf, rankOf } from './access.ts';
import { forbidden, notFound } from './errors.ts';
import type { Prepared } from './preparing.ts';
import type { CollectionRow, MemberRow, OrgRow, Role, SpaceRow } from './rows.ts';
import type { GroupRow, SectionRow, ShareLinkRow, SiteRow, SiteSpaceRow } from './site-rows.ts';
import type { Store } from './store.ts';
import type { Variants } from './variants.ts';
import type { Publication } from './views/published.ts';

/** What a context is made from. */
export interface ContextOptions {
  readonly store: Store;
  readonly now: Date;
  readonly random: () => number;
  readonly base: string;
  readonly user: string;
  readonly operation: OperationId;
  readonly variants: Variants;
  readonly prepared: Prepared;
}

/** One request's view of the service. Lives as long as the request's transaction. */
export class Context {
  readonly store: Store;
  readonly now: Date;
  /** Where the service is reached, without a slash at the end. */
  readonly base: string;
  /** Id of the calling user. */
  readonly user: string;
  readonly operation: OperationId;
  /** What this service does where the document is silent. */
  readonly variants: Variants;
  /** What was fetched and parsed for the operation before its transaction began. */
  readonly prepared: Prepared;
  /** Status to answer with instead of the one that the document lists. */
  status: number | undefined;
  /** Path of what was made, where it is not the request's path and the id. */
  location: string | undefined;
  /** The share link whose key the request has; it opens the published addresses of its site. */
  shareLink: ShareLinkRow | undefined;
  readonly #random: () => number;
  readonly #publications = new Map<string, Publication>();
  readonly #members = new Map<string, MemberRow | undefined>();

  constructor(options: ContextOptions) {
    this.store = options.store;
    this.now = options.now;
    this.base = options.base;
    this.user = options.user;
    this.operation = options.operation;
    this.variants = options.variants;
    this.prepared = options.prepared;
    this.#random = options.random;
  }

  /** Time of the request, ISO 8601. */
  get at(): string {
    return this.now.toISOString();
  }

  /**
   * Where a space is published. Reads find that out once for each space: many entries of a list may show the same one, which as many
   * sites may publish. Writes look each time, since they change it.
   */
  publication(space: string, find: () => Publication): Publication {
    if (operationOf(this.operation).method !== 'GET') return find();
    const known = this.#publications.get(space) ?? find();
    this.#publications.set(space, known);
    return known;
  }

  /** A new id with that prefix. */
  id(prefix: string): string {
    return `${prefix}_${randomText(this.#random, 12)}`;
  }

  /** A new secret with that prefix: of a cryptographic source, whatever ids are made from. */
  secret(prefix: string): string {
    return randomSecret(prefix);
  }

  /** The caller as a member of that organization, if they are one. */
  memberOf(org: string): MemberRow | undefined {
    if (!this.#members.has(org)) {
      const member = this.store.get('member', `${org}/${this.user}`);
      this.#members.set(org, member?.disabled === true ? undefined : member);
    }
    return this.#members.get(org);
  }

  /** Rank of the caller in an organization; -1 for a stranger. */
  rankIn(org: string): number {
    const member = this.memberOf(org);
    return member === undefined ? -1 : rankOf(member.role);
  }

  /** The organization, for a caller with at least that role (null: guests too). */
  org(id: string, least: Role | null): OrgRow {
    const org = this.store.get('org', id);
    if (org === undefined || this.memberOf(id) === undefined) throw notFound('organization');
    this.demand(id, least);
    return org;
  }

  /** Refuses a caller whose role in the organization is less. */
  demand(org: string, least: Role | null): void {
    if (this.rankIn(org) < rankOf(least)) throw forbidden(`requires role ${least} in the organization`);
  }

  /** The site of an organization, for a caller with at least that role. */
  site(params: Readonly<Record<string, string>>, least: Role): SiteRow {
    const org = this.org(params.organizationId ?? '', least);
    const site = this.store.get('site', params.siteId ?? '');
    if (site === undefined || site.org !== org.id) throw notFound('site');
    return site;
  }

  /** Takes the share key of a request, if it has one. Throws a 404 where it opens none of these sites. */
  openShare(key: string | undefined, sites: readonly string[]): void {
    if (key === undefined) return;
    const link = this.store.find('shareLink', 'share', key);
    if (link === undefined || !link.active || !sites.includes(link.site)) throw notFound('share link');
    this.shareLink = link;
    this.#publications.clear();
  }

  /** A section of a site. */
  section(site: SiteRow, id: string): SectionRow {
    const section = this.store.get('section', id);
    if (section === undefined || section.site !== site.id) throw notFound('site section');
    return section;
  }

  /** A section group of a site. */
  group(site: SiteRow, id: string): GroupRow {
    const group = this.store.get('group', id);
    if (group === undefined || group.site !== site.id) throw notFound('site section group');
    return group;
  }

  /** A site-space of a site. */
  siteSpace(site: SiteRow, id: string): SiteSpaceRow {
    const siteSpace = this.store.get('siteSpace', id);
    if (siteSpace === undefined || siteSpace.site !== site.id) throw notFound('site space');
    return siteSpace;
  }

  /** Rank of the caller on content; 0 when they may not see it. */
  rankOn(content: CollectionRow | SpaceRow): number {
    const member = this.memberOf(content.org);
    return member === undefined ? 0 : rankOf(levelOf(this.store, member, content));
  }

  /** A collection, for a caller with at least that level on it. */
  collection(id: string, least: Role): CollectionRow {
    const collection = this.store.get('collection', id);
    if (collection === undefined || this.rankOn(collection) === 0) throw notFound('collection');
    this.#demandOn(collection, least);
    return collection;
  }

  /** True when the caller finds a space. */
  finds(space: SpaceRow): boolean {
    const member = this.memberOf(space.org);
    return member !== undefined && findsSpace(this.store, member, space);
  }

  /** A space that is not deleted, for a caller with at least that level on it. */
  space(id: string, least: Role): SpaceRow {
    const space = this.anySpace(id, least);
    if (space.deletedAt !== undefined) throw notFound('space');
    return space;
  }

  /** A space, deleted or not; only admins see deleted ones. */
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

/** Text that nobody can guess, with that prefix. */
export function randomSecret(prefix: string): string {
  return `${prefix}_${randomBytes(18).toString('base64url')}`;
}

/** Random letters and digits. */
export function randomText(random: () => number, length: number): string {
  const letters = 'abcdefghijklmnopqrstuvwxyz0123456789';
  let text = '';
  for (let at = 0; at < length; at += 1) text += letters[Math.floor(random() * letters.length)] ?? 'a';
  return text;
}
