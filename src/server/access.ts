/** The one rule of who may read and change content: roles, levels, and deletion. */
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

export function rankOf(role: Role | null): number {
  return role === null ? 0 : ranks[role];
}

export interface Levelled {
  readonly defaultLevel: Level;
  readonly parent: string | null;
}

/** Admins have all; `inherit` means the level of the parent, up to the organization's role; null is none. */
export function levelOf(store: Store, member: MemberRow, content: Levelled): Role | null {
  if (member.role === 'admin') return 'admin';
  if (member.role === null) return null;
  if (content.defaultLevel !== 'inherit') return content.defaultLevel;
  const parent = content.parent === null ? undefined : store.get('collection', content.parent);
  return parent === undefined ? member.role : levelOf(store, member, parent);
}

export function findsSpace(store: Store, member: MemberRow, space: SpaceRow): boolean {
  if (space.deletedAt !== undefined && member.role !== 'admin') return false;
  return levelOf(store, member, space) !== null;
}

/** The same rule for lists, without deleted content; undefined without a role. */
export function seenBy(member: MemberRow | undefined): Seen | undefined {
  if (member === undefined || member.role === null) return undefined;
  return member.role === 'admin' ? { type: 'all' } : { type: 'open', org: member.org };
}
