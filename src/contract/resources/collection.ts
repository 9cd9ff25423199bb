/** The collection as responses show it (API document, "Collection"). */
import * as z from 'zod';
import { once } from '../once.ts';
import { flags, hint, maybe, roles, urls } from '../values.ts';

/** A collection of spaces and other collections. */
export const collection = once(() =>
  z.looseObject({
    object: maybe(hint('collection')),
    id: z.string(),
    title: z.string(),
    description: maybe(z.string()),
    organization: z.string(),
    parent: maybe(z.string()),
    defaultLevel: hint(...roles, 'inherit').nullable(),
    urls: urls('location', 'app'),
    permissions: flags('view', 'admin', 'viewInviteLinks', 'create'),
  }),
);
