/**
 * Checks the service: reachable, the right one, accepts the token, and lets it read what plans need. Only reads, once each; no
 * text contains the token. Stops at the first failed check, since later ones build on it.
 */
import { type Api, hasStatus } from '../../contract/api.ts';
import { type Form, formShown, isLacking } from '../../contract/form.ts';
import { type OperationOutput, operationOf } from '../../contract/index.ts';
import { registry } from '../../kinds/index.ts';
import { administers, findOrganization } from '../../live/find-organization.ts';
import type { DoctorCheck } from '../../report/results/checkup.ts';
import type { Connection } from '../../run/reads/service-link.ts';
import type { DesiredTree } from '../../tree/desired-tree.ts';
import { countOf } from '../../util/count.ts';
import type { Invocation } from '../line/command.ts';
import { connect, hasState, isEmbedded, serviceName } from '../service/connection.ts';
import type { RunSettings } from '../service/settings.ts';
import { serviceToken } from '../service/token.ts';
import { problemsOf } from '../show/failure.ts';
import { failed, failedBy, ok, warning } from './checks.ts';

type Organization = OperationOutput<'orgs.get'>;

/** A user is waiting, so a slower service counts as unusable. Times are in milliseconds. */
const limits = { retries: { attempts: 1 }, timeouts: { connect: 4000, headers: 8000, body: 8000 } };

const checkedAtMost = 10;

export async function serviceChecks(
  invocation: Invocation,
  settings: RunSettings,
  trees: readonly DesiredTree[],
): Promise<readonly DoctorCheck[]> {
  if (!hasState(settings.baseUrl, invocation.cwd))
    return [ok('base-url', 'the embedded service, which has no state yet')];
  let connection: Connection;
  let address: string | undefined;
  try {
    address = isEmbedded(settings.baseUrl) ? settings.baseUrl : serviceName(settings, invocation.cwd);
    // A check must not change anything, including the hosts that the user trusts.
    if (!isEmbedded(settings.baseUrl) && settings.baseUrl !== undefined)
      await serviceToken(invocation, settings, 'refuse');
    connection = await connect(invocation, { ...settings, limits }, trees);
  } catch (error) {
    return [failedBy(/token/.test(problemsOf(error)[0]?.code ?? '') ? 'token' : 'base-url', error)];
  }
  try {
    return [ok('base-url', address ?? 'local'), ...(await seenChecks(connection.api, trees))];
  } finally {
    await connection.close();
  }
}

async function seenChecks(api: Api, trees: readonly DesiredTree[]): Promise<readonly DoctorCheck[]> {
  let seen: readonly Organization[];
  try {
    seen = (await api.all('orgs.list', {})) as readonly Organization[];
  } catch (error) {
    if (hasStatus(error, 401))
      return [
        failedBy('token', error, 'make a new token in the app, and set OCTAVO_TOKEN or the token file'),
      ];
    const help = 'check that the base URL is the address before /v1, the network, and HTTPS_PROXY';
    return [failedBy('service', error, help)];
  }
  const service = ok('service', 'responds as documented');
  const count = countOf(seen.length, 'organization');
  if (seen.length === 0) {
    const help = 'its user must be a member of the organization';
    return [service, failed('token', `accepted; sees ${count}`, help)];
  }
  const organizations = await Promise.all(
    trees.slice(0, checkedAtMost).map((tree) => organizationChecks(api, tree)),
  );
  return [service, ok('token', `accepted; sees ${count}`), ...organizations.flat()];
}

async function organizationChecks(api: Api, tree: DesiredTree): Promise<readonly DoctorCheck[]> {
  let found: Organization;
  try {
    found = (await findOrganization(api, tree, undefined)) as Organization;
  } catch (error) {
    return [failedBy('organization', error)];
  }
  const title = `${found.title} (${found.id})${formText(tree, found)}`;
  const own = administers(found)
    ? ok('organization', title)
    : warning(
        'organization',
        `${title}: the token does not administer it; plans leave out what its member does not see`,
        'plan and check for drift with a token of a member who administers the organization',
      );
  const form = tree.settings.service?.profile ?? formShown(found);
  return [own, ...(await accessChecks(api, { organizationId: found.id, form }, tree))];
}

function formText({ settings: { service } }: DesiredTree, organization: Organization): string {
  const pinned = service?.profile;
  const name = pinned ?? formShown(organization);
  if (pinned !== undefined) return `; form of the service: ${name}, as the settings say`;
  return name === 'document' ? '' : `; form of the service: ${name}`;
}

async function accessChecks(
  api: Api,
  { organizationId, form }: { readonly organizationId: string; readonly form: Form },
  { root }: DesiredTree,
): Promise<readonly DoctorCheck[]> {
  const declared = registry.kinds.filter(
    ({ reads, manifest: { places } }) =>
      reads.list?.per === registry.root.name &&
      places.some(({ key }) => root?.declares.includes(key) === true),
  );
  const checks = await Promise.all(
    declared.map(async (kind): Promise<DoctorCheck | string> => {
      if (isLacking(form, kind.needs))
        return failed(
          'access',
          `${kind.noun}s are declared, but not in the form ${form} of the service`,
          'remove them from the manifests',
        );
      const operation = kind.reads.list?.operation ?? 'orgs.list';
      try {
        const query = operationOf(operation).paged ? { query: { limit: 1 } } : {};
        await api.send(operation, { params: { organizationId }, ...query });
        return `${kind.noun}s`;
      } catch (error) {
        const help = `give the token's user a role that may read ${kind.noun}s, or remove them from the manifests`;
        return failedBy('access', error, help);
      }
    }),
  );
  const readable = checks.filter((check) => typeof check === 'string');
  return [
    ...(readable.length === 0 ? [] : [ok('access', `can read ${readable.join(', ')}`)]),
    ...checks.filter((check) => typeof check !== 'string'),
  ];
}
