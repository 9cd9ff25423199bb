/**
 * What an operation needs from elsewhere, fetched and parsed before its transaction begins, for callers who may use it.
 * Strangers wrote all of it: nothing here may take longer than its text is long.
 */
import type { OperationId } from '../contract/index.ts';
import { isRecord } from '../util/json.ts';
import { rankOf } from './access.ts';
import type { Context } from './context.ts';
import { invalid } from './errors.ts';
import { type FetchRules, fetchUnder } from './fetching.ts';
import { type Imported, importedFrom, isImported } from './importing.ts';
import { parseYaml } from './yaml-worker.ts';

/** What came of the source of a specification. */
export type SpecRead =
  | { readonly type: 'content'; readonly content: object }
  | { readonly type: 'failed'; readonly code: 'FETCH_TIMEOUT' | 'FETCH_ERROR' | 'PARSE_ERROR' };

/** What was prepared; nothing for most operations, and for callers who may not. */
export type Prepared =
  | { readonly type: 'nothing' }
  | { readonly type: 'spec'; readonly read: SpecRead }
  | { readonly type: 'import'; readonly imported: Imported };

/** A request's parts that say what to prepare. */
interface PointedAt {
  readonly params: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/** Prepares an operation. Throws a 400 for an import that cannot be read. */
export async function prepare(
  context: Context,
  id: OperationId,
  rules: FetchRules,
  { params, body }: PointedAt,
): Promise<Prepared> {
  switch (id) {
    case 'openapi.create':
    case 'openapi.put': {
      if (context.rankIn(params.organizationId ?? '') < rankOf('create')) return { type: 'nothing' };
      const { source } = body as { source: { url?: string; text?: string } };
      return { type: 'spec', read: await specOf(rules, source) };
    }
    case 'spaceContent.import':
    case 'changeRequestContent.import': {
      const space = context.store.get('space', params.spaceId ?? '');
      if (space === undefined || context.rankOn(space) < rankOf('edit')) return { type: 'nothing' };
      return { type: 'import', imported: await importOf(context, rules, body as ImportBody) };
    }
    default:
      return { type: 'nothing' };
  }
}

interface ImportBody {
  readonly url: string;
  readonly source: string;
}

async function importOf(context: Context, rules: FetchRules, { url, source }: ImportBody): Promise<Imported> {
  if (!isImported(source)) throw invalid(`body.source: this service does not import ${source}`);
  const fetched = await fetchUnder(rules, url);
  if (fetched.type === 'not-allowed') throw invalid(`body.url: ${fetched.reason}`);
  if (fetched.type === 'failed') throw invalid('body.url: could not be read');
  return importedFrom(context, { source, url, fetched });
}

async function specOf(rules: FetchRules, source: { url?: string; text?: string }): Promise<SpecRead> {
  if (source.text !== undefined) return parsed(source.text);
  const fetched = await fetchUnder(rules, source.url ?? '');
  return fetched.type === 'text' ? parsed(fetched.text) : { type: 'failed', code: fetched.code };
}

/** A specification in JSON or YAML. */
async function parsed(text: string): Promise<SpecRead> {
  const value = parsedJson(text) ?? (await parseYaml(text));
  const isSpec = isRecord(value) && [value.openapi, value.swagger].some((one) => typeof one === 'string');
  return isSpec ? { type: 'content', content: value } : { type: 'failed', code: 'PARSE_ERROR' };
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
