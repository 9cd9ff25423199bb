/** The user as responses show it (API document, "Shared sub-objects"). */
import * as z from 'zod';
import { hint, maybe, urls } from '../values.ts';

/** A person: `object` is `user`. */
export const user = z.looseObject({
  object: maybe(hint('user')),
  id: z.string(),
  displayName: maybe(z.string()),
  email: maybe(z.string()),
  photoURL: maybe(z.string()),
  urls: urls('location'),
});
