/** Sites and spaces that are synchronized with a repository, which is a second writer of some of their fields. */
import { isRecord } from '../../util/json.ts';
import type { OtherWriter, Remote } from '../kind.ts';
import { textOf } from './fields.ts';
import { entryFields } from './structure.ts';

/** Fields in the file of a synchronized site, by kind. It lacks a section's `draft` and the page of a site-space. */
const inSiteFile = {
  site: ['title', 'default'],
  section: ['title', 'path', 'default', ...entryFields.filter((name) => name !== 'draft')],
  sectionGroup: ['title', 'icon', 'draft', 'localizedTitle'],
  link: ['title', 'url', ...entryFields],
  siteSpace: ['space', 'path', 'condition', 'hidden', 'draft'],
};

/** Applies in any state of the synchronization: if it waits or lost its access, it may continue later. */
export function siteWriter(gitSync: unknown): Pick<Remote, 'otherWriter'> {
  return writer(gitSync, { owns: inSiteFile, what: 'its title and structure' });
}

/** The file of a site contains the titles of its spaces. A space with its own synchronization stores only its content in the repository. */
export function spaceWriter(gitSync: unknown): Pick<Remote, 'otherWriter'> {
  const isOfSite = isRecord(gitSync) && typeof gitSync.parentInstallationId === 'string';
  return isOfSite ? writer(gitSync, { owns: { space: ['title'] }, what: 'its title' }) : {};
}

function writer(gitSync: unknown, { owns, what }: Omit<OtherWriter, 'name'>): Pick<Remote, 'otherWriter'> {
  if (!isRecord(gitSync)) return {};
  const name = textOf(gitSync.repoName) ?? textOf(gitSync.url) ?? 'a repository';
  return { otherWriter: { name, owns, what } };
}
