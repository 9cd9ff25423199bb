/** A copy of a service in memory, made from reads of it: the same objects with the same ids, in the same order. No network access. */

import type { PlannedCall, ServiceRead } from '../../contract/api.ts';
import { type Form, formShown } from '../../contract/form.ts';
import { operationOf, operations } from '../../contract/index.ts';
import { isRecord } from '../../util/json.ts';
import { type MemoryOptions, type MemoryService, memoryService } from '../memory.ts';
import { tokenId } from '../seed/seed.ts';
import { loadContent, loadSettings, loadSpaceContents, putRevision } from './content.ts';
import { type Assumption, callerId, Loader, ServiceReads } from './loader.ts';
import { loadGrants, loadPeople } from './people.ts';
import { loadSites } from './sites.ts';

export interface CopySource extends Pick<MemoryOptions, 'now' | 'random' | 'refuse'> {
  readonly reads: readonly ServiceRead[];
  readonly calls: readonly PlannedCall[];
}

export interface ServiceCopy extends MemoryService {
  readonly assumptions: readonly Assumption[];
}

/** Behaves like most services if the API document is ambiguous. */
export function copyService({ reads, calls, ...options }: CopySource): ServiceCopy {
  let assumptions: readonly Assumption[] = [];
  const form = formIn(reads, calls);
  // Some services accept this, so it must not make a plan impossible.
  const variants = { 'sso-without-provider': '200' } as const;
  const service = memoryService({ ...options, form, variants }, (store, token) => {
    const loader = new Loader(store, new ServiceReads(reads), options.now());
    store.write(() => {
      store.put('user', { id: callerId, org: '', email: callerId, displayName: '', order: 0 });
      store.put('token', { id: tokenId(token), org: '', user: callerId, order: 0 });
      loadPeople(loader);
      loadSettings(loader);
      loadContent(loader);
      loadSites(loader);
      loadSpaceContents(loader);
      loadGrants(loader);
      const all = calls.flatMap((call) => [...assumedFor(loader, call), ...notFetched(call)]);
      assumptions = [...new Map(all.map((one) => [one.what, one])).values()];
    });
  });
  return { ...service, assumptions };
}

/** The version that the organization shows, and that the calls need: the manifests may need a newer one. */
function formIn(reads: readonly ServiceRead[], calls: readonly PlannedCall[]): Form {
  const [organization] = reads.flatMap(({ operation, response }) =>
    operation === 'orgs.get' ? [response] : operation === 'orgs.list' ? (response as readonly unknown[]) : [],
  );
  const [needed] = calls.flatMap(({ operation }) => operationOf(operation).needs ?? []);
  return needed ?? formShown(organization);
}

function assumedFor(loader: Loader, call: PlannedCall): readonly Assumption[] {
  const place = placeOf(loader, call);
  if (place === undefined || !isRecord(call.body)) return [];
  const { values } = call.body;
  const assumed = [
    ...Object.entries(call.body).flatMap(([name, value]) =>
      idsIn(value).map((id) => named[name]?.(loader, place, id)),
    ),
    ...Object.entries(isRecord(values) ? values : {}).map(([name, given]) =>
      assumeField(loader, place, name, given),
    ),
  ];
  return assumed.flatMap((what) =>
    what === undefined ? [] : [{ what, reason: 'not read by the plan, assumed to exist' }],
  );
}

function notFetched({ operation, params, body }: PlannedCall): readonly Assumption[] {
  const { path, method } = operations[operation];
  if (!path.includes('/openapi') || method === 'DELETE' || method === 'GET') return [];
  if (isRecord(body) && isRecord(body.source) && 'text' in body.source) return [];
  const slug = params.specSlug ?? (isRecord(body) ? body.slug : undefined);
  return [{ what: `source of OpenAPI spec ${String(slug)}`, reason: 'not fetched' }];
}

interface Destination {
  readonly org: string;
  readonly site: string;
}

function placeOf({ store, organizations }: Loader, { params }: PlannedCall): Destination | undefined {
  const { organizationId, siteId, spaceId, collectionId } = params;
  const content = store.get('space', String(spaceId)) ?? store.get('collection', String(collectionId));
  const org = typeof organizationId === 'string' ? organizationId : (content?.org ?? organizations[0]);
  return org === undefined ? undefined : { org, site: typeof siteId === 'string' ? siteId : '' };
}

function idsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  if (Array.isArray(value)) return value.filter((one) => typeof one === 'string');
  return isRecord(value) && typeof value.site === 'string' ? [value.site] : [];
}

type Assume = (loader: Loader, place: Destination, id: string) => string | undefined;

const named: Readonly<Record<string, Assume | undefined>> = {
  spaceId: assumeSpace,
  spaces: assumeSpace,
  parent: assumeCollection,
  defaultTeam: assumeTeam,
  defaultContent: assumeSite,
  sectionId: assumeSection,
  sections: assumeSection,
  defaultSiteSection: assumeSection,
  defaultSiteSpace: assumeSiteSpace,
};

function assumeSpace(loader: Loader, { org }: Destination, id: string): string | undefined {
  const { store, reads, at } = loader;
  if (store.get('space', id) !== undefined || reads.isAbsent('spaces.get', 'spaceId', id)) return undefined;
  const revision = `rev_of_${id}`;
  // The collection does not matter, because no read list contains the space.
  loader.put('space', {
    id,
    org,
    title: id,
    emoji: '1f4c4',
    parent: null,
    defaultLevel: 'inherit',
    editMode: 'live',
    revision,
    changeRequests: 0,
    createdAt: at,
    updatedAt: at,
  });
  putRevision(loader, { id: revision, org, space: id, createdAt: at });
  return `space ${id}`;
}

function assumeCollection({ store, reads, put }: Loader, { org }: Destination, id: string) {
  const isKnown = store.get('collection', id)?.org === org;
  if (isKnown || reads.hasWhole('collections.list', { organizationId: org })) return undefined;
  if (reads.isAbsent('collections.get', 'collectionId', id)) return undefined;
  put('collection', { id, org, title: id, parent: null, defaultLevel: 'inherit' });
  return `collection ${id}`;
}

function assumeTeam({ store, reads, at, put }: Loader, { org }: Destination, id: string): string | undefined {
  if (store.get('team', id) || reads.hasWhole('teams.list', { organizationId: org })) return undefined;
  put('team', { id, org, title: id, createdAt: at, members: 0 });
  return `team ${id}`;
}

function assumeSite({ store, reads, at, put }: Loader, { org }: Destination, id: string): string | undefined {
  if (store.get('site', id) || reads.hasWhole('sites.list', { organizationId: org })) return undefined;
  const unknown = { type: 'basic', visibility: 'public', published: false, siteSpaces: 0 } as const;
  put('site', { id, org, title: id, createdAt: at, ...unknown });
  return `site ${id}`;
}

function assumeSection(loader: Loader, { org, site }: Destination, id: string): string | undefined {
  if (isKnownIn(loader, site, 'section', id)) return undefined;
  loader.put('section', { id, org, site, group: null, title: id, path: id, default: false });
  return `section ${id}`;
}

function assumeSiteSpace(loader: Loader, { org, site }: Destination, id: string): string | undefined {
  if (isKnownIn(loader, site, 'siteSpace', id)) return undefined;
  loader.put('siteSpace', { id, org, site, section: null, space: '', path: id, default: false });
  return `site-space ${id}`;
}

function isKnownIn({ store, reads }: Loader, site: string, kind: 'section' | 'siteSpace', id: string) {
  const lists = [`${kind}s.list`, 'structure.get'] as const;
  const isStored = site === '' || store.get(kind, id) !== undefined;
  return isStored || lists.some((list) => reads.hasWhole(list, { siteId: site }));
}

function assumeField({ store, reads, at, put }: Loader, { org }: Destination, name: string, given: unknown) {
  if (store.find('customField', org, name) !== undefined) return undefined;
  if (reads.hasWhole('customFields.list', { organizationId: org })) return undefined;
  const value = isRecord(given) ? given.value : undefined;
  const type =
    typeof value === 'number' || typeof value === 'boolean'
      ? typeof value
      : Array.isArray(value)
        ? 'tags'
        : 'text';
  put('customField', {
    id: `field_of_${name}`,
    org,
    name,
    title: name,
    description: '',
    placeholder: '',
    type,
    createdAt: at,
    updatedAt: at,
  });
  return `custom field ${name}`;
}
