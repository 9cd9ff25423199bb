/**
 * The form of a journal, and of `--format ndjson`: `.octavo/journal/<run>.ndjson`, one JSON object per line. The first is the plan of
 * the run. The events of the apply follow; a request is on the disk before it is sent. The last is the outcome of the run; a run without
 * it died. A journal contains no secrets: requests are kept without bodies, and plans hold secrets as templates.
 */

import * as z from 'zod';
import { applyEventSchema } from '../../apply/events.ts';
import { once } from '../../contract/once.ts';
import { pendingSchema } from '../../plan/past.ts';
import { organizationPlanSchema } from '../../plan/plan.ts';
import { savedTreeSchema } from '../../tree/desired-schema.ts';
import { byName, dataJsonSchema, each, list, object } from '../../util/data-schema.ts';
import { diagnosticSchema } from '../../util/diagnostic-schema.ts';
import { processSchema } from '../lock/lock.ts';

/** Replaces a secret value, which is not stored: an undo reports it. */
export const notKept = '(secret)';

const text = z.string();
const timed = z.object({ time: text.describe('ISO 8601, UTC') });

const header = once(() =>
  object({
    type: z.literal('run'),
    format: z.literal(1).describe('Version of this form'),
    ...each(text, 'run', 'command'),
    version: text.describe('Version of Octavo'),
    host: text,
    process: processSchema(),
    service: text.describe('Service that received the requests'),
    digest: text.describe('The digest of the plan'),
    commit: text.exactOptional().describe('Commit of the manifests, if they were all committed'),
    base: text.exactOptional().describe('Commit of the base, if it was one commit for all organizations'),
    undoes: text.exactOptional().describe('The run that this one undoes'),
    organizations: list(
      object({
        ...each(text, 'label', 'organizationId'),
        ids: byName(text).describe(
          'Ids of the live objects that the manifests declare and that are kept, by address',
        ),
        unmanaged: list(text).exactOptional().describe('Ids of live objects that no manifest lists'),
        steps: organizationPlanSchema().unwrap().shape.steps,
      }),
    ),
    undo: list(
      object({
        label: text,
        before: savedTreeSchema().describe('The objects that the run changes, as they were before'),
        after: savedTreeSchema().describe('The same objects, as the run wants them'),
      }),
    ).describe('For octavo undo, one for each organization'),
  }),
);

/** A separate schema, because later runs read only this line of a run that has one. */
export const endingSchema = once(() => timed.and(ending()));

const ending = once(() =>
  z.object({
    type: z.literal('end'),
    outcome: z
      .enum(['complete', 'incomplete', 'interrupted', 'failed', 'died'])
      .describe('died: written by a later run'),
    service: text.exactOptional().describe('As in the first line, so that later runs need no other'),
    organizations: list(text).exactOptional().describe('Their labels, as in the first line'),
    pending: byName(list(pendingSchema()))
      .exactOptional()
      .describe('Deletions that the service accepted and has not carried out, by organization'),
    undoes: text.exactOptional().describe('As in the first line'),
    stopped: text.exactOptional().describe('Why the run stopped starting steps'),
    leftover: byName(list(text))
      .exactOptional()
      .describe('Earlier runs whose work no manifest declares, by organization'),
  }),
);

const runEvent = once(() => z.discriminatedUnion('type', [header().unwrap(), applyEventSchema(), ending()]));

export const journalEntrySchema = once(() => timed.and(runEvent()));

/** Without its time. */
export type UntimedEntry = z.infer<ReturnType<typeof runEvent>>;

export type JournalEntry = Readonly<z.infer<ReturnType<typeof journalEntrySchema>>>;

export type JournalHeader = Extract<JournalEntry, { type: 'run' }>;

export type JournalEnding = Extract<JournalEntry, { type: 'end' }>;

export function journalJsonSchema(): object {
  const failure = object({ type: z.literal('failure'), diagnostics: list(diagnosticSchema) });
  return {
    ...dataJsonSchema(
      z.union([journalEntrySchema(), failure.describe('The command ended with an error; not in a journal')]),
    ),
    title: 'A line of a journal, and of octavo apply --format ndjson',
  };
}
