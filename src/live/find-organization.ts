/** Finds the organization of a desired tree: by id, or among those that the token can read. */
import { type Api, hasStatus } from '../contract/api.ts';
import type { OperationOutput } from '../contract/index.ts';
import type { DesiredTree } from '../tree/desired-tree.ts';
import { defined } from '../util/defined.ts';
import { DiagnosticError, type SourceRange } from '../util/diagnostic.ts';
import { isRecord } from '../util/json.ts';

export async function findOrganization(
  api: Api,
  tree: DesiredTree,
  at: SourceRange | undefined,
): Promise<unknown> {
  if (tree.id !== undefined) {
    try {
      return await api.send('orgs.get', { params: { organizationId: tree.id } });
    } catch (error) {
      if (!hasStatus(error, 404)) throw error;
      throw failure(`there is no organization with the id ${tree.id}, or the token cannot see it`, at);
    }
  }
  const match = tree.match ?? {};
  const all = (await api.all('orgs.list', {})) as readonly OperationOutput<'orgs.get'>[];
  const found = all.filter(
    ({ hostname, title }) =>
      (match.hostname === undefined || hostname === match.hostname) &&
      (match.title === undefined || title === match.title),
  );
  const [only] = found;
  if (found.length === 1 && only !== undefined) return only;
  const described = Object.entries(match)
    .map(([name, value]) => `${name} ${JSON.stringify(value)}`)
    .join(' and ');
  const none = `none of the token's ${all.length} organizations has the ${described}`;
  const several = `${found.length} organizations have the ${described}: ${found.map(({ id }) => id).join(', ')}`;
  throw failure(found.length === 0 ? none : several, at);
}

/** True for administrators; for others, lists omit objects that they cannot see. Absent `permissions` count as administrator. */
export function administers(organization: unknown): boolean {
  const permissions = isRecord(organization) ? organization.permissions : undefined;
  return !isRecord(permissions) || permissions.admin !== false;
}

function failure(message: string, at: SourceRange | undefined): DiagnosticError {
  return new DiagnosticError([
    {
      severity: 'error',
      code: 'organization-not-found',
      message,
      ...defined({ at }),
      address: 'organization',
      suggestion: 'name one that octavo api orgs.list shows: organization: { id: … }',
    },
  ]);
}
