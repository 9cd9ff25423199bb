/**
 * Sites and their structure as rows, made from reads. Lists have sections in display order, so a group gets the place of its first
 * section; the place of an empty group is unknown.
 */

import type { OperationOutput } from '../../contract/index.ts';
import { defined } from '../../util/defined.ts';
import { picked } from '../../util/picked.ts';
import type { Rows } from '../store/rows.ts';
import { loadSpace } from './content.ts';
import { type Loader, present } from './loader.ts';

type Site = OperationOutput<'sites.get'>;
type Section = OperationOutput<'sections.update'>;
type SectionGroup = OperationOutput<'sectionGroups.update'>;
type SiteLink = OperationOutput<'siteLinks.update'>;
type StructureItem = OperationOutput<'structure.get'>['structure'][number];
type SiteSpace = OperationOutput<'siteSpaces.update'>;

const last = 1_000_000;

const entryFields = [
  'description',
  'condition',
  'icon',
  'draft',
  'localizedTitle',
  'localizedDescription',
] as const;

interface SitePlace {
  readonly org: string;
  readonly site: string;
}

export function loadSites(loader: Loader): void {
  const { reads } = loader;
  for (const { org, remote } of reads.objects('sites.get', 'sites.list')) loadSite(loader, org, remote);
  for (const { params, remote, rank } of reads.objects('structure.get'))
    loadItem(loader, placeOf(params), remote as unknown as StructureItem, rank + 1);
  for (const { params, remote, rank } of reads.objects('sections.list'))
    loadSection(loader, placeOf(params), remote, rank + 1);
  for (const { params, remote, rank } of reads.objects('sectionGroups.list'))
    loadGroup(loader, placeOf(params), remote, rank);
  for (const { params, remote } of reads.objects('siteSpaces.list'))
    loadSiteSpace(loader, placeOf(params), remote, remote.section ?? null);
  for (const { params, remote } of reads.objects('sections.list'))
    loadInside(loader, placeOf(params), remote);
  for (const { params, remote } of reads.objects('sectionGroups.list'))
    for (const section of remote.sections ?? []) loadInside(loader, placeOf(params), section);
  for (const { params, remote, rank } of reads.objects('shareLinks.list')) {
    const { id, name, active, createdAt } = remote;
    // The link itself is a secret, and not needed.
    const own = { id, name: name ?? '', active: active ?? true, createdAt, token: id };
    loader.put('shareLink', { ...own, ...placeOf(params), order: rank + 1 });
  }
  for (const { params, remote, rank } of reads.objects('redirects.list'))
    loader.put('redirect', { ...remote, ...placeOf(params), order: rank + 1 } as Rows['redirect']);
  for (const { params, remote } of reads.objects('sites.getAdaptiveSchema')) {
    const { jsonSchema = null, updatedAt } = remote;
    const { org, site: id } = placeOf(params);
    if (jsonSchema !== null)
      loader.put('adaptiveSchema', { id, org, jsonSchema, updatedAt: updatedAt ?? loader.at });
  }
  for (const { params, remote } of reads.objects('sites.getCustomization')) {
    const { updatedAt, ...whole } = remote;
    const { org, site: id } = placeOf(params);
    loader.put('customization', { id, org, whole, ...present({ updatedAt }, ['updatedAt']) });
  }
}

function placeOf(params: Readonly<Record<string, string>>): SitePlace {
  return { org: params.organizationId ?? '', site: params.siteId ?? '' };
}

function loadSite(loader: Loader, org: string, remote: Site): void {
  if (loader.store.get('site', remote.id) !== undefined) return;
  const enabled = remote.adaptiveContent?.enabled ?? undefined;
  loader.put('site', {
    ...picked(remote, 'id', 'type', 'title', 'visibility', 'published', 'siteSpaces', 'createdAt'),
    org,
    ...present(remote, ['basename', 'gitSync']),
    // In this response, null is also a level.
    ...defined({ defaultLevel: remote.defaultLevel, adaptiveContent: enabled, proxy: proxyOf(remote.proxy) }),
  } as Omit<Rows['site'], 'order'>);
}

/** A proxy as in requests. Services return it in two parts, or whole as `origin` with the site's URL as `target`. */
function proxyOf(proxy: Site['proxy']): string | undefined {
  const { origin, target } = proxy ?? {};
  if (origin === undefined || origin === null || origin === '') return undefined;
  return target?.startsWith('/') === true ? `${origin}${target}` : origin;
}

function loadItem(loader: Loader, place: SitePlace, remote: StructureItem, order: number): void {
  const { object } = remote;
  if (object === 'site-section') loadSection(loader, place, remote as Section, order);
  if (object === 'site-section-group') putGroup(loader, place, remote as SectionGroup, order);
  if (object === 'site-external-link') {
    const { id, title, url, sectionGroup: group = null, ...rest } = remote as SiteLink;
    loader.put('link', { id, ...place, group, title, url, order, ...present(rest, entryFields) });
  }
  if (object !== 'site-space') return;
  const siteSpace = remote as unknown as SiteSpace;
  loadSiteSpace(loader, place, siteSpace, siteSpace.section ?? null);
}

function putGroup(loader: Loader, place: SitePlace, remote: SectionGroup, order: number): void {
  const { id, title, sectionGroup: group = null } = remote;
  const more = present(remote, ['icon', 'draft', 'localizedTitle']);
  loader.put('group', { id, ...place, group, title, order, ...more });
}

function loadSection(loader: Loader, place: SitePlace, remote: Section, order: number): void {
  const group = remote.sectionGroup ?? null;
  if (loader.store.get('section', remote.id) !== undefined) return;
  loader.put('section', {
    ...picked(remote, 'id', 'title', 'path'),
    ...place,
    group,
    order,
    default: remote.default ?? false,
    ...present(remote, entryFields),
  });
  if (group !== null && loader.store.get('group', group) === undefined)
    loader.put('group', { id: group, ...place, group: null, title: '', order });
}

function loadGroup(loader: Loader, place: SitePlace, remote: SectionGroup, rank: number): void {
  const { id, sections } = remote;
  putGroup(loader, place, remote, loader.store.get('group', id)?.order ?? last + rank);
  for (const [at, section] of (sections ?? []).entries())
    loadSection(loader, place, { ...section, sectionGroup: id }, at + 1);
}

function loadInside(loader: Loader, place: SitePlace, { id, siteSpaces }: Section): void {
  for (const siteSpace of siteSpaces ?? []) loadSiteSpace(loader, place, siteSpace, id);
}

function loadSiteSpace(loader: Loader, place: SitePlace, remote: SiteSpace, section: string | null): void {
  if (loader.store.get('siteSpace', remote.id) !== undefined) return;
  const { space } = remote;
  if (space !== null && space !== undefined) loadSpace(loader, space);
  loader.put('siteSpace', {
    ...picked(remote, 'id', 'path'),
    ...place,
    section,
    // Callers without access to the space see the entry without it.
    space: space?.id ?? '',
    default: remote.default ?? false,
    ...present(remote, ['condition', 'draft', 'hidden', 'pageId']),
  });
}
