/** Custom fields of an organization. Name and type are immutable: changing one replaces the field. */

import type { OperationOutput } from '../contract/index.ts';
import { nearest } from '../util/nearest.ts';
import { defineKind, type Kind } from './kind.ts';
import type { Misfit } from './parts/field.ts';
import { bodyField, pick, valueField } from './parts/fields.ts';
import type { Fields, Value } from './parts/payload.ts';

const changeable = ['title', 'description', 'placeholder', 'options'] as const;

/** API document, "Custom fields". */
export const customField: Kind = defineKind({
  name: 'customField',
  needs: 'document',
  noun: 'custom field',
  description: 'A custom field that spaces can have values for; the key is its name.',
  manifest: {
    places: [{ parent: 'organization', key: 'customFields' }],
    key: { is: 'field', field: 'name' },
    keySchema: bodyField('customFields.create', 'name'),
  },
  body: 'customFields.create',
  fields: {
    name: valueField('Name of the field, by which spaces set its value.', 'owner-team', {
      change: 'replace',
    }),
    type: valueField('Type of the values; a change makes a new field, and values are lost.', 'text', {
      change: 'replace',
      reads: 'word',
    }),
    title: valueField('Title that people see instead of the name.', 'Owning team', {
      trait: { is: 'title' },
      absent: '',
    }),
    description: valueField('What the field is for.', 'The team that answers questions', { absent: '' }),
    placeholder: valueField('Text that people see if there is no value.', 'people', { absent: '' }),
    options: valueField('Values to choose from, for the select types; the list is exact.', ['low', 'high'], {
      carriedIf: ({ type }) => String(type).startsWith('select'),
    }),
  },
  identity: {
    by: [{ field: 'name' }],
    unique: [{ field: 'name', within: 'organization' }],
    idParam: 'fieldName',
  },
  reads: {
    list: { operation: 'customFields.list', per: 'organization' },
    get: { operation: 'customFields.get' },
  },
  // The API addresses a custom field by its name, so the name serves as its id.
  fromRemote: (remote: OperationOutput<'customFields.get'>) => ({
    id: remote.name,
    fields: pick(remote, ['name', 'type', ...changeable]),
  }),
  calls: {
    create: { operation: 'customFields.create', fields: ['name', 'type', ...changeable] },
    update: 'customFields.update',
    delete: 'customFields.delete',
  },
  deletion: {
    cost: 'all spaces lose their values for it',
    again: { lost: 'spaces lose their values for it, except those in this plan' },
  },
});

/** Why a value does not fit the declared custom field; undefined if it fits, or if the type is not known. */
export function valueMisfit(value: Value, field: Fields): Misfit | undefined {
  const message = misfitText(value, field);
  return message === undefined ? undefined : { message, suggestion: nearOption(value, field) };
}

function misfitText(value: Value, { type, options }: Fields): string | undefined {
  const form = typeof type === 'string' ? forms[type] : undefined;
  if (form === undefined) return undefined;
  if (!form.fits(value)) return form.otherwise;
  if (!form.ofOptions || !Array.isArray(options)) return undefined;
  const values = Array.isArray(value) ? value : [value];
  return values.every((one) => options.includes(one))
    ? undefined
    : `must ${Array.isArray(value) ? 'have only' : 'be one of'} ${options.join(', ')}`;
}

function nearOption(value: Value, { options, type }: Fields): string | undefined {
  if (type === 'number' && typeof value === 'string' && value.trim() !== '' && Number.isFinite(Number(value)))
    return `write ${value}, without quotes`;
  if (type === 'text' && (typeof value === 'number' || typeof value === 'boolean'))
    return `quote it: "${value}"`;
  if (typeof value !== 'string' || !Array.isArray(options)) return undefined;
  const near = nearest(value, options.map(String));
  return near === undefined ? undefined : `did you mean ${near}?`;
}

interface ValueForm {
  readonly fits: (value: Value) => boolean;
  readonly otherwise: string;
  readonly ofOptions?: true;
}

const forms: Readonly<Record<string, ValueForm | undefined>> = {
  text: { fits: (value) => typeof value === 'string', otherwise: 'must be text' },
  number: { fits: (value) => typeof value === 'number', otherwise: 'must be a number' },
  boolean: { fits: (value) => typeof value === 'boolean', otherwise: 'must be true or false' },
  tags: { fits: Array.isArray, otherwise: 'must be a list' },
  'select:single': {
    fits: (value) => !Array.isArray(value),
    otherwise: 'must be one option, not a list',
    ofOptions: true,
  },
  'select:multi': { fits: Array.isArray, otherwise: 'must be a list of options', ofOptions: true },
};
