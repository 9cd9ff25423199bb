/** Responses as `octavo api` prints them: JSON that is safe to show, without secret addresses. Pure. */
import { type OperationId, operationOf } from '../../contract/index.ts';
import { safeText } from '../../report/text/safe-text.ts';
import { isRecord } from '../../util/json.ts';

/**
 * Removes what grants access by itself: addresses of share links, and those that contain the share key of the request. Also
 * returns how many there were.
 */
export function hideShareUrls(
  id: OperationId,
  response: unknown,
  shareKey: unknown,
): { readonly value: unknown; readonly hidden: number } {
  const isShareLink = operationOf(id).section === 'Share links';
  let hidden = 0;
  const visit = (value: unknown, path: readonly string[]): unknown => {
    if (Array.isArray(value)) return value.map((one) => visit(one, path));
    if (isRecord(value)) {
      return Object.fromEntries(
        Object.entries(value).map(([key, inner]) => [key, visit(inner, [...path, key])]),
      );
    }
    if (typeof value !== 'string') return value;
    const isAddress = isShareLink && path.slice(-2).join('.') === 'urls.published';
    if (!isAddress && !holds(value, shareKey)) return value;
    hidden += 1;
    return '(secret)';
  };
  return { value: visit(response, []), hidden };
}

function holds(text: string, shareKey: unknown): boolean {
  return typeof shareKey === 'string' && shareKey.length >= 4 && text.includes(shareKey);
}

/** Indented; ends with a line break. Characters that could mislead a terminal are escaped, as JSON allows. */
export function jsonText(value: unknown): string {
  const text = JSON.stringify(value, null, 2) ?? 'null';
  const lines = text
    .split('\n')
    .map((line) => (safeText(line) === line ? line : [...line].map(escaped).join('')));
  return `${lines.join('\n')}\n`;
}

/** A string as it is (made safe for terminals), anything else as JSON. */
export function valueLine(value: unknown, { isTerminal }: { readonly isTerminal: boolean }): string {
  if (typeof value !== 'string') return jsonText(value);
  return `${isTerminal ? value.split('\n').map(safeText).join('\n') : value}\n`;
}

function escaped(character: string): string {
  if (safeText(character) === character) return character;
  const units = Array.from({ length: character.length }, (_, at) => character.charCodeAt(at));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('');
}
