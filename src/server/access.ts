/** The single rule for read and write access to content: roles, levels, and deletion. */
import type { Form } from '../contract/form.ts';
import type { CollectionRow, Level, MemberRow, Role, SiteRow, SpaceRow } from './store/rows.ts';
import type { Seen } from './store/slice.ts';
import type { Store } from './store/store.ts';
import type { Variants } from './variants.ts';

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

function better(one: Role | null | undefined, other: Role | null | undefined): Role | null | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return rankOf(other) > rankOf(one) ? other : one;
}

export interface Levels {
  readonly store: Store;
  readonly variants: Variants;
  readonly form: Form;
}

interface Said {
  readonly role: Role | null;
  readonly reason: 'member' | 'team' | 'default';
  readonly team?: string;
}

type LevelledRow = CollectionRow | SpaceRow;

export function onContent(row: LevelledRow): string {
  return `${'revision' in row ? 'space' : 'collection'}/${row.id}`;
}

function said(store: Store, { org, user, role }: MemberRow, on: string, level: Level): Said | undefined {
  if (store.has('grant')) {
    const own = store.get('grant', `${on} user/${user}`);
    if (own !== undefined) return { role: own.role, reason: 'member' };
    const given = store
      .owned('teamMember', `${org}/${user}`)
      .flatMap(({ team }) => store.get('grant', `${on} team/${team}`) ?? []);
    const [best] = given.sort((left, right) => rankOf(right.role) - rankOf(left.role));
    if (best !== undefined) return { role: best.role, reason: 'team', team: best.to.slice('team/'.length) };
  }
  return level === 'inherit' || role === null ? undefined : { role: level, reason: 'default' };
}

/** False if the service combines levels, which only newer ones do. */
function isNearest({ variants, form }: Levels): boolean {
  return form !== '2026' || variants['grants-combine'] === 'nearest';
}

/**
 * Admins have full access. Otherwise, the innermost level of the space and its collections applies (or the highest, if levels combine),
 * then the role in the organization.
 */
export function levelOf(levels: Levels, member: MemberRow, content: LevelledRow): Role | null {
  if (member.role === 'admin') return 'admin';
  const { store } = levels;
  let highest: Role | null | undefined;
  for (
    let one: LevelledRow | undefined = content;
    one !== undefined;
    one = store.get('collection', one.parent ?? '')
  ) {
    const here = said(store, member, onContent(one), one.defaultLevel);
    if (here !== undefined && isNearest(levels)) return here.role;
    highest = better(highest, here?.role);
    if (one !== content) continue;
    for (const { role } of saidBySites(levels, member, content)) highest = better(highest, role);
    if (highest !== undefined && isNearest(levels)) return highest;
  }
  return better(highest, member.role) ?? null;
}

/** Levels from the sites that show the space, if the variant uses them. */
function saidBySites({ store, variants }: Levels, member: MemberRow, { id }: LevelledRow): readonly Said[] {
  if (variants['site-levels'] === 'site') return [];
  return store.tagged('siteSpace', id).flatMap(({ site }) => {
    const row = store.get('site', site);
    const { defaultLevel: level = 'inherit' } = row ?? {};
    return (row && said(store, member, `site/${site}`, level)) ?? [];
  });
}

/** A person's level on a site; undefined if only the role in the organization applies. */
export function saidOnSite({ store }: Levels, member: MemberRow, site: SiteRow): Said | undefined {
  if (member.role === 'admin') return undefined;
  const { defaultLevel: level = 'inherit' } = site;
  return said(store, member, `site/${site.id}`, level);
}

export function sitesSeenBy(levels: Levels, member: MemberRow): Seen | undefined {
  if (member.role === 'admin') return undefined;
  const sites = levels.store.children('site', member.org);
  const seen = sites.filter((site) => saidOnSite(levels, member, site)?.role !== null);
  return seen.length === sites.length ? undefined : { type: 'ids', ids: seen.map(({ id }) => id) };
}

export function findsSpace(levels: Levels, member: MemberRow, space: SpaceRow): boolean {
  if (space.deletedAt !== undefined && member.role !== 'admin') return false;
  return levelOf(levels, member, space) !== null;
}

/** The same rule for lists, without deleted content; undefined without a role. */
export function seenBy(levels: Levels, member: MemberRow | undefined): Seen | undefined {
  if (member === undefined) return undefined;
  if (member.role === 'admin') return { type: 'all' };
  const { store } = levels;
  if (!store.has('grant') && isNearest(levels) && levels.variants['site-levels'] === 'site')
    return member.role === null ? undefined : { type: 'open', org: member.org };
  const spaces = store.owned('space', member.org).filter((space) => findsSpace(levels, member, space));
  return { type: 'ids', ids: spaces.map(({ id }) => id) };
}

/** Sets the level of a team or a person; undefined removes it. */
export function putGrant(
  store: Store,
  { org, on, to }: { readonly org: string; readonly on: string; readonly to: string },
  role: Role | null | undefined,
): void {
  const id = `${on} ${to}`;
  if (role === undefined) store.remove('grant', id);
  else store.put('grant', { order: store.get('grant', id)?.order ?? store.next(), id, org, on, to, role });
}

export function dropGrantsOn(store: Store, on: string): void {
  for (const { id } of store.children('grant', on)) store.remove('grant', id);
}

export function dropGrantsTo(store: Store, org: string, to: string): void {
  for (const row of store.owned('grant', to)) if (row.org === org) store.remove('grant', row.id);
}
