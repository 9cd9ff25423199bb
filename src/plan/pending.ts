import * as z from 'zod';
import { once } from '../contract/once.ts';
import { object } from '../util/data-schema.ts';

const text = z.string();

export const pendingSchema = once(() =>
  object({
    address: text,
    noun: text,
    kind: text,
    id: text,
    run: text,
    since: text.describe('When the run sent it, as ISO 8601'),
  }).describe('A deletion that the service accepted in an earlier run and has not carried out'),
);

export type PendingDeletion = z.infer<ReturnType<typeof pendingSchema>>;
