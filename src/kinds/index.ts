import { adaptiveSchema } from './adaptive-schema.ts';
import { collection } from './collection.ts';
import { customField } from './custom-field.ts';
import { customization } from './customization.ts';
import { draftRedirect } from './draft-redirect.ts';
import type { Kind } from './kind.ts';
import { link } from './link.ts';
import { linkInvite } from './link-invite.ts';
import { member } from './member.ts';
import { openapiSpec } from './openapi-spec.ts';
import { organization } from './organization.ts';
import { redirect } from './redirect.ts';
import { createRegistry, type Registry } from './registry.ts';
import { samlProvider } from './saml-provider.ts';
import { section } from './section.ts';
import { sectionGroup } from './section-group.ts';
import { shareLink } from './share-link.ts';
import { site } from './site.ts';
import { siteSpace } from './site-space.ts';
import { space } from './space.ts';
import { team } from './team.ts';
import { translation } from './translation.ts';

/** The kinds, in the order of manifests, schemas and reference pages; the first is the root. */
export const kinds: readonly Kind[] = [
  organization,
  member,
  team,
  customField,
  samlProvider,
  collection,
  space,
  openapiSpec,
  translation,
  linkInvite,
  site,
  adaptiveSchema,
  customization,
  section,
  sectionGroup,
  link,
  siteSpace,
  shareLink,
  redirect,
  draftRedirect,
];

/** Look-ups over all kinds. */
export const registry: Registry = createRegistry(kinds);
