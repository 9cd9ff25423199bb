/** Finds the organization that a tree speaks of: by id, or among those that the token can see. */
import { type Api, ApiError } from '../contract/api.ts';
import { property, text } from '../kinds/fields.ts';
import type { DesiredTree } from '../tree/desired.ts';
import { DiagnosticError, type SourceRange } from '../util/diagnostic.ts';

/** The organization as the service answers it. Throws a DiagnosticError where there is none, or more than one. */
export async function findOrganization(
  api: Api,
  tree: DesiredTree,
  at: SourceRange | undefined,
): Promise<unknown> {
  if (tree.id !== undefined) {
    try {
      return await api.send('orgs.get', { params: { organizationId: tree.id } });
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 404) throw error;
      throw failure(`there is no organization with the id ${tree.id}, or the token cannot see it`, at);
    }
  }
  const match = tree.match ?? {};
  const all = await api.all('orgs.list', {});
  const found = all.filter(
    (organization) =>
      (match.hostname === undefined || property(organization, 'hostname') === match.hostname) &&
      (match.title === undefined || property(organization, 'title') === match.title),
  );
  const [only] = found;
  if (found.length === 1 && only !== undefined) return only;
  const desiredValue = Object.entries(match)
    .map(([name, value]) => `${name} ${JSON.stringify(value)}`)
    .join(' and ');
  throw found.length === 0
    ? failure(`none of the token's ${all.length} organizations has the ${desiredValue}`, at)
    : failure(
        `${found.length} organizations have the ${desiredValue}: ${found.map((one) => text(one, 'id')).join(', ')}`,
        at,
      );
}

function failure(message: string, at: SourceRange | undefined): DiagnosticError {
  return new DiagnosticError([
    {
      severity: 'error',
      code: 'organization-not-found',
      message,
      ...(at === undefined ? {} : { at }),
      address: 'organization',
      suggestion: 'give the organization by its id: organization: { id: … }',
    },
  ]);
}
