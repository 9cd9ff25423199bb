/** Reads seeds that people write as JSON files: what does not fit is named with its path. */
import * as z from 'zod';
import { roles, siteVisibilities } from '../contract/index.ts';
import type { Seed } from './seed.ts';

const text = z.string().exactOptional();
const flag = z.boolean().exactOptional();
const role = z.enum(roles);
const roleOrNull = role.nullable().exactOptional();
const level = z
  .enum([...roles, 'inherit'])
  .nullable()
  .exactOptional();

function list<T extends z.ZodType>(item: T) {
  return z.array(item).exactOptional();
}

const page = z.strictObject({
  id: text,
  title: z.string(),
  markdown: text,
  type: z.enum(['document', 'group', 'link', 'computed']).exactOptional(),
  spec: text,
  get pages() {
    return list(page);
  },
});

const comment = z.strictObject({
  id: text,
  markdown: z.string(),
  page: text,
  resolved: flag,
  replies: list(z.strictObject({ id: text, markdown: z.string() })),
});

const space = z.strictObject({
  id: text,
  title: z.string().max(50),
  emoji: text,
  defaultLevel: level,
  editMode: z.enum(['live', 'locked']).exactOptional(),
  deletedAt: text,
  pages: list(page),
  files: list(
    z.strictObject({ id: text, name: z.string(), contentType: text, size: z.number().exactOptional() }),
  ),
  reusableContents: list(z.strictObject({ id: text, title: z.string(), document: text })),
  customFields: z
    .record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.array(z.string())]))
    .exactOptional(),
  changeRequests: list(
    z.strictObject({
      id: text,
      subject: text,
      status: z.enum(['draft', 'open', 'archived', 'merged']).exactOptional(),
      pages: list(page),
      comments: list(comment),
    }),
  ),
});

const collection = z.strictObject({
  type: z.literal('collection'),
  id: text,
  title: z.string().max(50),
  description: z.string().max(100).exactOptional(),
  defaultLevel: level,
  get content() {
    return list(z.union([collection, space]));
  },
  get collections() {
    return list(collection);
  },
  spaces: list(space),
});

const siteSpace = z.strictObject({
  id: text,
  space: z.string(),
  path: text,
  condition: text,
  default: flag,
});

const section = z.strictObject({
  id: text,
  title: z.string(),
  path: text,
  description: text,
  condition: text,
  icon: text,
  default: flag,
  spaces: z.array(siteSpace).min(1),
});

const group = z.strictObject({ id: text, title: z.string(), icon: text, sections: z.array(section) });

const site = z.strictObject({
  id: text,
  title: z.string(),
  type: text,
  visibility: z.enum(siteVisibilities).exactOptional(),
  basename: text,
  proxy: text,
  published: flag,
  adaptiveContent: flag,
  adaptiveSchema: z.record(z.string(), z.unknown()).exactOptional(),
  sections: list(z.union([section, group])),
  spaces: list(siteSpace),
  shareLinks: list(z.strictObject({ id: text, name: z.string().max(50), active: flag })),
});

const member = z.strictObject({
  id: text,
  email: z.string(),
  displayName: text,
  role: role.nullable(),
  sso: flag,
  disabled: flag,
  joinedAt: text,
  lastSeenAt: text,
  token: text,
});

const customField = z.strictObject({
  id: text,
  name: z.string(),
  type: z.string(),
  title: text,
  description: text,
  placeholder: text,
  options: list(z.string()),
});

const samlProvider = z.strictObject({
  id: text,
  label: z.string(),
  entityID: text,
  certificate: text,
  ssoURL: text,
  defaultTeam: text,
  defaultRole: roleOrNull,
});

const organization = z.strictObject({
  id: text,
  title: z.string(),
  hostname: text,
  emailDomains: list(z.string()),
  type: text,
  useCase: text,
  plan: text,
  defaultRole: roleOrNull,
  defaultSite: text,
  sso: flag,
  ai: flag,
  inviteLinks: flag,
  logo: text,
  members: list(member),
  teams: list(
    z.strictObject({
      id: text,
      title: z.string(),
      members: z.record(z.string(), z.enum(['owner', 'member'])).exactOptional(),
    }),
  ),
  customFields: list(customField),
  samlProviders: list(samlProvider),
  linkInvites: list(z.strictObject({ id: text, role, redundant: flag })),
  openapi: list(z.strictObject({ id: text, slug: z.string(), url: text, versions: list(z.unknown()) })),
  translations: list(z.strictObject({ id: text, title: z.string(), languages: list(z.string()) })),
  content: list(z.union([collection, space])),
  collections: list(collection),
  spaces: list(space),
  sites: list(site),
});

const seed = z.strictObject({
  organizations: z.array(organization),
  owner: z.strictObject({ id: text, email: z.string(), displayName: text }).exactOptional(),
});

/** The seed in a parsed JSON file. Throws an error that names the first place that does not fit. */
export function readSeed(value: unknown): Seed {
  const result = seed.safeParse(value);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  throw new Error(
    `the seed does not fit at ${issue?.path.join('.') || 'its root'}: ${issue?.message ?? 'invalid'}`,
  );
}
