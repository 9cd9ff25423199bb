import * as z from 'zod';
import { each } from '../util/data-schema.ts';
import { operationsIn, pageOf } from './operation.ts';
import { user } from './resources/people.ts';
import { hint, maybe } from './values.ts';

const operation = operationsIn('Audit', '2026');

const party = (...types: readonly string[]) =>
  z.looseObject({ type: hint(...types), id: z.string(), label: maybe(z.string()) });

const auditEvent = () =>
  z.looseObject({
    object: maybe(hint('audit-event')),
    ...each(z.string(), 'id', 'occurredAt', 'action'),
    actor: party('user', 'integration', 'installation', 'system', 'support'),
    source: hint('ui', 'api', 'integration', 'webhook', 'workflow', 'script', 'support'),
    target: party(),
  });

/** The owner of the token, and the log of changes with their authors (newer form only). */
export const audit = {
  'user.get': operation('GET /v1/user', 'Read the person that the token belongs to', { response: user }),
  'auditEvents.list': operation(
    'GET /v1/orgs/{organizationId}/audit-events',
    'List what was changed in an organization, newest first',
    {
      ...pageOf(auditEvent, () => ({
        limit: z.number().int().min(1).max(100).optional().describe('Events per page'),
        from: z.string().optional().describe('ISO 8601, inclusive'),
        to: z.string().optional().describe('ISO 8601, inclusive'),
        action: z.string().optional().describe('Name of an action'),
        actor: z.string().optional().describe('Id'),
        target: z.string().optional().describe('Id'),
      })),
      mostPerPage: 100,
    },
  ),
};
