/**
 * The lines of `--format ndjson`, as schemas: the head of an apply's plan, and its events. The schema is their only
 * description: the types and `schemas/apply-events.schema.json` come from it.
 */

import * as z from 'zod';
import { stepOutcome } from '../../apply/events.ts';
import { once } from '../../contract/once.ts';
import { actionSchema, phaseSchema } from '../../plan/plan.ts';
import { byName, dataJsonSchema, list, object } from '../../util/data-schema.ts';
import { diagnosticSchema } from '../../util/diagnostic-schema.ts';

const text = z.string();
const organization = text.describe('Label of the organization');
const time = text.describe('ISO 8601, UTC');

const stepShape = { time, organization, step: text, address: text, action: actionSchema, phase: phaseSchema };

export const eventLineSchema = once(() =>
  z.union([
    object({
      type: z.literal('plan'),
      format: z.literal(1).describe('Version of these lines'),
      version: text.describe('Version of Octavo'),
      digest: text,
      approval: text.describe('For apply --approved'),
      empty: z.boolean(),
      partial: z.boolean(),
      counts: byName(z.number()).describe('Objects by action'),
      organizations: list(object({ label: text, id: text, base: text.exactOptional() })),
    }).describe('The first line'),
    object({ type: z.literal('stepStarted'), ...stepShape }),
    object({
      type: z.literal('stepEnded'),
      ...stepShape,
      outcome: stepOutcome(),
      final: z.boolean().describe('False if the live state is read again, which may give another outcome'),
      error: text.exactOptional(),
      because: text.exactOptional().describe('Of a skipped step: the step that failed before'),
    }),
    object({ type: z.literal('otherWriter'), time, organization, address: text, id: text }).describe(
      'Someone else created the object first',
    ),
    object({ type: z.literal('round'), time, organization, round: z.number(), steps: list(text) }).describe(
      'The live state was read again; these steps are still pending',
    ),
    object({
      type: z.literal('applied'),
      complete: z.boolean(),
      interrupted: z.boolean(),
      stopped: text.exactOptional().describe('Why the run stopped starting steps'),
      outcomes: byName(z.number()).describe('Steps by outcome'),
      leftover: z.number().describe('Steps still pending after the last read of the live state'),
    }).describe('The last line of an apply'),
    object({ type: z.literal('failure'), diagnostics: list(diagnosticSchema) }).describe(
      'The run ended with an error',
    ),
  ]),
);

export type EventLine = z.infer<ReturnType<typeof eventLineSchema>>;

export function eventsJsonSchema(): object {
  return { ...dataJsonSchema(eventLineSchema()), title: 'A line of octavo apply --format ndjson' };
}
