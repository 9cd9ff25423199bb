import * as z from 'zod';
import { once } from '../contract/once.ts';
import type { Payload } from '../kinds/parts/payload.ts';
import { each, flag, object } from '../util/data-schema.ts';

const text = z.string();

export const pendingSchema = once(() =>
  object({
    ...each(text, 'address', 'noun', 'kind'),
    id: text.exactOptional().describe('Id of the object to delete; absent for an invitation'),
    lost: flag('True if it is not known whether an invitation was sent'),
    role: text.exactOptional().describe('Role of an invitation, if the request had one'),
    wanted: text
      .exactOptional()
      .describe(
        'The role that the manifests declare now, if it differs; none: they no longer name the person',
      ),
    field: text
      .exactOptional()
      .describe(
        'Field whose value the service stores in a form of its own; sent and stored are digests of both forms, salted with the run',
      ),
    ...each(text.exactOptional(), 'sent', 'stored'),
    run: text,
    since: text.describe('When the run sent it, as ISO 8601'),
  }).describe(
    'A deletion that the service accepted in an earlier run and has not carried out, an invitation that no one has accepted, or a value that the service stores in a form other than the one sent',
  ),
);

export type PendingChange = z.infer<ReturnType<typeof pendingSchema>>;

/** Returns the wanted value as the service stores it in the object with that id; undefined if no response shows the field. */
export type AsStored = (
  one: {
    readonly address: string;
    readonly name: string;
    readonly id: string | undefined;
    /** True if new objects have the wanted value. */
    readonly isDefault?: boolean;
  },
  wanted: Payload,
  live: Payload | undefined,
) => Payload | undefined;
