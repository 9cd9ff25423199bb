/** Which organization is exported: the one that is named, or the only one that the token can see. */
import { type Api, ApiError } from '../../contract/api.ts';
import type { OperationOutput } from '../../contract/index.ts';
import { userError } from '../../util/user-error.ts';

/** Organizations that are listed by name; of more, these many. */
const listed = 10;

/**
 * The id of the organization with this id, hostname or title.
 *
 * @throws DiagnosticError where there is none, or more than one; ApiError when a request fails.
 */
export async function findExported(api: Api, named: string | undefined): Promise<string> {
  const all = await visible(api, named);
  // Without a list, a name can only be an id.
  if (all === undefined) return named ?? '';
  const found = named === undefined ? all : organizationsCalled(named, all);
  const [only, other] = found;
  if (only !== undefined && other === undefined) return only.id;
  if (only === undefined)
    throw userError('organization-not-found', noneText(named, all.length), hintFor(all));
  const which = named === undefined ? 'the token can see' : `${JSON.stringify(named)} is the name of`;
  throw userError('organization-not-found', `${which} ${found.length} organizations`, hintFor(found));
}

/** What the token can see; undefined where it may not ask, and need not. */
async function visible(
  api: Api,
  named: string | undefined,
): Promise<readonly OperationOutput<'orgs.get'>[] | undefined> {
  try {
    return (await api.all('orgs.list', {})) as readonly OperationOutput<'orgs.get'>[];
  } catch (error) {
    if (named !== undefined && error instanceof ApiError && error.status === 403) return undefined;
    throw error;
  }
}

function organizationsCalled(
  named: string,
  all: readonly OperationOutput<'orgs.get'>[],
): readonly OperationOutput<'orgs.get'>[] {
  const byId = all.filter(({ id }) => id === named);
  return byId.length > 0 ? byId : all.filter(({ hostname, title }) => hostname === named || title === named);
}

function noneText(named: string | undefined, count: number): string {
  if (named === undefined) return 'the token can see no organization';
  return `none of the token's ${count} organizations is called ${JSON.stringify(named)}`;
}

function hintFor(all: readonly OperationOutput<'orgs.get'>[]): string {
  if (all.length === 0) return 'check the token and the base URL';
  const names = all.slice(0, listed).map(({ id, title }) => `${id} (${title})`);
  return `pass one with --organization: ${names.join(', ')}${all.length > listed ? ', …' : ''}`;
}
