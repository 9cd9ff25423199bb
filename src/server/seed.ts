/**
 * Seeds: a live state described as JSON, and the function that puts it into an empty store. Ids that are left out are made
 * up; order is as written. For tests, demos and `octavo serve --seed`.
 */
import { createHash } from 'node:crypto';
import { defined } from '../util/defined.ts';
import { randomText } from './context.ts';
import type { MemberRow, Role, Rows, TeamMemberRow } from './rows.ts';
import { type SeedCollection, type SeedSpace, seedContent } from './seed-content.ts';
import { type SeedSite, seedSite } from './seed-site.ts';
import type { Store } from './store.ts';

/** A person in an organization. People with the same e-mail address in several organizations are one. */
export interface SeedMember {
  readonly id?: string;
  readonly email: string;
  readonly displayName?: string;
  /** null is a guest. */
  readonly role: Role | null;
  readonly sso?: boolean;
  readonly disabled?: boolean;
  readonly joinedAt?: string;
  readonly lastSeenAt?: string;
  /** A token of this person; the same in every organization. */
  readonly token?: string;
}

/** An organization with everything in it. */
export interface SeedOrganization {
  readonly id?: string;
  readonly title: string;
  readonly hostname?: string;
  readonly emailDomains?: readonly string[];
  readonly type?: string;
  readonly useCase?: string;
  readonly plan?: string;
  readonly defaultRole?: Role | null;
  /** Id of a seeded site. */
  readonly defaultSite?: string;
  readonly sso?: boolean;
  readonly ai?: boolean;
  readonly inviteLinks?: boolean;
  readonly logo?: string;
  readonly members?: readonly SeedMember[];
  readonly teams?: readonly {
    readonly id?: string;
    readonly title: string;
    /** Roles by e-mail address or id of a member. */
    readonly members?: Readonly<Record<string, 'owner' | 'member'>>;
  }[];
  readonly customFields?: readonly {
    readonly id?: string;
    readonly name: string;
    readonly type: string;
    readonly title?: string;
    readonly description?: string;
    readonly placeholder?: string;
    readonly options?: readonly string[];
  }[];
  readonly samlProviders?: readonly {
    readonly id?: string;
    readonly label: string;
    readonly entityID?: string;
    readonly certificate?: string;
    readonly ssoURL?: string;
    /** Id of a seeded team. */
    readonly defaultTeam?: string;
    readonly defaultRole?: Role | null;
  }[];
  readonly linkInvites?: readonly {
    readonly id?: string;
    readonly role: Role;
    readonly redundant?: boolean;
  }[];
  readonly openapi?: readonly {
    readonly id?: string;
    readonly slug: string;
    readonly url?: string;
    /** One version each, oldest first. */
    readonly versions?: readonly unknown[];
  }[];
  readonly translations?: readonly {
    readonly id?: string;
    readonly title: string;
    readonly languages?: readonly string[];
  }[];
  /** Content of the root: collections and spaces in one order. */
  readonly content?: readonly (SeedCollection | SeedSpace)[];
  /** Collections of the root; they follow `content`. */
  readonly collections?: readonly SeedCollection[];
  /** Spaces of the root; they follow `collections`. */
  readonly spaces?: readonly SeedSpace[];
  readonly sites?: readonly SeedSite[];
}

/** A live state. */
export interface Seed {
  readonly organizations: readonly SeedOrganization[];
  /** The owner of the service's token: an admin of every organization of the seed. */
  readonly owner?: { readonly id?: string; readonly email: string; readonly displayName?: string };
}

/** What a seed is put in with. */
export interface Seeding {
  readonly store: Store;
  readonly now: Date;
  readonly random: () => number;
  readonly token: string;
}

/** What the parts of seeding share. */
export interface Seeder {
  readonly store: Store;
  readonly at: string;
  readonly now: Date;
  /** The given id, or a new one with that prefix. */
  id(given: string | undefined, prefix: string): string;
  put<K extends keyof Rows>(kind: K, row: Omit<Rows[K], 'order'> & { order?: number }): void;
  /** Id of the user who wrote what has no author. */
  readonly owner: string;
}

const defaultOwner = { id: 'user_owner', email: 'owner@octavo.example', displayName: 'Token owner' };

/** The id under which a token is kept. */
export function tokenId(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

/** Puts a seed into an empty store, in one transaction. */
export function loadSeed(seed: Seed, options: Seeding): void {
  const { store, now, random, token } = options;
  const owner = { ...defaultOwner, ...seed.owner };
  const seeder: Seeder = {
    store,
    now,
    at: now.toISOString(),
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
    ...defined({
      hostname: seed.hostname,
      useCase: seed.useCase,
      defaultSite: seed.defaultSite,
      logo: seed.logo,
    }),
  });
  const users = seedMembers(seeder, org, membersWith(owner, seed.members ?? []));
  for (const team of seed.teams ?? []) seedTeam(seeder, org, team, users);
  seedSettings(seeder, org, seed);
  const content = [...(seed.content ?? []), ...(seed.collections ?? []), ...(seed.spaces ?? [])];
  seedContent(seeder, org, null, content);
  for (const site of seed.sites ?? []) seedSite(seeder, org, site);
}

/** The members of a seed, the owner first where the seed does not list them. */
function membersWith(owner: SeedMember, members: readonly SeedMember[]): readonly SeedMember[] {
  return members.some(({ email }) => email === owner.email) ? members : [owner, ...members];
}

/** Ids of the users, by e-mail address and by id. */
function seedMembers(
  seeder: Seeder,
  org: string,
  members: readonly SeedMember[],
): ReadonlyMap<string, string> {
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
  const row: MemberRow = {
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
  };
  seeder.put('member', row);
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
    const row: Omit<TeamMemberRow, 'order'> = { id: `${team}/${user}`, org, team, user, role };
    seeder.put('teamMember', row);
    const member = seeder.store.get('member', `${org}/${user}`);
    if (member !== undefined) seeder.store.put('member', { ...member, teams: member.teams + 1 });
  }
}

function seedSettings(seeder: Seeder, org: string, seed: SeedOrganization): void {
  const times = { createdAt: seeder.at, updatedAt: seeder.at };
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
    createdAt: seeder.at,
    updatedAt: seeder.at,
    ...defined({ sourceURL: seed.url, lastVersion, lastProcessedAt: lastVersion && seeder.at }),
  });
}
