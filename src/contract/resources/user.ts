/** The user as responses show it (API document, "Shared sub-objects"). */
import * as z from 'zod';
import { once } from '../once.ts';
import { hint, maybe, urls } from '../values.ts';

/** A person: `object` is `user`. */
export const user = once(() =>
  z.looseObject({
    object: maybe(hint('user')),
    id: z.string(),
    displayName: maybe(z.string()),
    email: maybe(z.string()),
    photoURL: maybe(z.string()),
    urls: urls('location'),
  }),
);
