/** Custom fields, specifications and translations as reads show them, as rows. */
import type { OperationOutput } from '../../contract/index.ts';
import type { Rows } from '../rows.ts';
import { type Loader, present } from './loader.ts';

/** A custom field as responses show it. */
export type CustomField = OperationOutput<'customFields.get'>;
type Spec = OperationOutput<'openapi.get'>;
type Translation = OperationOutput<'translations.get'>;

/** Loads what organizations keep in settings. */
export function loadSettings(loader: Loader): void {
  const { reads } = loader;
  for (const { params, remote } of reads.objects<CustomField>('customFields.list', 'customFields.get'))
    loadCustomField(loader, params.organizationId ?? '', remote);
  for (const { params, remote } of reads.objects<Spec>('openapi.list', 'openapi.get'))
    loadSpec(loader, params.organizationId ?? '', remote);
  for (const { params, remote } of reads.objects<Translation>('translations.list', 'translations.get'))
    loadTranslation(loader, params.organizationId ?? '', remote);
}

/** Loads a field that is not there yet; gives its id. */
export function loadCustomField(loader: Loader, org: string, remote: CustomField): string {
  const known = loader.store.find('customField', org, remote.name);
  if (known !== undefined) return known.id;
  loader.put('customField', {
    id: remote.id,
    org,
    name: remote.name,
    type: remote.type,
    ...present(remote, ['title', 'description', 'placeholder', 'options', 'createdAt', 'updatedAt']),
  } as Omit<Rows['customField'], 'order'>);
  return remote.id;
}

function loadSpec(loader: Loader, org: string, remote: Spec): void {
  loader.put('spec', { ...remote, ...present(remote, ['sourceURL']), org } as Omit<Rows['spec'], 'order'>);
}

function loadTranslation(loader: Loader, org: string, remote: Translation): void {
  const { id, title, languages, createdAt, updatedAt } = remote;
  const row = { id, org, title, languages: languages ?? [], createdAt, updatedAt };
  loader.put('translation', row as Omit<Rows['translation'], 'order'>);
}
