import * as z from 'zod';
import { once } from '../contract/once.ts';
import { object } from '../util/data-schema.ts';

const text = z.string();

export const pendingSchema = once(() =>
  object({
    address: text,
    noun: text,
    kind: text,
    id: text.exactOptional().describe('Of the object that is to be deleted; absent for an invitation'),
    role: text.exactOptional().describe('Of an invitation, where it was said'),
    wanted: text
      .exactOptional()
      .describe(
        'The role that the manifests have now, where it is another; none: they no longer name the person',
      ),
    field: text
      .exactOptional()
      .describe(
        'Of a value that the service stores in a form of its own; its two forms as digests, salted with the run',
      ),
    sent: text.exactOptional(),
    stored: text.exactOptional(),
    run: text,
    since: text.describe('When the run sent it, as ISO 8601'),
  }).describe(
    'A deletion that the service accepted in an earlier run and has not carried out, an invitation that nobody has accepted, or a value that the service stores in another form than it was sent',
  ),
);

export type PendingChange = z.infer<ReturnType<typeof pendingSchema>>;
