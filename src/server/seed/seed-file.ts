/** Reads seeds from JSON files; errors name the path of the first wrong value. */
import * as z from 'zod';
import { roles, siteVisibilities } from '../../contract/index.ts';
import { each } from '../../util/data-schema.ts';

const text = z.string().exactOptional();
const flag = z.boolean().exactOptional();
const role = z.enum(roles);
const roleOrNull = role.nullable().exactOptional();
const level = z
  .enum([...roles, 'inherit'])
  .nullable()
  .exactOptional();

function list<T extends z.ZodType>(item: T) {
  return z.array(item).readonly().exactOptional();
}

const named = { id: text, title: z.string() };

const leaf = z.strictObject({
  ...named,
  markdown: text,
  type: z.enum(['document', 'group', 'link', 'computed']).exactOptional(),
  spec: text,
});

/** The path follows from the titles of the page and its parents. */
export interface SeedPage extends z.infer<typeof leaf> {
  readonly pages?: readonly SeedPage[];
}

const page: z.ZodType<SeedPage> = leaf.extend({ pages: list(z.lazy(() => page)) });

const comment = z.strictObject({
  id: text,
  markdown: z.string(),
  page: text,
  resolved: flag,
  replies: list(z.strictObject({ id: text, markdown: z.string() })),
});

/** The form used in requests. */
const mergeRules = z
  .looseObject({
    type: z.string(),
    rules: z
      .array(z.looseObject({ rule: z.string(), users: z.array(z.string()).exactOptional() }))
      .exactOptional(),
  })
  .exactOptional();

/** Teams by id, and people by id or e-mail address. */
const access = z
  .strictObject({
    teams: z.record(z.string(), role.nullable()).exactOptional(),
    users: z.record(z.string(), role.nullable()).exactOptional(),
  })
  .exactOptional();

const gitSync = z
  .strictObject({
    repoName: z.string(),
    installationStatus: z.enum(['active', 'pending', 'unauthenticated']).exactOptional(),
    parentInstallationId: text,
  })
  .exactOptional();

const space = z.strictObject({
  id: text,
  title: z.string().max(50),
  emoji: text,
  defaultLevel: level,
  access,
  editMode: z.enum(['live', 'locked']).exactOptional(),
  language: text,
  mergeRules,
  gitSync,
  deletedAt: text,
  pages: list(page),
  files: list(
    z.strictObject({ id: text, name: z.string(), contentType: text, size: z.number().exactOptional() }),
  ),
  reusableContents: list(z.strictObject({ ...named, document: text })),
  customFields: z
    .record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.array(z.string()).readonly()]))
    .exactOptional(),
  changeRequests: list(
    z.strictObject({
      ...each(text, 'id', 'subject'),
      status: z.enum(['draft', 'open', 'archived', 'merged']).exactOptional(),
      pages: list(page),
      comments: list(comment),
    }),
  ),
});

const shelf = z.strictObject({
  type: z.literal('collection'),
  id: text,
  title: z.string().max(50),
  description: z.string().max(100).exactOptional(),
  defaultLevel: level,
  access,
  spaces: list(space),
});

/** `collections` come after `content`, and `spaces` after those. */
export interface SeedCollection extends z.infer<typeof shelf> {
  readonly content?: readonly (SeedCollection | SeedSpace)[];
  readonly collections?: readonly SeedCollection[];
}

const collection: z.ZodType<SeedCollection> = shelf.extend({
  content: list(z.lazy(() => z.union([collection, space]))),
  collections: list(z.lazy(() => collection)),
});

/** Keyed by the id of a seeded space. The first space is the default unless another one is. */
const localized = z.record(z.string(), z.string()).exactOptional();

const siteSpace = z.strictObject({
  ...each(flag, 'hidden', 'draft'),
  ...each(text, 'pageId', 'id'),
  space: z.string(),
  ...each(text, 'path', 'condition'),
  default: flag,
});

const entry = {
  ...each(text, 'description', 'condition', 'icon'),
  draft: flag,
  ...each(localized, 'localizedTitle', 'localizedDescription'),
};

const section = z.strictObject({
  ...named,
  path: text,
  ...entry,
  default: flag,
  spaces: z.array(siteSpace).min(1).readonly(),
});

const link = z.strictObject({ ...named, url: z.string(), ...entry });

