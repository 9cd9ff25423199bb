/** Sites and spaces that are synchronized with a repository, which is a second writer of some of their fields. */
import { isRecord } from '../util/json.ts';
import { textOf } from './fields.ts';
import type { OtherWriter, Remote } from './kind.ts';
import { entryFields } from './structure.ts';

/** What the file of a synchronized site has, by kind. A section's `draft` and the page of a site-space are not in it. */
const inSiteFile = {
  site: ['title', 'default'],
  section: ['title', 'path', 'default', ...entryFields.filter((name) => name !== 'draft')],
  sectionGroup: ['title', 'icon', 'draft', 'localizedTitle'],
  link: ['title', 'url', ...entryFields],
  siteSpace: ['space', 'path', 'condition', 'hidden', 'draft'],
};

/** Whatever the state of the synchronization is: one that waits or lost its access may go on. */
export function siteWriter(gitSync: unknown): Pick<Remote, 'otherWriter'> {
  return writer(gitSync, { owns: inSiteFile, what: 'its title and structure' });
}

/** The file of a site has the titles of its spaces; a space with a synchronization of its own has only its content in the repository. */
export function spaceWriter(gitSync: unknown): Pick<Remote, 'otherWriter'> {
  const isOfSite = isRecord(gitSync) && typeof gitSync.parentInstallationId === 'string';
  return isOfSite ? writer(gitSync, { owns: { space: ['title'] }, what: 'its title' }) : {};
}

function writer(gitSync: unknown, { owns, what }: Omit<OtherWriter, 'name'>): Pick<Remote, 'otherWriter'> {
  if (!isRecord(gitSync)) return {};
  const name = textOf(gitSync.repoName) ?? textOf(gitSync.url) ?? 'a repository';
  return { otherWriter: { name, owns, what } };
}
