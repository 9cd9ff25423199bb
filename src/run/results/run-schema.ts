/** JSON of a run, apart from its plan: the types and `schemas/run.schema.json` are made from it. */

import * as z from 'zod';
import { stepEnding, stepOutcome } from '../../apply/events.ts';
import { dataJsonSchema, each, list, object } from '../../util/data-schema.ts';
import { diagnosticSchema } from '../../util/diagnostic-schema.ts';

const text = z.string();
const count = z.int().min(0);
const milliseconds = z.int().min(0);
const time = text.describe('ISO 8601, in UTC');

const call = object({
  ...each(text, 'operation', 'method'),
  path: text.describe('With ids, without the query'),
  attempts: z.int().min(1),
  milliseconds: milliseconds.describe('All attempts together, without the pauses between them'),
  status: z.int().exactOptional().describe('Status of the last response'),
  reason: text
    .exactOptional()
    .describe('Why the last attempt had no response: connection, timeout, response or cancelled'),
});

const outcome = z.enum(['planned', ...stepOutcome().options]);

const step = object({
  ...each(text, 'address', 'kind', 'action', 'phase'),
  outcome: outcome.describe(
    'planned: in a command that applies nothing; notStarted: not begun; pending: accepted by the service, ' +
      'and not carried out yet; satisfied: already done before; skipped: depends on a step ' +
      'that was not done; unknown: the response was lost, and the live state does not show it',
  ),
  ...stepEnding,
  startedAt: time.exactOptional(),
  milliseconds: milliseconds.exactOptional(),
  calls: list(call).describe('Requests in the order in which they were sent, reads among them'),
}).describe('Requests for one object');

/** One for each outcome of a step. */
function byOutcome<T>(value: T): Record<StatedStep['outcome'], T> {
  return Object.fromEntries(outcome.options.map((one) => [one, value])) as Record<StatedStep['outcome'], T>;
}

const counts = object(byOutcome(count)).describe('Steps by outcome');

export const noSteps: OutcomeCounts = byOutcome(0);

const organization = object({
  ...each(text, 'label', 'id'),
  counts,
  steps: list(step),
  pending: list(object({ address: text, action: text, phase: text })).describe(
    'Steps still pending at the end',
  ),
  duplicates: list(object({ address: text, own: text, other: text })).describe(
    'Objects that exist twice: the id of the one that this run made, and of the one that came from elsewhere',
  ),
  stored: list(
    object({
      ...each(text, 'address', 'field'),
      sent: z.unknown(),
      stored: z.unknown().optional(),
      risk: text.exactOptional(),
    }),
  )
    .exactOptional()
    .describe('Values that the service stores in a form other than the one sent'),
  unread: text
    .exactOptional()
    .describe('Why the live state could not be read again after the changes; absent if it was'),
});

const stopped = object({ type: text, message: text })
  .optional()
  .describe(
    'Why the run stopped starting steps: interrupted, unavailable, token, permission, other-writer, journal or lock',
  );

const requests = object({
  sent: count.describe('Attempts'),
  retried: count.describe('Attempts that another one followed'),
  failed: count.describe('Requests that failed for good'),
});

const runOutcome = z
  .enum(['complete', 'incomplete', 'refused', 'declined', 'interrupted', 'locked', 'failed'])
  .describe(
    'complete: everything was done; incomplete: something was not; refused: the plan may not be applied, or its ' +
      'rehearsal failed; declined: ' +
      'the answer was no; locked: another run holds the lock; failed: an error ended the run',
  );

const runStatement = z
  .looseObject({
    id: text.describe('Of the run, as in journals, history and log files'),
    command: text,
    version: text.describe('Version of Octavo'),
    startedAt: time,
    endedAt: time,
    milliseconds,
    baseUrl: text
      .optional()
      .describe('Address of the service before /v1, or local[:path]; absent if the run did not get that far'),
    shard: object({
      index: z.int().min(1),
      of: z.int().min(1),
      organizations: count.exactOptional().describe('Organizations of all shards together'),
      split: text
        .exactOptional()
        .describe(
          'Hash of the assignment of organizations to shards; both are absent if the run did not get that far',
        ),
    })
      .optional()
      .describe('Part of the organizations that the run was for, if not all'),
    outcome: runOutcome,
    stopped,
    exitCode: z.int(),
    requests,
    counts,
    organizations: list(organization),
  })
  .describe('Outcome of the run');

export const runDocumentSchema = z.looseObject({
  format: z.literal(1).describe('Version of this form'),
  digest: text.optional().describe('Counts of the plan; absent if the run made none'),
  diagnostics: list(diagnosticSchema).optional().describe('Error that ended the run'),
  run: runStatement,
});

export type RunDocument = z.infer<typeof runDocumentSchema>;

export type RunStatement = RunDocument['run'];

export type StatedStep = z.infer<typeof step>;

export type StatedCall = z.infer<typeof call>;

export type OutcomeCounts = z.infer<typeof counts>;

export function runJsonSchema(): object {
  return {
    ...dataJsonSchema(runDocumentSchema),
    title: 'JSON of a run of octavo plan, apply, undo or drift',
    description: 'With a plan, it also has all of plan.schema.json. No secret is in it.',
  };
}
