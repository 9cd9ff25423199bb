import * as z from 'zod';
import { once } from '../contract/once.ts';
import { list, object } from '../util/data-schema.ts';
import { actionSchema, phaseSchema } from './plan.ts';

const text = z.string();
const organization = text.describe('Label of the organization');

const failure = once(() =>
  object({
    organization,
    address: text.describe('Empty where it is about no object'),
    phase: phaseSchema.exactOptional().describe('What the step does; absent where it is about no step'),
    operation: text.exactOptional().describe('The operation whose request failed, where one did'),
    message: text,
  }),
);

const leftover = once(() =>
  object({
    organization,
    address: text,
    action: actionSchema,
    fields: list(text).describe('The fields that would still differ, for an update'),
  }),
);

const notIncluded = once(() => object({ what: text, reason: text }));

export const rehearsalSchema = once(() =>
  object({
    converges: z.boolean().describe('True when every step succeeded and the next plan was empty'),
    steps: z.number().describe('Steps of the plan'),
    failures: list(failure()),
    skipped: z.number().describe('Steps that were not tried since others failed'),
    leftover: list(leftover()).describe('What the next plan would still change'),
    notIncluded: list(notIncluded()).describe('What the rehearsal took for granted'),
  }).describe('What applying the plan to a copy of the live state showed; no secrets'),
);

export type Rehearsal = z.infer<ReturnType<typeof rehearsalSchema>>;

export type RehearsalFailure = z.infer<ReturnType<typeof failure>>;
