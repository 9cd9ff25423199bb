/** The space as responses show it (API document, "Space"). */

import * as z from 'zod';
import { each } from '../../util/data-schema.ts';
import { once } from '../once.ts';
import { flags, hint, maybe, resource, roles, texts, urls } from '../values.ts';

/** The repository that a space (or a site, at newer services) is synchronized with. */
export const gitSync = once(() =>
  z.looseObject({
    ...texts('repoName', 'installationProvider'),
    installationStatus: maybe(hint('active', 'pending', 'unauthenticated')),
    /** Present if the space is synchronized through its site. */
    ...texts('parentInstallationId', 'integration', 'url', 'updatedAt'),
  }),
);

/** A space. Its content is read as revisions; `parent` is its collection. */
export const space = resource('space', () => ({
  ...each(z.string(), 'title', 'emoji'),
  visibility: hint('public', 'unlisted', 'share-link', 'visitor-auth', 'in-collection', 'private'),
  ...each(z.string(), 'createdAt', 'updatedAt'),
  deletedAt: maybe(z.string()),
  editMode: maybe(hint('live', 'locked')),
  language: maybe(z.string()),
  organization: z.string(),
  parent: maybe(z.string()),
  visitorAuth: maybe(z.looseObject({ backend: maybe(hint('custom')) })),
  gitSync: maybe(gitSync()),
  revision: z.string(),
  defaultLevel: hint(...roles, 'inherit').nullable(),
  comments: maybe(z.number()),
  ...each(z.number(), 'changeRequests', 'changeRequestsOpen', 'changeRequestsDraft'),
  urls: urls('location', 'app', 'published', 'public', 'icon'),
  // biome-ignore format: a list of words
  permissions: flags(
    'view', 'access', 'admin', 'viewInviteLinks', 'edit', 'triggerGitSync', 'comment', 'merge', 'review',
  ),
}));
