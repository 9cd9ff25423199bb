/** Fetches what an operation points at, before its transaction begins, for callers who may use it. */
import type { OperationId } from '../contract/index.ts';
import { rankOf } from './access.ts';
import type { Context } from './context.ts';
import { type Fetched, type FetchRules, fetchUnder } from './fetching.ts';

interface Pointer {
  readonly params: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/** What the operation's address gave, or undefined where the operation reads nothing or the caller may not. */
export async function prefetch(
  context: Context,
  id: OperationId,
  rules: FetchRules,
  { params, body }: Pointer,
): Promise<Fetched | undefined> {
  const address = addressOf(context, id, params, body);
  return address === undefined ? undefined : fetchUnder(rules, address);
}

function addressOf(
  context: Context,
  id: OperationId,
  params: Pointer['params'],
  body: unknown,
): string | undefined {
  switch (id) {
    case 'openapi.create':
    case 'openapi.put': {
      if (context.rankIn(params.organizationId ?? '') < rankOf('create')) return undefined;
      return (body as { source: { url?: string } }).source.url;
    }
    case 'spaceContent.import':
    case 'changeRequestContent.import': {
      const space = context.store.get('space', params.spaceId ?? '');
      if (space === undefined || context.rankOn(space) < rankOf('edit')) return undefined;
      return (body as { url: string }).url;
    }
    default:
      return undefined;
  }
}
