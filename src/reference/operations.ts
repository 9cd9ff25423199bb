/**
 * The reference page of all operations, as markdown made from the contract alone. Pure: whoever calls it writes the
 * file `docs/reference/operations.md`.
 */
import { z } from 'zod';
import { type OperationId, operationIds, operationOf } from '../contract/index.ts';
import type { Operation } from '../contract/operation.ts';

/** The parts of JSON Schema that zod gives for requests. */
interface Json {
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly pattern?: string;
  readonly description?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly items?: Json;
  readonly anyOf?: readonly Json[];
  readonly oneOf?: readonly Json[];
  readonly properties?: Readonly<Record<string, Json>>;
  readonly additionalProperties?: Json | boolean;
  readonly required?: readonly string[];
  readonly knownValues?: readonly string[];
}

/** One parameter of an operation. */
export interface OperationField {
  readonly name: string;
  readonly place: 'path' | 'query' | 'body';
  readonly required: boolean;
  /** What it may be and what it means, in markdown. */
  readonly text: string;
}

/** The whole page. Same contract, same text. */
export function operationsReference(): string {
  const sections = new Map<string, OperationId[]>();
  for (const id of operationIds) {
    const { section } = operationOf(id);
    sections.set(section, [...(sections.get(section) ?? []), id]);
  }
  const lines = [
    '# Operations',
    '',
    `The ${operationIds.length} operations of the service's API. Generated from the contract; do not edit.`,
    '',
    'Lists that are paged take `page` and `limit`, and answer with `items` and `next.page`.',
    '',
  ];
  for (const [section, ids] of sections) {
    lines.push(
      `## ${section}`,
      '',
      ...table(['Operation', 'Method', 'Path', 'Success'], ids.map(tableRow)),
      '',
    );
    for (const id of ids) lines.push(...operationText(id), '');
  }
  return `${lines.join('\n').trimEnd()}\n`;
}

/** A markdown table with columns as wide as their widest cell, as formatters want them. */
function table(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const widths = head.map((cell, at) => Math.max(cell.length, ...rows.map((row) => row[at]?.length ?? 0)));
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join(' | ')} |`;
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)];
}

function tableRow(id: OperationId): string[] {
  const { method, path, success } = operationOf(id);
  return [`[${id}](#${anchor(id)})`, method, `\`${path}\``, String(success)];
}

function anchor(id: string): string {
  return id.toLowerCase().replaceAll('.', '');
}

function operationText(id: OperationId): string[] {
  const operation = operationOf(id);
  const lines = [`### ${id}`, '', `${operation.summary}: \`${operation.method} ${operation.path}\``, ''];
  const rows = fieldsOf(operation).map(fieldRow);
  if (rows.length > 0) {
    lines.push(...table(['Parameter', 'In', 'Required', 'Value'], rows), '');
  }
  lines.push(`Answers ${operation.success}${answerText(operation)}.`);
  return lines;
}

/** What follows the status of a success in a sentence, for example ` with a list`. */
export function answerText(operation: Operation): string {
  if (operation.response === null) return ' without content';
  return operation.paged ? ' with a list' : '';
}

/** The parameters of an operation: those of the path, of the query, the fields of the body. */
export function fieldsOf(operation: Operation): readonly OperationField[] {
  return [
    ...operation.params.map(
      (name): OperationField => ({ name, place: 'path', required: true, text: 'string' }),
    ),
    ...fieldsIn(operation.query, 'query'),
    ...fieldsIn(operation.body, 'body'),
  ];
}

/** What a value of a request may be, in markdown, for example `string (2 to 128 characters)`. */
export function describeValue(schema: z.ZodType): string {
  return valueText(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as Json);
}

function fieldsIn(schema: z.ZodObject | null, place: 'query' | 'body'): readonly OperationField[] {
  if (schema === null) return [];
  const json = z.toJSONSchema(schema, { io: 'input' }) as Json;
  const required = new Set(json.required ?? []);
  return Object.entries(json.properties ?? {}).map(([name, property]) => {
    const { description = '' } = property;
    const value = valueText(property);
    const text = description === '' ? value : `${value}. ${description}`;
    return { name, place, required: required.has(name), text };
  });
}

function fieldRow({ name, place, required, text }: OperationField): string[] {
  return [`\`${name}\``, place, required ? 'yes' : 'no', text.replaceAll('|', '\\|')];
}

function valueText(json: Json): string {
  const options = json.anyOf ?? json.oneOf;
  if (options !== undefined) return options.map(valueText).join(' or ');
  if (json.const !== undefined) return `\`${String(json.const)}\``;
  if (json.enum !== undefined) return json.enum.map((value) => `\`${String(value)}\``).join(', ');
  if (json.knownValues !== undefined) {
    return `string, known values ${json.knownValues.map((value) => `\`${value}\``).join(', ')}`;
  }
  return typeText(json) + limitsText(json);
}

function typeText(json: Json): string {
  if (json.type === 'array') return `list of ${json.items === undefined ? 'values' : valueText(json.items)}`;
  if (json.properties !== undefined) {
    const required = new Set(json.required ?? []);
    const fields = Object.entries(json.properties).map(
      ([name, property]) => `\`${name}\`${required.has(name) ? '' : '?'}: ${valueText(property)}`,
    );
    return `object {${fields.join('; ')}}`;
  }
  if (typeof json.additionalProperties === 'object' && Object.keys(json.additionalProperties).length > 0) {
    return `map to ${valueText(json.additionalProperties)}`;
  }
  if (json.format === 'uri') return 'URI';
  return [json.type ?? 'any value'].flat().join(' or ');
}

function limitsText(json: Json): string {
  const min = json.minLength ?? json.minItems ?? json.minimum;
  const max = json.maxLength ?? json.maxItems ?? json.maximum;
  const unit =
    json.type === 'array' ? ' items' : json.minimum === undefined && max !== undefined ? ' characters' : '';
  const parts: string[] = [];
  if (max !== undefined) parts.push(min === undefined ? `at most ${max}${unit}` : `${min} to ${max}${unit}`);
  if (json.pattern !== undefined && json.format === undefined) parts.push(`pattern \`${json.pattern}\``);
  return parts.length === 0 ? '' : ` (${parts.join(', ')})`;
}
