/** The one rule of who sees content and what they may do with it: roles, levels, and what is deleted. */
import type { Level, MemberRow, Role, SpaceRow } from './rows.ts';
import type { Seen } from './slice.ts';
import type { Store } from './store.ts';

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

/** What has a level: a collection or a space. */
export interface Levelled {
  readonly defaultLevel: Level;
  readonly parent: string | null;
}

/** The level that a member has on content: admins have all, `inherit` looks up to the organization's role; null is none. */
export function levelOf(store: Store, member: MemberRow, content: Levelled): Role | null {
  if (member.role === 'admin') return 'admin';
  if (member.role === null) return null;
  if (content.defaultLevel !== 'inherit') return content.defaultLevel;
  const parent = content.parent === null ? undefined : store.get('collection', content.parent);
  return parent === undefined ? member.role : levelOf(store, member, parent);
}

/** True when a member finds a space: they have a level on it, and only admins find deleted ones. */
export function findsSpace(store: Store, member: MemberRow, space: SpaceRow): boolean {
  if (space.deletedAt !== undefined && member.role !== 'admin') return false;
  return levelOf(store, member, space) !== null;
}

/** The same rule for lists: which spaces and collections a member finds, without deleted ones; undefined for none. */
export function seenBy(member: MemberRow | undefined): Seen | undefined {
  if (member === undefined || member.role === null) return undefined;
  return member.role === 'admin' ? { type: 'all' } : { type: 'open', org: member.org };
}
