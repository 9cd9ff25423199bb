import { describeResponse, type OperationParameter, parametersOf } from '../contract/describe-operation.ts';
import { needsText } from '../contract/form.ts';
import { documentedIds, type OperationId, operationIds, operationOf } from '../contract/index.ts';
import { append } from '../util/lists.ts';
import { markdownTable } from './markdown.ts';

export function operationsReference(): string {
  const sections = new Map<string, OperationId[]>();
  for (const id of operationIds) {
    const { section } = operationOf(id);
    sections.set(section, [...(sections.get(section) ?? []), id]);
  }
  const lines = [
    '# Operations',
    '',
    '<!-- Generated from the contract; do not edit. -->',
    '',
    `The ${documentedIds.length} operations of the service's API, and ${operationIds.length - documentedIds.length} that only its newer form has.`,
    '',
    'Lists that are paged take `page` and `limit`, and respond with `items` and `next.page`. Deployments may know more',
    'values than those that are listed.',
    '',
  ];
  for (const [section, ids] of sections) {
    const table = markdownTable(['Operation', 'Method', 'Path', 'Success'], ids.map(tableRow));
    lines.push(`## ${section}`, '', ...table, '');
    for (const id of ids) append(lines, [...operationText(id), '']);
  }
  return `${lines.join('\n').trimEnd()}\n`;
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
  const rows = parametersOf(operation).map(parameterRow);
  if (rows.length > 0) append(lines, [...markdownTable(['Parameter', 'In', 'Required', 'Value'], rows), '']);
  const needs = operation.needs === undefined ? '' : ` ${needsText(operation.needs)}`;
  lines.push(`${describeResponse(operation)}.${needs}`);
  return lines;
}

function parameterRow({ name, place, required, text }: OperationParameter): string[] {
  return [`\`${name}\``, place, required ? 'yes' : 'no', text];
}
