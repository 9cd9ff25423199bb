import * as z from 'zod';
import { once } from '../contract/once.ts';
import { list, object } from '../util/data-schema.ts';
import { actionSchema, phaseSchema } from './plan.ts';

const text = z.string();
const organization = text.describe('Label of the organization');

const failure = once(() =>
  object({
    organization,
    address: text.describe('Empty if it applies to no object'),
    phase: phaseSchema.exactOptional().describe('Action of the step; absent if it applies to no step'),
    operation: text.exactOptional().describe('The operation whose request failed, if one did'),
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

const cuts = once(() =>
  object({
    requests: z.number().describe('Requests of the plan that change something'),
    tried: z.number().describe('Requests after which the apply was cut, each time on a new copy'),
    failures: list(
      object({
        organization,
        address: text,
        operation: text.describe('The last operation that the service carried out'),
        problems: list(text).describe('What differs at the end from the apply that was not cut'),
      }),
    ),
  }).describe('Whether the next apply continues one that was killed before the response to a request'),
);

const notIncluded = once(() => object({ what: text, reason: text }));

export const rehearsalSchema = once(() =>
  object({
    converges: z.boolean().describe('True when every step succeeded and the next plan was empty'),
    steps: z.number().describe('Steps of the plan'),
    failures: list(failure()),
    skipped: z.number().describe('Steps that were not tried because others failed'),
    leftover: list(leftover()).describe('Changes that the next plan would still have'),
    notIncluded: list(notIncluded()).describe('Assumptions of the rehearsal'),
    cuts: cuts().exactOptional(),
  }).describe('Result of applying the plan to a copy of the live state; no secrets'),
);

export type Rehearsal = z.infer<ReturnType<typeof rehearsalSchema>>;

export type Cuts = z.infer<ReturnType<typeof cuts>>;

export type RehearsalFailure = z.infer<ReturnType<typeof failure>>;
