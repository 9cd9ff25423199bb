/** All handlers as one table; the compiler demands one for each operation of the contract. */
import type { Handlers } from '../handler.ts';
import { changeRequestHandlers } from './change-requests.ts';
import { collectionHandlers } from './collections.ts';
import { commentHandlers } from './comments.ts';
import { changeRequestContentHandlers, spaceContentHandlers } from './content.ts';
import { customFieldHandlers } from './custom-fields.ts';
import { memberHandlers } from './members.ts';
import { openapiHandlers } from './openapi.ts';
import { organizationHandlers } from './organizations.ts';
import { shareLinkHandlers } from './share-links.ts';
import { sectionGroupHandlers, sectionHandlers, siteSpaceHandlers } from './site-structure.ts';
import { siteHandlers } from './sites.ts';
import { spaceHandlers } from './spaces.ts';
import { ssoHandlers } from './sso.ts';
import { teamHandlers } from './teams.ts';
import { translationHandlers } from './translations.ts';

/** The handler of each operation. */
export const handlers: Handlers = {
  ...collectionHandlers,
  ...spaceHandlers,
  ...spaceContentHandlers,
  ...changeRequestHandlers,
  ...changeRequestContentHandlers,
  ...commentHandlers,
  ...organizationHandlers,
  ...memberHandlers,
  ...teamHandlers,
  ...siteHandlers,
  ...sectionHandlers,
  ...sectionGroupHandlers,
  ...siteSpaceHandlers,
  ...shareLinkHandlers,
  ...customFieldHandlers,
  ...ssoHandlers,
  ...openapiHandlers,
  ...translationHandlers,
};
