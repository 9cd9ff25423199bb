/** Splits an OpenAPI document into parts, each with a hash: two documents with the same parts mean the same. */
import { isRecord, stableStringify } from '../../util/json.ts';
import { shortHash } from '../../util/short-hash.ts';

/** Hashes, keyed by name: `GET /pets`, `components.schemas.Pet`, `info`. */
type Parts = Readonly<Record<string, string>>;

const methods = new Set(['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace', 'query']);
/** Mappings whose entries have names that people know. */
const named = new Set(['definitions', 'parameters', 'responses', 'securityDefinitions', 'webhooks']);

/** True for a mapping with the version of OpenAPI or Swagger. */
export function isOpenapi(document: unknown): document is Readonly<Record<string, unknown>> {
  return isRecord(document) && ['openapi', 'swagger'].some((key) => typeof document[key] === 'string');
}

/** Example: `{ "GET /pets": hash, info: hash }`. */
export function partsOf(document: Readonly<Record<string, unknown>>): Parts {
  const parts: [string, unknown][] = Object.entries(document).flatMap(([key, value]) => {
    if (!isRecord(value)) return [[key, value]];
    if (key === 'paths') return Object.entries(value).flatMap(([path, item]) => pathParts(path, item));
    if (key === 'components')
      return Object.entries(value).flatMap(([type, one]) => inner(`${key}.${type}`, one));
    return named.has(key) ? inner(key, value) : [[key, value]];
  });
  return Object.fromEntries(parts.map(([name, value]) => [name, hashOf(stableStringify(value))]));
}

function pathParts(path: string, item: unknown): [string, unknown][] {
  if (!isRecord(item)) return [[path, item]];
  return Object.entries(item).map(([key, value]) => [
    methods.has(key) ? `${key.toUpperCase()} ${path}` : `${path} ${key}`,
    value,
  ]);
}

function inner(name: string, value: unknown): [string, unknown][] {
  if (!isRecord(value)) return [[name, value]];
  return Object.entries(value).map(([key, one]) => [`${name}.${key}`, one]);
}

function hashOf(text: string): string {
  return `${shortHash(text)}-${text.length.toString(36)}`;
}

/** Names of the parts that are operations, such as `GET /pets`. */
export function operationsIn(parts: Readonly<Record<string, unknown>>): readonly string[] {
  return Object.keys(parts).filter((name) => {
    const [method = '', path = ''] = name.split(' ', 2);
    return path.startsWith('/') && methods.has(method.toLowerCase());
  });
}

const deepest = 4;

/** The first document in the files of a version, at any nesting depth. */
export function documentIn(content: unknown, depth = 0): Readonly<Record<string, unknown>> | undefined {
  if (isOpenapi(content)) return content;
  if (depth === deepest || typeof content !== 'object' || content === null) return undefined;
  for (const value of Object.values(content)) {
    const found = documentIn(value, depth + 1);
    if (found !== undefined) return found;
  }
  return undefined;
}
