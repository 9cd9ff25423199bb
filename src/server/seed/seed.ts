/**
 * Seeds: a live state as JSON, put into an empty store. Missing ids are generated; order is as written. Used in tests, demos and
 * `octavo serve --seed`.
 */
import { createHash } from 'node:crypto';
import { defined } from '../../util/defined.ts';
import { picked } from '../../util/picked.ts';
import { randomText } from '../context.ts';
import type { Rows } from '../store/rows.ts';
import type { Store } from '../store/store.ts';
import { type Seeder, seedContent } from './content.ts';
import type { Seed, SeedMember, SeedOrganization } from './seed-file.ts';
import { seedSite } from './site.ts';

export interface Seeding {
  readonly store: Store;
  readonly now: Date;
  readonly random: () => number;
  readonly token: string;
}

export const defaultOwner = { id: 'user_owner', email: 'owner@octavo.example', displayName: 'Token owner' };

export function tokenId(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

export function loadSeed(seed: Seed, options: Seeding): void {
  const { store, now, random, token } = options;
  const at = now.toISOString();
  const owner = { ...defaultOwner, ...seed.owner };
  const seeder: Seeder = {
    store,
    now,
    at,
    times: { createdAt: at, updatedAt: at },
    owner: owner.id,
    id: (given, prefix) => given ?? `${prefix}_${randomText(random, 12)}`,
    put: (kind, row) => store.put(kind, { ...row, order: row.order ?? store.next() } as Rows[typeof kind]),
  };
  store.write(() => {
    if (store.get('user', owner.id) === undefined) {
      seeder.put('user', { id: owner.id, org: '', email: owner.email, displayName: owner.displayName });
    }
    seeder.put('token', { id: tokenId(token), org: '', user: owner.id, isStart: true });
    store.setMeta('owner', owner.id);
    for (const org of seed.organizations) {
      seedOrganization(seeder, org, { email: owner.email, displayName: owner.displayName, role: 'admin' });
    }
  });
}

function seedOrganization(seeder: Seeder, seed: SeedOrganization, owner: SeedMember): void {
  const org = seeder.id(seed.id, 'org');
  seeder.put('org', {
    id: org,
    org,
    title: seed.title,
    createdAt: seeder.at,
    emailDomains: [...(seed.emailDomains ?? [])],
    type: seed.type ?? 'business',
    defaultRole: seed.defaultRole ?? null,
    sso: seed.sso ?? false,
    ai: seed.ai ?? false,
    inviteLinks: seed.inviteLinks ?? false,
    plan: seed.plan ?? 'free_2024',
    ...defined(picked(seed, 'hostname', 'useCase', 'defaultSite', 'logo', 'mergeRules')),
  });
  const { members = [] } = seed;
  // The owner comes first unless the seed lists them.
  const isListed = members.some(({ email }) => email === owner.email);
  const users = seedMembers(seeder, org, isListed ? members : [owner, ...members]);
  for (const team of seed.teams ?? []) seedTeam(seeder, org, team, users);
  seedSettings(seeder, org, seed);
  const content = [...(seed.content ?? []), ...(seed.collections ?? []), ...(seed.spaces ?? [])];
  seedContent(seeder, org, null, content);
  for (const site of seed.sites ?? []) seedSite(seeder, org, site);
}

function seedMembers(seeder: Seeder, org: string, members: readonly SeedMember[]) {
  const users = new Map<string, string>();
  for (const [at, member] of members.entries()) {
    const user = seedMember(seeder, org, member, at);
    users.set(member.email, user).set(user, user);
  }
  return users;
}

function seedMember(seeder: Seeder, org: string, seed: SeedMember, at: number): string {
  const known = seeder.store.find('user', 'user', seed.email.toLowerCase());
  const user = known ?? {
    id: seeder.id(seed.id, 'user'),
    org: '',
    email: seed.email,
    displayName: seed.displayName ?? seed.email.replace(/@.*/, ''),
  };
  if (known === undefined) seeder.put('user', user);
  const joinedAt = seed.joinedAt ?? new Date(seeder.now.getTime() + at).toISOString();
  seeder.put('member', {
    id: `${org}/${user.id}`,
    org,
    user: user.id,
    role: seed.role,
    displayName: user.displayName,
    email: user.email,
    disabled: seed.disabled ?? false,
    joinedAt,
    sso: seed.sso ?? false,
    teams: 0,
    order: Date.parse(joinedAt),
    ...defined({ lastSeenAt: seed.lastSeenAt }),
  });
  if (seed.token !== undefined) seeder.put('token', { id: tokenId(seed.token), org: '', user: user.id });
  return user.id;
}

function seedTeam(
  seeder: Seeder,
  org: string,
  seed: NonNullable<SeedOrganization['teams']>[number],
  users: ReadonlyMap<string, string>,
): void {
  const team = seeder.id(seed.id, 'team');
  const members = Object.entries(seed.members ?? {});
  seeder.put('team', { id: team, org, title: seed.title, createdAt: seeder.at, members: members.length });
  for (const [name, role] of members) {
    const user = users.get(name);
    if (user === undefined) throw new Error(`seed: "${name}" in team "${seed.title}" is not a member`);
    seeder.put('teamMember', { id: `${team}/${user}`, org, team, user, role });
    const member = seeder.store.get('member', `${org}/${user}`);
    if (member !== undefined) seeder.store.put('member', { ...member, teams: member.teams + 1 });
  }
}

function seedSettings(seeder: Seeder, org: string, seed: SeedOrganization): void {
  const { times } = seeder;
  for (const { options, ...field } of seed.customFields ?? []) {
    seeder.put('customField', {
      title: '',
      description: '',
      placeholder: '',
      ...field,
      ...defined({ options: options && [...options] }),
      id: seeder.id(field.id, 'field'),
      org,
      ...times,
    });
  }
  for (const provider of seed.samlProviders ?? []) {
    const id = seeder.id(provider.id, 'saml');
    seeder.put('saml', { defaultRole: null, ...provider, id, org, createdAt: seeder.at });
  }
  for (const invite of seed.linkInvites ?? []) {
    const id = seeder.id(invite.id, 'inv');
    seeder.put('invite', { id, org, role: invite.role, redundant: invite.redundant ?? false });
  }
  for (const one of seed.translations ?? []) {
    const id = seeder.id(one.id, 'tr');
    seeder.put('translation', { id, org, title: one.title, languages: [...(one.languages ?? [])], ...times });
  }
  for (const spec of seed.openapi ?? []) seedSpec(seeder, org, spec);
}

function seedSpec(seeder: Seeder, org: string, seed: NonNullable<SeedOrganization['openapi']>[number]): void {
  const spec = seeder.id(seed.id, 'spec');
  let lastVersion: string | undefined;
  for (const content of seed.versions ?? []) {
    lastVersion = seeder.id(undefined, 'specv');
    const url = seed.url ?? `https://files.octavo.example/${lastVersion}.json`;
    seeder.put('specVersion', { id: lastVersion, org, spec, url, createdAt: seeder.at, content });
  }
  seeder.put('spec', {
    id: spec,
    org,
    slug: seed.slug,
    processingState: lastVersion === undefined ? 'pending' : 'complete',
    ...seeder.times,
    ...defined({
      sourceURL: seed.url,
      visibility: seed.visibility,
      lastVersion,
      lastProcessedAt: lastVersion && seeder.at,
    }),
  });
}
