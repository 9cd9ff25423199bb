/** Answers of the service as `octavo api` prints them: JSON that is safe to show, without secret addresses. Pure. */
import { type OperationId, operationOf } from '../contract/index.ts';
import { safeText } from '../report/safe-text.ts';
import { isRecord } from '../util/json.ts';

/**
 * The answer with the addresses of share links taken out, which let everybody in who has them, and how many there were.
 */
export function hideSecrets(
  id: OperationId,
  answer: unknown,
): { readonly value: unknown; readonly hidden: number } {
  if (operationOf(id).section !== 'Share links') return { value: answer, hidden: 0 };
  let hidden = 0;
  const visit = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(visit);
    if (!isRecord(value)) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, inner]) => {
        if (key !== 'urls' || !isRecord(inner) || typeof inner.published !== 'string')
          return [key, visit(inner)];
        hidden += 1;
        return [key, { ...inner, published: '(secret)' }];
      }),
    );
  };
  return { value: visit(answer), hidden };
}

/** Indented JSON with a line break at the end. What could mislead a terminal is escaped, as JSON allows. */
export function jsonText(value: unknown): string {
  const text = JSON.stringify(value, null, 2) ?? 'null';
  const lines = text
    .split('\n')
    .map((line) => (safeText(line) === line ? line : [...line].map(escaped).join('')));
  return `${lines.join('\n')}\n`;
}

/** A selected value on a line of its own: text as it is (made safe for terminals), anything else as JSON. */
export function valueLine(value: unknown, isTerminal: boolean): string {
  if (typeof value !== 'string') return jsonText(value);
  return `${isTerminal ? value.split('\n').map(safeText).join('\n') : value}\n`;
}

/** A character as JSON writes it where it is not safe to show. */
function escaped(character: string): string {
  if (safeText(character) === character) return character;
  const units = Array.from({ length: character.length }, (_, at) => character.charCodeAt(at));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('');
}
