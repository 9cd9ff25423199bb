/** Reduces a failure message of a service or a proxy to one short, safe line. Pure. */
import { hideKnownSecrets } from '../util/hide-secrets.ts';
import { isRecord, parsedJson } from '../util/json.ts';

const maxLength = 300;

/**
 * Extracts the message from the body of a failed response. HTML is reduced to its title.
 *
 * @param secrets texts that must not be shown, such as the token.
 */
export function serviceMessage(body: string, secrets: readonly string[]): string | undefined {
  const words = looksLikeHtml(body) ? htmlTitle(body) : (jsonMessage(body) ?? plainText(body));
  const message = clean(words ?? '', secrets);
  return message === '' ? undefined : message;
}

export function looksLikeHtml(body: string): boolean {
  return /^\s*(?:<!--[\s\S]*?-->\s*)*<(?:!doctype\s+html|html|head|body|title|h1|center)\b/i.test(body);
}

/** Returns one line without control characters, secrets and direction marks, truncated to a few hundred characters. */
export function clean(text: string, secrets: readonly string[] = []): string {
  let safe = text;
  for (const secret of secrets) {
    if (secret.length >= 4) safe = safe.replaceAll(secret, '(token)');
  }
  safe = hideKnownSecrets(safe);
  const line = safe
    .replace(/[\s\u0085\u2028\u2029]+/g, ' ')
    .replace(/\p{Cc}|[\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069\uFEFF]/gu, '')
    .trim();
  const characters = [...line];
  return characters.length <= maxLength ? line : `${characters.slice(0, maxLength).join('').trimEnd()}…`;
}

function htmlTitle(body: string): string | undefined {
  const title =
    /<title[^>]*>([\s\S]*?)<\/title>/i.exec(body)?.[1] ?? /<h1[^>]*>([\s\S]*?)<\/h1>/i.exec(body)?.[1];
  return title === undefined ? undefined : unescapeHtml(title.replace(/<[^>]*>/g, ' '));
}

function unescapeHtml(text: string): string {
  const known: Readonly<Record<string, string>> = {
    amp: '&',
    lt: '<',
    gt: '>',
    quot: '"',
    nbsp: ' ',
    '#39': "'",
  };
  return text.replace(/&(#39|[a-z]+);/g, (entity, name: string) => known[name] ?? entity);
}

/**
 * `{"error": {"message"}}`, `{"error": "…"}`, `{"message"}`, `{"detail"}`, `{"title"}`, `{"errors": [{"message"}]}`; GitHub has a message
 * and errors, and GitLab a list or a mapping as the message.
 */
function jsonMessage(body: string): string | undefined {
  const value = parsedJson(body);
  if (value === undefined) return undefined;
  if (!isRecord(value)) return typeof value === 'string' ? value : '';
  const { error, message, error_description: description, detail, title, errors } = value;
  const named = isRecord(message)
    ? Object.entries(message).map(([key, one]) => `${key} ${textIn(one)}`)
    : message;
  const first = [error, named, description, detail, title].map(textIn).find((text) => text !== '') ?? '';
  return [...new Set([first, textIn(errors)])].filter((text) => text !== '').join(': ');
}

/** Leaves out other parts of errors, which may repeat values of the request. */
function textIn(value: unknown): string {
  if (Array.isArray(value))
    return value
      .map(textIn)
      .filter((text) => text !== '')
      .join(', ');
  const text = isRecord(value) ? value.message : value;
  return typeof text === 'string' ? text : '';
}

function plainText(body: string): string | undefined {
  const trimmed = body.trim();
  return trimmed.startsWith('{') || trimmed.startsWith('[') ? undefined : trimmed;
}
