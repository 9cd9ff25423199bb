import {
  describeResponse,
  type OperationParameter,
  parametersOf,
} from '../../contract/describe-operation.ts';
import { type OperationId, operationIds, operationOf } from '../../contract/index.ts';
import { makeStyle } from '../../report/text/style.ts';
import { greatest } from '../../util/lists.ts';

interface Colors {
  readonly color: boolean;
}

export function listOperations(word: string, { color }: Colors): string {
  const { faint } = makeStyle({ color });
  const sought = word.toLowerCase();
  const rows = operationIds
    .map((id) => ({ id, ...operationOf(id) }))
    .filter((row) =>
      [row.id, row.method, row.path, row.summary, row.section].some((text) =>
        text.toLowerCase().includes(sought),
      ),
    );
  const width = greatest(rows.map(({ id }) => id.length));
  const wide = greatest(rows.map(({ path }) => path.length));
  return rows
    .map(
      ({ id, method, path, summary }) =>
        `${id.padEnd(width)}  ${method.padEnd(6)}  ${path.padEnd(wide)}  ${faint(summary)}\n`,
    )
    .join('');
}

export function describeOperation(id: OperationId, { color }: Colors): string {
  const { strong } = makeStyle({ color });
  const operation = operationOf(id);
  const { method, path, summary, section } = operation;
  const fields = parametersOf(operation);
  const width = greatest(fields.map(({ name }) => name.length));
  const lines = [`${strong(id)}  ${method} ${path}`, `${summary} (${section}).`, ''];
  for (const place of ['path', 'query', 'body'] as const) {
    const here = fields.filter((field) => field.place === place);
    if (here.length === 0) continue;
    lines.push(strong(titles[place]), ...here.map((field) => fieldLine(field, width)), '');
  }
  lines.push(`${describeResponse(operation)}.`, `For example: ${exampleOf(id, fields)}`);
  return `${lines.join('\n')}\n`;
}

const titles = {
  path: 'Path (name=value)',
  query: 'Query (name=value)',
  body: 'Body (-F name=value, or --input file.json)',
} as const;

function fieldLine({ name, required, text }: OperationParameter, width: number): string {
  return `  ${name.padEnd(width)}  ${required ? 'required' : 'optional'}  ${text.replaceAll('`', '')}`;
}

function exampleOf(id: OperationId, fields: readonly OperationParameter[]): string {
  const needed = fields.filter(({ required }) => required);
  const words = needed.map(({ name, place }) => `${place === 'body' ? '-F ' : ''}${name}=…`);
  return ['octavo api', id, ...words].join(' ');
}
