import type { Kind } from './kind.ts';
import { redirectKind } from './redirect.ts';

/** A draft and a live redirect of one source are two objects. */
export const draftRedirect: Kind = redirectKind({
  name: 'draftRedirect',
  noun: 'draft redirect',
  key: 'draftRedirects',
  description: 'A redirect that does not apply to visitors yet; move it to redirects to publish it.',
  draft: true,
  cost: 'the draft is lost',
});
