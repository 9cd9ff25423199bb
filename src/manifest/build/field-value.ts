/** Reads a field of a manifest entry: converts it to normal form and checks it against its schema and known values. */
import * as z from 'zod';
import { isClosed, knownValues } from '../../contract/values.ts';
import { type Field, isExactList, referenceForms } from '../../kinds/parts/field.ts';
import type { Value } from '../../kinds/parts/payload.ts';
import { remembered } from '../../util/remembered.ts';
import { entryOf, holdsBroken, isBroken, type Located, scalarText } from '../../yaml/located.ts';
import type { Problems } from '../../yaml/problems.ts';
import { addKey } from '../files/paths.ts';
import { readValue } from './read-value.ts';
import { repeatsIn } from './repeats.ts';
import { inYaml, suggestKnown } from './suggestion.ts';

export interface FieldSource {
  readonly name: string;
  readonly field: Field;
  readonly address: string;
  /** Replaces the help for a value of the wrong type. */
  readonly help?: string;
  /** True for the part of a list below `add`. */
  readonly isPart?: true;
}

/** The elements below `add`, for a list that manifests only add to. */
export function addedIn(field: Field, located: Located): Located | undefined {
  const inner = located.type === 'map' ? entryOf(located, addKey)?.value : undefined;
  // A scalar value means that the key `add` is a name.
  const isName = inner?.type === 'scalar' && inner.value !== null && !isBroken(inner);
  return inner === undefined || isName || !isExactList(field) ? undefined : inner;
}

export function readField(source: FieldSource, located: Located, problems: Problems): Value | undefined {
  const { name, field, address } = source;
  const added = addedIn(field, located);
  if (added === undefined) return readWhole(source, located, problems);
  for (const { key, keyAt } of located.type === 'map' ? located.entries : []) {
    if (key === addKey) continue;
    problems.error('value', `${name} has both ${addKey} and ${JSON.stringify(key)}`, keyAt, {
      address,
      suggestion: `write it below ${addKey} as well, or remove ${addKey}: then the list is exact`,
    });
  }
  // Limits apply to the whole list, which may have other elements.
  if (added.type === 'list' && added.items.length === 0 && field.type !== 'members') return [];
  return readWhole({ ...source, name: `${name}.${addKey}`, isPart: true }, added, problems);
}

function readWhole(source: FieldSource, located: Located, problems: Problems): Value | undefined {
  const { name, field, address } = source;
  if (isBroken(located)) return undefined;
  if (located.type === 'scalar' && located.value === null) {
    if (field.nullable !== undefined && source.isPart !== true) return null;
    const isMapping = field.type === 'members' || field.type === 'map';
    return problems.error('null', `${name} cannot be null`, located.at, {
      address,
      suggestion:
        source.isPart === true
          ? exampleOf(name, field)
          : `give it a value${isMapping ? ', {} for none' : ''}, or remove the line to leave it unmanaged`,
    });
  }
  const fallback = () =>
    source.help ??
    (field.type === 'reference'
      ? referenceForms('write the key of the object', field)
      : exampleOf(name, field));
  const schema = field.schema();
  const read = readValue(schema, located, { name, address, problems, secrets: 'checked', fallback });
  // A mapping with an unknown part still has its other parts checked.
  if (hasKnown(schema) && (read !== undefined || holdsBroken(located)))
    checkKnown({ ...source, schema }, located, problems);
  if (read === undefined) return undefined;
  remarkOn(source, located, problems);
  warnOfRepeats(source, located, problems);
  return field.normalize === undefined ? (read.plain as Value) : field.normalize(read.plain as Value);
}

function exampleOf(name: string, field: Field): string {
  return `for example ${name.replace(/^.*\./, '')}: ${inYaml(field.example)}`;
}

/** Cached, because zod assembles the values on each access. */
const knownOf = remembered(knownValues);

function hasKnown(schema: z.ZodType): boolean {
  return schema instanceof z.ZodRecord || knownOf(schema).length > 0;
}

/** Reports an error if the API lists the values; otherwise warns, because the value may be newer than this program. */
function checkKnown(
  source: FieldSource & { readonly schema: z.ZodType; readonly of?: string },
  located: Located,
  problems: Problems,
): void {
  const { name, schema, address, of } = source;
  if (schema instanceof z.ZodRecord && located.type === 'map') {
    const inner = schema.valueType as z.ZodType;
    for (const { key, value } of located.entries) {
      checkKnown(
        { ...source, name: 'value', of: `${JSON.stringify(key)} in ${name}`, schema: inner },
        value,
        problems,
      );
    }
    return;
  }
  const known = knownOf(schema);
  if (known.length === 0 || isBroken(located) || located.type !== 'scalar') return;
  if (typeof located.value !== 'string') return;
  if (known.includes(located.value)) return;
  const message = `unknown ${name} ${JSON.stringify(located.value)}${of === undefined ? '' : ` of ${of}`}`;
  const suggestion = suggestKnown(located.value, known);
  const listed = suggestion.startsWith('did you mean')
    ? `${suggestion} Known values are ${known.join(', ')}`
    : suggestion;
  const details = { address, suggestion: listed };
  if (isClosed(schema)) problems.error('unknown-value', message, located.at, details);
  else
    problems.warn('unknown-value', `${message}: sent as is; the service may reject it`, located.at, details);
}

/** Services reject a list with a repeated entry, or keep the entry once. */
function warnOfRepeats({ name, field, address }: FieldSource, located: Located, problems: Problems): void {
  if (located.type !== 'list') return;
  const entryIn = (item: Located) => {
    const text = scalarText(item);
    return text === undefined ? undefined : JSON.stringify(field.normalize?.([text]) ?? text);
  };
  for (const [item, first] of repeatsIn(located.items, entryIn))
    problems.warn('unusual-value', `${name} has ${JSON.stringify(scalarText(item))} twice`, item.at, {
      address,
      suggestion: 'remove one of the two',
      related: [{ message: 'the first one', at: first.at }],
    });
}

/** Warns about values that the API allows but that are probably mistakes. */
function remarkOn({ name, field, address }: FieldSource, located: Located, problems: Problems): void {
  const parts = located.type === 'list' ? located.items : [located];
  for (const part of parts) {
    const text = scalarText(part);
    if (text === undefined) continue;
    const [, variable] = /^\$([A-Z_][A-Z0-9_]*)$/.exec(text) ?? [];
    const filled = variable && { message: 'a text, not a variable', instead: `\${env:${variable}}` };
    const remark = filled ?? field.remark?.(text);
    if (!remark) continue;
    const { message, instead } = remark;
    const shown = text.length > 80 ? '' : ` ${JSON.stringify(text)}`;
    problems.warn('unusual-value', `${name}${shown}: ${message}`, part.at, {
      address,
      suggestion: instead === undefined ? exampleOf(name, field) : `did you mean ${inYaml(instead)}?`,
    });
  }
}
