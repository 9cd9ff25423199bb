import * as z from 'zod';
import { once } from './once.ts';
import { operationsIn, pageOf } from './operation.ts';
import { samlProvider, ssoLogin } from './resources/people.ts';
import { roleOrNull, uri } from './values.ts';

const operation = operationsIn('SSO');
const all = '/v1/orgs/{organizationId}/saml';
const label = once(() => z.string().min(1).max(30));
const optional = once(() => ({
  entityID: z.string().max(1024).optional(),
  certificate: z.string().max(10000).optional(),
  ssoURL: uri(2048).optional(),
  defaultTeam: z.string().optional().describe('Id of a team'),
  defaultRole: roleOrNull().optional(),
}));

/** Operations on single sign-on (API document, "SSO"). */
export const sso = {
  'saml.list': operation(`GET ${all}`, 'List the SAML providers of an organization', pageOf(samlProvider)),
  'saml.create': operation(`POST ${all}`, 'Create a SAML provider', {
    body: () => z.strictObject({ label: label(), ...optional() }),
    success: 201,
    response: samlProvider,
  }),
  'saml.get': operation(`GET ${all}/{samlProviderId}`, 'Read a SAML provider', { response: samlProvider }),
  'saml.delete': operation(`DELETE ${all}/{samlProviderId}`, 'Delete a SAML provider', { success: 204 }),
  'saml.update': operation(`PATCH ${all}/{samlProviderId}`, 'Change a SAML provider', {
    body: () => z.strictObject({ label: label().optional(), ...optional() }),
    response: samlProvider,
  }),
  'sso.list': operation('GET /v1/orgs/{organizationId}/sso', 'List where people log in', {
    response: () => z.looseObject({ items: z.array(ssoLogin()) }),
  }),
};
