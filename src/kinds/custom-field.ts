/** Custom fields of an organization. Name and type never change: another value makes another field. */
import type { OperationOutput } from '../contract/index.ts';
import { body, bodyField, pick } from './fields.ts';
import type { Kind } from './kind.ts';
import type { Fields, Value } from './payload.ts';

const changeable = ['title', 'description', 'placeholder', 'options'] as const;

/** API document, "Custom fields". */
export const customField: Kind = {
  name: 'customField',
  noun: 'custom field',
  description: 'A custom field that spaces can have values for; the key is its name.',
  places: [{ parent: 'organization', key: 'customFields', shape: 'map', ordered: false }],
  key: { is: 'field', field: 'name' },
  keySchema: bodyField('customFields.create', 'name'),
  fields: {
    name: {
      type: 'value',
      schema: bodyField('customFields.create', 'name'),
      description: 'Name of the field, by which spaces set its value.',
      example: 'owner-team',
      change: 'replace',
    },
    type: {
      type: 'value',
      schema: bodyField('customFields.create', 'type'),
      description: 'Type of the values; a change makes a new field, and values are lost.',
      example: 'text',
      change: 'replace',
      reads: 'word',
    },
    title: {
      type: 'value',
      schema: bodyField('customFields.create', 'title'),
      description: 'Title that people see in place of the name.',
      example: 'Owning team',
      absent: '',
    },
    description: {
      type: 'value',
      schema: bodyField('customFields.create', 'description'),
      description: 'What the field is for.',
      example: 'The team that answers questions',
      absent: '',
    },
    placeholder: {
      type: 'value',
      schema: bodyField('customFields.create', 'placeholder'),
      description: 'Text that people see while there is no value.',
      example: 'people',
      absent: '',
    },
    options: {
      type: 'value',
      schema: bodyField('customFields.create', 'options'),
      description: 'Values to choose from, for the select types; the list is exact.',
      carriedIf: ({ type }) => String(type).startsWith('select'),
      example: ['low', 'high'],
    },
  },
  identities: [{ field: 'name' }],
  scope: 'organization',
  unique: [{ field: 'name', within: 'organization' }],
  idParam: 'fieldName',
  cost: 'all values that spaces have for it are lost',
  again: { lost: 'values that spaces had for it are lost, but for those in this plan' },
  reads: {
    list: { operation: 'customFields.list', per: 'organization' },
    get: { operation: 'customFields.get' },
  },
  // The API addresses a custom field by its name, so the name is its id here.
  fromRemote: (remote: OperationOutput<'customFields.get'>) => ({
    id: remote.name,
    fields: pick(remote, ['name', 'type', ...changeable]),
  }),
  calls: {
    create: (context) => {
      const all = body(context.fields, ['name', 'type', ...changeable]);
      return {
        call: { operation: 'customFields.create', params: context.params, body: all },
        fields: all,
      };
    },
    update: (context, changed) => [
      { operation: 'customFields.update', params: context.params, body: body(context.fields, changed) },
    ],
    delete: (context) => ({ operation: 'customFields.delete', params: context.params }),
  },
};

/**
 * What a value of a custom field must be, by what the field declares; undefined for one that fits, and for types that
 * are not known.
 */
export function valueMisfit(value: Value, { type, options }: Fields): string | undefined {
  const form = typeof type === 'string' ? forms[type] : undefined;
  if (form === undefined) return undefined;
  if (!form.fits(value)) return form.otherwise;
  if (!form.ofOptions || !Array.isArray(options)) return undefined;
  const values = Array.isArray(value) ? value : [value];
  return values.every((one) => options.includes(one))
    ? undefined
    : `must ${Array.isArray(value) ? 'have only' : 'be one of'} ${options.join(', ')}`;
}

interface ValueForm {
  readonly fits: (value: Value) => boolean;
  readonly otherwise: string;
  readonly ofOptions?: true;
}

/** What values of the known types look like. */
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
