/**
 * What a handler gets beside its input: the store, the clock, new ids, the caller, and the checks of who may do what.
 * A member of one organization learns nothing of another: what is not theirs is not found.
 */
import type { OperationId } from '../contract/index.ts';
import { forbidden, notFound } from './errors.ts';
import type { CollectionRow, Level, MemberRow, OrgRow, Role, SpaceRow } from './rows.ts';
import type { GroupRow, SectionRow, SiteRow, SiteSpaceRow } from './site-rows.ts';
import type { Store } from './store.ts';
import type { Variants } from './variants.ts';

const ranks: Readonly<Record<Role, number>> = {
  admin: 6,
  create: 5,
  review: 4,
  edit: 3,
  comment: 2,
  read: 1,
};

/** Rank of a role, so that a greater one may do more; a guest has none. */
export function rankOf(role: Role | null): number {
  return role === null ? 0 : ranks[role];
}

/** What a context is made from. */
export interface ContextOptions {
  readonly store: Store;
  readonly now: Date;
  readonly random: () => number;
  readonly base: string;
  readonly user: string;
  readonly operation: OperationId;
  readonly variants: Variants;
  readonly fetched: unknown;
}

/** One request's view of the service. Lives as long as the request's transaction. */
export class Context {
  readonly store: Store;
  /** Time of the request, ISO 8601. */
  readonly at: string;
  readonly now: Date;
  /** Where the service is reached, without a slash at the end. */
  readonly base: string;
  /** Id of the calling user. */
  readonly user: string;
  readonly operation: OperationId;
  /** What this service does where the document is silent. */
  readonly variants: Variants;
  /** What was fetched for the operation before its transaction began. */
  readonly fetched: unknown;
  /** Status to answer with instead of the one that the document lists. */
  status: number | undefined;
  /** Path of what was made, where it is not the request's path and the id. */
  location: string | undefined;
  readonly #random: () => number;
  readonly #members = new Map<string, MemberRow | undefined>();

  constructor(options: ContextOptions) {
    this.store = options.store;
    this.now = options.now;
    this.at = options.now.toISOString();
    this.base = options.base;
    this.user = options.user;
    this.operation = options.operation;
    this.variants = options.variants;
    this.fetched = options.fetched;
    this.#random = options.random;
  }

  /** A new id with that prefix. */
  id(prefix: string): string {
    return `${prefix}_${randomText(this.#random, 12)}`;
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

  /** The level that a member has on content: admins have all, `inherit` looks up to the organization's role. */
  levelOf(
    member: MemberRow,
    content: { readonly defaultLevel: Level; readonly parent: string | null },
  ): Role | null {
    if (member.role === 'admin') return 'admin';
    if (member.role === null) return null;
    if (content.defaultLevel !== 'inherit') return content.defaultLevel;
    if (content.parent === null) return member.role;
    const parent = this.store.get('collection', content.parent);
    return parent === undefined ? member.role : this.levelOf(member, parent);
  }

  /** Rank of the caller on content; 0 when they may not see it. */
  rankOn(content: CollectionRow | SpaceRow): number {
    const member = this.memberOf(content.org);
    return member === undefined ? 0 : rankOf(this.levelOf(member, content));
  }

  /** A collection, for a caller with at least that level on it. */
  collection(id: string, least: Role): CollectionRow {
    const collection = this.store.get('collection', id);
    if (collection === undefined || this.rankOn(collection) === 0) throw notFound('collection');
    this.#demandOn(collection, least);
    return collection;
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
    if (space === undefined || this.rankOn(space) === 0) throw notFound('space');
    if (space.deletedAt !== undefined && this.rankIn(space.org) < ranks.admin) throw notFound('space');
    this.#demandOn(space, least);
    return space;
  }

  #demandOn(content: CollectionRow | SpaceRow, least: Role): void {
    if (this.rankOn(content) < ranks[least]) throw forbidden(`requires level ${least} on the content`);
  }
}

/** Random letters and digits. */
export function randomText(random: () => number, length: number): string {
  const letters = 'abcdefghijklmnopqrstuvwxyz0123456789';
  let text = '';
  for (let at = 0; at < length; at += 1) text += letters[Math.floor(random() * letters.length)] ?? 'a';
  return text;
}
