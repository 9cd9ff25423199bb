/** The service's whole API as one table of operations: the single source of paths, parameters, bodies, statuses and types. */
import type { z } from 'zod';
import { access } from './access.ts';
import { audit } from './audit.ts';
import { changeRequestContent, changeRequests } from './change-requests.ts';
import { collections } from './collections.ts';
import { comments } from './comments.ts';
import { customFields } from './custom-fields.ts';
import { customizations } from './customization.ts';
import { members } from './members.ts';
import { openapi } from './openapi.ts';
import type { Operation } from './operation.ts';
import { organizations } from './organizations.ts';
import { redirects } from './redirects.ts';
import { shareLinks } from './share-links.ts';
import { sectionGroups, siteSections } from './site-sections.ts';
import { siteSpaces } from './site-spaces.ts';
import { siteStructure } from './site-structure.ts';
import { sites } from './sites.ts';
import { spaceContent } from './space-content.ts';
import { spaces } from './spaces.ts';
import { sso } from './sso.ts';
import { teams } from './teams.ts';
import { translations } from './translations.ts';

export type { Method, Operation } from './operation.ts';
export { decodeQuery, encodeQuery } from './query.ts';
export { knownValues, roles, siteVisibilities } from './values.ts';

/** All operations, keyed by name. */
export const operations = {
  ...collections,
  ...spaces,
  ...spaceContent,
  ...changeRequests,
  ...changeRequestContent,
  ...comments,
  ...organizations,
  ...members,
  ...teams,
  ...sites,
  ...siteSections,
  ...sectionGroups,
  ...siteStructure,
  ...siteSpaces,
  ...shareLinks,
  ...redirects,
  ...customizations,
  ...access,
  ...customFields,
  ...sso,
  ...openapi,
  ...translations,
  ...audit,
};

/** The name of an operation. Example: `sites.update`. */
export type OperationId = keyof typeof operations;

type SchemaInput<S> = S extends z.ZodType ? z.input<S> : undefined;
type SchemaOutput<S> = S extends z.ZodType ? z.output<S> : undefined;

/** The input of one call. `params` has one string per placeholder of the path, not encoded. */
export interface OperationInput<Id extends OperationId> {
  readonly params: Readonly<Record<string, string>>;
  readonly query?: SchemaInput<(typeof operations)[Id]['query']>;
  readonly body?: SchemaInput<(typeof operations)[Id]['body']>;
}

/** The response of an operation, undefined if success has no content. */
export type OperationOutput<Id extends OperationId> = SchemaOutput<(typeof operations)[Id]['response']>;

/** The names of all operations, in the order of the API document. */
export const operationIds = Object.keys(operations) as OperationId[];

/** True if the string names an operation. */
export function isOperationId(name: string): name is OperationId {
  return Object.hasOwn(operations, name);
}

/** The operation with that name, without the exact types of its schemas. */
export function operationOf(id: OperationId): Operation {
  return operations[id];
}
