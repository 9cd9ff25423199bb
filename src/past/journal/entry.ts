/**
 * The form of a journal: `.octavo/journal/<run>.ndjson`, one JSON object per line. The first is the plan of the run. A line is on the
 * disk before each request that changes something is sent, and another follows the request. The last is the outcome of the run; a
 * run without it died. A journal contains no secrets: requests are kept without bodies, and plans hold secrets as templates.
 */

import * as z from 'zod';
import { stepOutcome } from '../../apply/events.ts';
import { type OperationId, operations } from '../../contract/index.ts';
import { once } from '../../contract/once.ts';
import { pendingSchema } from '../../plan/pending.ts';
import { organizationPlanSchema } from '../../plan/plan.ts';
import { savedTreeSchema } from '../../tree/desired-schema.ts';
import { byName, each, list, object } from '../../util/data-schema.ts';
import { processSchema } from '../lock/lock.ts';

/** Replaces a secret value, which is not stored: an undo reports it. */
export const notKept = '(secret)';

const text = z.string();
const operation = z.custom<OperationId>((id) => typeof id === 'string' && Object.hasOwn(operations, id));

const header = once(() =>
  object({
    type: z.literal('run'),
    format: z.literal(1).describe('Version of this form'),
    ...each(text, 'run', 'command'),
    version: text.describe('Version of Octavo'),
    time: text.describe('ISO 8601'),
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

const request = {
  ...each(text, 'time', 'organization', 'step'),
  call: z.number().describe('Number of the call within the step, from 0'),
  operation,
  params: byName(text),
};

/** A separate schema, because later runs read only this line of a run that has one. */
export const endingSchema = once(() =>
  z.object({
    type: z.literal('end'),
    time: text,
    outcome: z
      .enum(['complete', 'incomplete', 'interrupted', 'failed', 'died'])
      .describe('died: written by a later run'),
    service: text.exactOptional().describe('As in the first line, so that later runs need no other'),
    organizations: list(text).exactOptional().describe('Their labels, as in the first line'),
    pending: byName(list(pendingSchema()))
      .exactOptional()
      .describe('Deletions that the service accepted and has not carried out, by organization'),
    undoes: text.exactOptional().describe('As in the first line'),
    leftover: byName(list(text))
      .exactOptional()
      .describe('Earlier runs whose work no manifest declares, by organization'),
  }),
);

export const journalEntrySchema = once(() =>
  z.discriminatedUnion('type', [
    header().unwrap(),
    z.object({ type: z.literal('request'), ...request }),
    z.object({
      type: z.literal('response'),
      ...request,
      outcome: stepOutcome().extract(['done', 'pending', 'failed', 'unknown']),
      status: z.number().exactOptional(),
      id: text.exactOptional().describe('Id of the object that the request created'),
    }),
    z.object({
      type: z.literal('step'),
      ...each(text, 'time', 'organization', 'step'),
      outcome: stepOutcome(),
      id: text.exactOptional().describe('Id of the object that the step created or found'),
      error: text.exactOptional(),
    }),
    z.object({
      type: z.literal('ids'),
      time: text,
      ids: byName(byName(text)).describe(
        'Ids of the objects that the run made or found, by organization and address',
      ),
    }),
    endingSchema(),
  ]),
);

export type JournalHeader = z.infer<ReturnType<typeof header>>;

export type JournalEntry = Readonly<z.infer<ReturnType<typeof journalEntrySchema>>>;

export type JournalEnding = Extract<JournalEntry, { type: 'end' }>;
