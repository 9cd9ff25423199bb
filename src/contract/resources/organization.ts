/** Organizations and their link invites, as responses show them (API document, "Organization", "Invite"). */
import * as z from 'zod';
import { flags, hint, maybe, resource, roles, urls } from '../values.ts';

/** An organization, the owner of everything else. */
export const organization = resource('organization', () => ({
  title: z.string(),
  createdAt: maybe(z.string()),
  emailDomains: z.array(z.string()),
  hostname: maybe(z.string()),
  type: hint('business', 'community'),
  useCase: maybe(
    // biome-ignore format: a list of words
    hint(
      'internalDocs', 'docsSite', 'audienceControlledSite', 'productDocs', 'teamKnowledgeBase',
      'designSystem', 'openSourceDocs', 'notes', 'other',
    ),
  ),
  communityType: maybe(hint('nonProfit')),
  defaultRole: maybe(hint(...roles)),
  defaultContent: maybe(z.looseObject({ type: maybe(hint('site')), site: maybe(z.string()) })),
  sso: maybe(z.boolean()),
  ai: maybe(z.boolean()),
  inviteLinks: z.boolean(),
  // biome-ignore format: a list of words
  plan: hint(
    'free_2024', 'plus_2024', 'pro_2024', 'enterprise_2024', 'community_2024', 'free', 'plus', 'pro',
  ),
  billing: maybe(
    z.looseObject({
      interval: maybe(hint('monthly')),
      endDate: maybe(z.string()),
      hasPaymentFailed: maybe(z.boolean()),
      isScheduledToCancel: maybe(z.boolean()),
    }),
  ),
  urls: urls('location', 'app', 'logo'),
  trial: maybe(
    z.looseObject({
      status: maybe(hint('notapplicable')),
      endDate: maybe(z.string()),
      decision: maybe(hint('downgrade')),
    }),
  ),
  customHostname: maybe(z.string()),
  blocked: maybe(z.looseObject({ reason: maybe(hint('security')) })),
  internal_billingMigration: maybe(
    z.looseObject({
      deadline: maybe(z.string()),
      discountPercent: maybe(z.number()),
      discountEndDate: maybe(z.string()),
    }),
  ),
  internal_isOnNewTrial: maybe(z.boolean()),
  // biome-ignore format: a list of words
  permissions: flags(
    'view', 'admin', 'ownTeam', 'createContent', 'createOpenAPISpec', 'viewBilling', 'listMembers',
    'listTeams', 'listIntegrations',
  ),
}));

/** A link by which people join an organization, or (with a level) get access to a space or a collection. */
export const invite = resource('invite', () => ({
  role: maybe(hint(...roles)),
  level: maybe(hint(...roles)),
  redundant: maybe(z.boolean()),
}));