const flatGroup = z.strictObject({
  ...named,
  icon: text,
  draft: flag,
  localizedTitle: localized,
  sections: z.array(z.union([section, link])).readonly(),
});

const group = flatGroup.extend({ sections: z.array(z.union([section, link, flatGroup])).readonly() });
const redirect = z.strictObject({
  id: text,
  source: z.string(),
  destination: z.union([
    z.strictObject({ kind: z.literal('external'), url: z.string() }),
    z.strictObject({ kind: z.literal('site-section'), siteSectionId: z.string() }),
    z.strictObject({ kind: z.literal('site-space'), siteSpaceId: z.string() }),
    z.strictObject({ kind: z.literal('site-page'), siteSpaceId: z.string(), pageId: z.string() }),
  ]),
  ...each(flag, 'captureWildcard', 'permanent', 'draft'),
});

const site = z.strictObject({
  ...named,
  type: text,
  visibility: z.enum(siteVisibilities).exactOptional(),
  defaultLevel: level,
  access,
  ...each(text, 'basename', 'proxy'),
  ...each(flag, 'published', 'adaptiveContent'),
  gitSync,
  adaptiveSchema: z.record(z.string(), z.unknown()).exactOptional(),
  customization: z.record(z.string(), z.unknown()).exactOptional(),
  sections: list(z.union([section, link, group])),
  spaces: list(siteSpace),
  shareLinks: list(z.strictObject({ id: text, name: z.string().max(50), active: flag })),
  redirects: list(redirect),
});

/** People with the same e-mail address in several organizations are the same user; their token is the same in each. */
const member = z.strictObject({
  id: text,
  email: z.string(),
  displayName: text,
  role: role.nullable(),
  ...each(flag, 'sso', 'disabled'),
  ...each(text, 'joinedAt', 'lastSeenAt', 'token'),
});

const customField = z.strictObject({
  id: text,
  ...each(z.string(), 'name', 'type'),
  ...each(text, 'title', 'description', 'placeholder'),
  options: list(z.string()),
});

const samlProvider = z.strictObject({
  id: text,
  label: z.string(),
  ...each(text, 'entityID', 'certificate', 'ssoURL', 'defaultTeam'),
  defaultRole: roleOrNull,
});

const organization = z.strictObject({
  ...named,
  hostname: text,
  emailDomains: list(z.string()),
  ...each(text, 'type', 'useCase', 'plan'),
  defaultRole: roleOrNull,
  defaultSite: text,
  ...each(flag, 'sso', 'ai', 'inviteLinks'),
  mergeRules,
  logo: text,
  members: list(member),
  teams: list(
    z.strictObject({
      ...named,
      members: z.record(z.string(), z.enum(['owner', 'member'])).exactOptional(),
    }),
  ),
  customFields: list(customField),
  samlProviders: list(samlProvider),
  linkInvites: list(z.strictObject({ id: text, role, redundant: flag })),
  openapi: list(
    z.strictObject({
      id: text,
      slug: z.string(),
      url: text,
      visibility: z.enum(['private', 'public']).exactOptional(),
      versions: list(z.unknown()),
    }),
  ),
  translations: list(z.strictObject({ ...named, languages: list(z.string()) })),
  content: list(z.union([collection, space])),
  collections: list(collection),
  spaces: list(space),
  sites: list(site),
});

const seed = z.strictObject({
  organizations: z.array(organization).readonly(),
  /** The owner of the service's token: an admin of every organization of the seed. */
  owner: z.strictObject({ id: text, email: z.string(), displayName: text }).exactOptional(),
});

export type Seed = z.infer<typeof seed>;
export type SeedOrganization = z.infer<typeof organization>;
export type SeedMember = z.infer<typeof member>;
export type SeedSpace = z.infer<typeof space>;
export type SeedSite = z.infer<typeof site>;
export type SeedSection = z.infer<typeof section>;
export type SeedGroup = z.infer<typeof group> | z.infer<typeof flatGroup>;
export type SeedLink = z.infer<typeof link>;
export type SeedItem = SeedSection | SeedLink | SeedGroup;
export type SeedSiteSpace = z.infer<typeof siteSpace>;

export function readSeed(value: unknown): Seed {
  const result = seed.safeParse(value);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  throw new Error(
    `the seed does not fit at ${issue?.path.join('.') || 'its root'}: ${issue?.message ?? 'invalid'}`,
  );
}
