/** Output of `octavo api`: responses without secret addresses, lists and descriptions of operations. Pure. */
import { describeResponse, parametersOf } from '../../contract/describe-operation.ts';
import { type OperationId, operationIds, operationOf } from '../../contract/index.ts';
import { safeJson } from '../../report/text/safe-text.ts';
import { makeStyle } from '../../report/text/style.ts';
import { isRecord } from '../../util/json.ts';
import { greatest } from '../../util/lists.ts';

/**
 * Removes URLs that grant access by themselves: URLs of share links, and any that contain the share key of the request. Also
 * returns the number of removed URLs.
 */
export function hideShareUrls(
  path: string,
  response: unknown,
  shareKey: unknown,
): { readonly value: unknown; readonly hidden: number } {
  const isShareLink = path.split('/').includes('share-links');
  let hidden = 0;
  const visit = (value: unknown, place: readonly string[]): unknown => {
    if (Array.isArray(value)) return value.map((one) => visit(one, place));
    if (isRecord(value)) {
      return Object.fromEntries(
        Object.entries(value).map(([key, inner]) => [key, visit(inner, [...place, key])]),
      );
    }
    if (typeof value !== 'string') return value;
    const isAddress = isShareLink && place.slice(-2).join('.') === 'urls.published';
    const isKey = typeof shareKey === 'string' && shareKey.length >= 4 && value.includes(shareKey);
    if (!isAddress && !isKey) return value;
    hidden += 1;
    return '(secret)';
  };
  return { value: visit(response, []), hidden };
}

/** Indented JSON with a final line break. Escapes characters that could mislead a terminal. */
export function jsonText(value: unknown): string {
  return `${safeJson(JSON.stringify(value, null, 2))}\n`;
}

export function listOperations(word: string): string {
  const sought = word.toLowerCase();
  const rows = operationIds
    .map((id) => ({ id, ...operationOf(id) }))
    .filter(({ id, method, path, summary, section }) =>
      [id, method, path, summary, section].some((text) => text.toLowerCase().includes(sought)),
    );
  const width = greatest(rows.map(({ id }) => id.length));
  const wide = greatest(rows.map(({ path }) => path.length));
  return rows
    .map(
      ({ id, method, path, summary }) =>
        `${id.padEnd(width)}  ${method.padEnd(6)}  ${path.padEnd(wide)}  ${summary}\n`,
    )
    .join('');
}

const titles = {
  path: 'Path (name=value)',
  query: 'Query (name=value)',
  body: 'Body (-F name=value, or --input file.json)',
};

export function describeOperation(id: OperationId, colors: { readonly color: boolean }): string {
  const { strong } = makeStyle(colors);
  const operation = operationOf(id);
  const fields = parametersOf(operation);
  const width = greatest(fields.map(({ name }) => name.length));
  const parts = Object.entries(titles).flatMap(([place, title]) => {
    const rows = fields
      .filter((field) => field.place === place)
      .map(({ name, required, text }) => {
        const need = required ? 'required' : 'optional';
        return `  ${name.padEnd(width)}  ${need}  ${text.replaceAll('`', '')}`;
      });
    return rows.length === 0 ? [] : [strong(title), ...rows, ''];
  });
  const words = fields
    .filter(({ required }) => required)
    .map(({ name, place }) => `${place === 'body' ? '-F ' : ''}${name}=…`);
  return [
    `${strong(id)}  ${operation.method} ${operation.path}`,
    `${operation.summary} (${operation.section}).`,
    '',
    ...parts,
    `${describeResponse(operation)}.`,
    `For example: ${['octavo api', id, ...words].join(' ')}\n`,
  ].join('\n');
}
