/** Collections, spaces and their content as rows, made from reads. Pages are unknown and therefore omitted. */
import type { OperationOutput } from '../../contract/index.ts';
import { defined } from '../../util/defined.ts';
import { picked } from '../../util/picked.ts';
import type { Rows } from '../store/rows.ts';
import { type Loader, present } from './loader.ts';

type Space = OperationOutput<'spaces.get'>;
type Collection = OperationOutput<'collections.get'>;
type ChangeRequest = OperationOutput<'changeRequests.get'>;

/** Sorts unlisted objects after all listed ones. */
const unlisted = 1_000_000;

export function loadContent(loader: Loader): void {
  const { reads } = loader;
  for (const { remote, rank } of reads.objects('collections.list')) loadCollection(loader, remote, rank + 1);
  for (const { remote } of reads.objects('collections.get')) loadCollection(loader, remote, unlisted);
  // The read of a single object may be newer than the list.
  const listed = reads.objects('collections.listSpaces');
  const places = new Map(
    listed.map(({ params, remote, rank }) => [`${params.collectionId} ${remote.id}`, rank + 1]),
  );
  const all = [...reads.objects('spaces.get'), ...listed, ...reads.objects('spaces.list')];
  for (const { remote } of all) loadSpace(loader, remote, places.get(`${remote.parent} ${remote.id}`));
}

/** Runs after the sites, because only those show spaces outside of collections. */
export function loadSpaceContents(loader: Loader): void {
  const { reads } = loader;
  for (const { params, remote } of reads.objects('spaces.getCustomFields'))
    loadValue(loader, params.spaceId ?? '', remote);
  for (const { params, remote } of reads.objects('changeRequests.list'))
    loadChangeRequest(loader, params.spaceId ?? '', remote);
}

function loadCollection(loader: Loader, remote: Collection, order: number): void {
  const { organization: org, parent } = remote;
  if (loader.store.get('collection', remote.id)?.org === org) return;
  loader.put('collection', {
    ...picked(remote, 'id', 'title', 'defaultLevel'),
    org,
    parent: parent ?? null,
    order,
    ...present(remote, ['description']),
  } as Rows['collection']);
}

export function loadSpace(loader: Loader, remote: Space, order = unlisted): void {
  const { id, organization: org, parent, deletedAt } = remote;
  if (loader.store.get('space', id) !== undefined) return;
  const revision = remote.revision === '' ? `rev_of_${id}` : remote.revision;
  loader.put('space', {
    ...picked(remote, 'id', 'title', 'emoji', 'defaultLevel', 'changeRequests', 'createdAt', 'updatedAt'),
    org,
    parent: parent ?? null,
    revision,
    order,
    ...present(remote, ['editMode', 'language', 'mergeRules', 'gitSync', 'deletedAt']),
  } as unknown as Rows['space']);
  putRevision(loader, { id: revision, org, space: id, createdAt: remote.createdAt });
  if (deletedAt !== null && deletedAt !== undefined) {
    const since = Date.parse(deletedAt);
    loader.put('trash', {
      id,
      org,
      space: id,
      ...defined({ order: Number.isNaN(since) ? undefined : since }),
    });
  }
  if (parent !== null && parent !== undefined && loader.store.get('collection', parent) === undefined)
    loader.put('collection', { id: parent, org: '', title: '', parent: null, defaultLevel: 'inherit' });
}

export function putRevision(
  loader: Loader,
  revision: Pick<Rows['revision'], 'id' | 'org' | 'space' | 'createdAt'>,
): void {
  const nothing = { parents: [], pages: [], files: [], reusableContents: [] };
  loader.put('revision', { ...revision, ...nothing, type: 'edits', message: '' });
}

type FieldValue = OperationOutput<'spaces.getCustomFields'>[number];

function loadValue(loader: Loader, space: string, { customField, value }: FieldValue): void {
  const org = loader.store.get('space', space)?.org;
  if (org === undefined || customField === null || customField === undefined) return;
  if (value === null || value === undefined) return;
  const field = loadCustomField(loader, org, customField);
  loader.put('fieldValue', { id: `${space}/${field}`, org, space, field, value });
}

function loadChangeRequest(loader: Loader, space: string, remote: ChangeRequest): void {
  const row = loader.store.get('space', space);
  if (row === undefined) return;
  loader.put('changeRequest', {
    ...picked(remote, 'id', 'number', 'status', 'subject', 'createdAt', 'updatedAt'),
    org: row.org,
    space,
    createdBy: remote.createdBy?.id ?? '',
    contributors: [],
    revision: row.revision,
    revisionInitial: row.revision,
  } as unknown as Omit<Rows['changeRequest'], 'order'>);
}

type CustomField = OperationOutput<'customFields.get'>;

export function loadSettings(loader: Loader): void {
  const { reads } = loader;
  for (const { org, remote } of reads.objects('customFields.list', 'customFields.get'))
    loadCustomField(loader, org, remote);
  for (const { org, remote } of reads.objects('openapi.list', 'openapi.get')) {
    const own = { ...remote, ...present(remote, ['sourceURL', 'visibility']), org };
    loader.put('spec', own as Omit<Rows['spec'], 'order'>);
  }
  for (const { org, params, remote } of reads.objects('openapi.getLatestContent')) {
    const spec = loader.store.find('spec', org, params.specSlug ?? '');
    if (spec?.lastVersion === undefined) continue;
    const { filesystem = {}, url } = remote;
    loader.put('specVersion', {
      id: spec.lastVersion,
      org,
      spec: spec.id,
      url: url ?? '',
      createdAt: loader.at,
      content: filesystem,
    });
  }
  for (const { org, remote } of reads.objects('translations.list', 'translations.get')) {
    const { id, title, languages, createdAt, updatedAt } = remote;
    const row = { id, org, title, languages: languages ?? [], createdAt, updatedAt };
    loader.put('translation', row as Omit<Rows['translation'], 'order'>);
  }
}

function loadCustomField(loader: Loader, org: string, remote: CustomField): string {
  const known = loader.store.find('customField', org, remote.name);
  if (known !== undefined) return known.id;
  loader.put('customField', {
    ...picked(remote, 'id', 'name', 'type'),
    org,
    ...present(remote, ['title', 'description', 'placeholder', 'options', 'createdAt', 'updatedAt']),
  } as Omit<Rows['customField'], 'order'>);
  return remote.id;
}
