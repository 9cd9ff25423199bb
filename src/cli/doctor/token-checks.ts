/** Checks of the token and its access: the organizations of the manifests, and the lists that plans read. Only reads. */

import { statSync } from 'node:fs';
import path from 'node:path';
import type { Looker, Sight } from '../../client/look.ts';
import { abilitiesOf, abilitiesShown, profileName } from '../../contract/abilities.ts';
import { type OperationOutput, operationOf } from '../../contract/index.ts';
import { registry } from '../../kinds/index.ts';
import { administers } from '../../live/find-organization.ts';
import type { DoctorCheck } from '../../report/results/checkup.ts';
import type { DesiredTree } from '../../tree/desired-tree.ts';
import { countOf } from '../../util/count.ts';
import { append } from '../../util/lists.ts';
import type { Invocation } from '../line/command.ts';
import type { RunSettings } from '../service/settings.ts';
import { failed, ok, skipped, warning } from './checks.ts';

type Organization = OperationOutput<'orgs.get'>;

/** Maximum of organizations that are looked up. */
const checkedAtMost = 10;

export interface LookContext {
  readonly invocation: Invocation;
  readonly settings: RunSettings;
  readonly trees: readonly DesiredTree[];
}

export function tokenRefused({ invocation, settings }: LookContext, { error }: Sight): DoctorCheck {
  const message = `refused (${sourceOf(invocation, settings)}): ${error?.message ?? 'status 401'}`;
  return failed('token', message, 'make a new token in the app, and set OCTAVO_TOKEN or the token file');
}

export function tokenCheck(
  { invocation, settings }: LookContext,
  organizations: readonly Organization[],
): DoctorCheck {
  const source = sourceOf(invocation, settings);
  const message = `accepted (${source}); sees ${countOf(organizations.length, 'organization')}`;
  if (organizations.length === 0)
    return failed('token', message, 'its user must be a member of the organization');
  const file = tokenFile(invocation);
  if (file !== undefined && isReadByOthers(file))
    return warning('token', `${message}; other users of this machine can read it`, `chmod 600 ${file}`);
  return ok('token', message);
}

function sourceOf(invocation: Invocation, { baseUrl = '' }: RunSettings): string {
  if (/^local(?::|$)/.test(baseUrl)) return 'of the embedded service';
  const file = tokenFile(invocation);
  return file === undefined
    ? 'from the environment or the settings'
    : `from ${path.relative(invocation.cwd, file) || file}`;
}

function tokenFile({ flags, env, cwd }: Invocation): string | undefined {
  const direct = (env.OCTAVO_TOKEN ?? '') !== '';
  const named = flags.tokenFile ?? (direct ? undefined : env.OCTAVO_TOKEN_FILE);
  return named === undefined || named === '' ? undefined : path.resolve(cwd, named);
}

function isReadByOthers(file: string): boolean {
  try {
    return (statSync(file).mode & 0o044) !== 0;
  } catch {
    return false;
  }
}

interface FoundOrganizations {
  readonly checks: readonly DoctorCheck[];
  readonly organizations: readonly Organization[];
}

/** The declared organizations; without manifests, those that the token can read. */
export async function organizationsFor(
  looker: Looker,
  seen: readonly Organization[],
  trees: readonly DesiredTree[],
): Promise<FoundOrganizations> {
  if (trees.length === 0) {
    const shown = seen.slice(0, 5).map(({ id, title }) => `${title} (${id})`);
    const more = seen.length > 5 ? ', …' : '';
    return { checks: [ok('organization', `${shown.join(', ')}${more}`)], organizations: seen.slice(0, 1) };
  }
  const checks: DoctorCheck[] = [];
  const organizations: Organization[] = [];
  for (const tree of trees.slice(0, checkedAtMost)) {
    const found = seen.find((one) => isMeant(tree, one)) ?? (await byId(looker, tree));
    if (found === undefined) {
      checks.push(
        failed(
          'organization',
          `the token does not see ${tree.label}`,
          'check the id in the manifest, and whose token it is',
        ),
      );
    } else {
      checks.push(
        ok('organization', `${found.title} (${found.id})${permissionText(found)}${formText(tree, found)}`),
      );
      if (!administers(found)) checks.push(unseenCheck());
      append(checks, await ownMemberChecks(looker, found, tree));
      organizations.push(found);
    }
  }
  const more = trees.length - checkedAtMost;
  if (more > 0) checks.push(skipped('organization', `${more} more in the manifests, not checked`));
  return { checks, organizations };
}

function isMeant({ id, match }: DesiredTree, organization: Organization): boolean {
  if (id !== undefined) return organization.id === id;
  return match?.hostname === undefined
    ? organization.title === match?.title
    : organization.hostname === match.hostname;
}

/** An organization that no list shows may still be readable. */
async function byId(looker: Looker, { id }: DesiredTree): Promise<Organization | undefined> {
  if (id === undefined) return undefined;
  const { value } = await looker.look('orgs.get', { params: { organizationId: id } });
  return value as Organization | undefined;
}

/** Empty for the form of the API document. */
function formText({ settings: { service } }: DesiredTree, organization: Organization): string {
  const pinned = service?.profile;
  const name = profileName(
    pinned === undefined ? abilitiesShown(organization) : abilitiesOf({ profile: pinned }),
  );
  if (pinned !== undefined) return `; form of the service: ${name}, as the settings say`;
  return name === 'document' ? '' : `; form of the service: ${name}`;
}

/** The service's own statement about the token; nothing is tried. */
function permissionText({ permissions }: Organization): string {
  if (permissions === undefined || permissions === null)
    return '; the service does not say what the token may change';
  const held = Object.entries(permissions).flatMap(([name, value]) => (value === true ? [name] : []));
  if (permissions.admin === true) return '; the token administers it';
  return `; the token does not administer it (it has ${held.length === 0 ? 'no permission' : held.join(', ')})`;
}

function unseenCheck(): DoctorCheck {
  const listed = registry.kinds.filter(({ reads }) => reads.list?.per === registry.root.name);
  return warning(
    'organization',
    `lists leave out ${listed.map(({ noun }) => `${noun}s`).join(', ')}, and what is in them, that the token's member does not see; plans leave them out, too`,
    'plan and check for drift with a token of a member who administers the organization',
  );
}

/** The member that the manifests declare as the token's own: its role decides which changes are allowed. */
async function ownMemberChecks(
  looker: Looker,
  { id: organizationId }: Organization,
  { settings: { self } }: DesiredTree,
): Promise<readonly DoctorCheck[]> {
  const kind = registry.kinds.find(({ display: { ownsToken } }) => ownsToken === true);
  const search = kind?.reads.search;
  if (self === undefined || search === undefined || kind === undefined) return [];
  const sight = await looker.look(search.operation, {
    params: { organizationId },
    query: { [search.parameter]: self },
  });
  if (sight.error !== undefined) return [skipped('self', `${self}: ${sight.error.message}`)];
  const { items } = sight.value as { readonly items: readonly unknown[] };
  const own = items.map((item) => kind.fromRemote(item)).find(({ fields }) => fields[search.field] === self);
  const help = 'fix settings.self, or invite the person in the app';
  if (own === undefined) return [warning('self', `${self} is no member of ${organizationId}`, help)];
  const role = Object.entries(kind.fields).find(([, { reads }]) => reads === 'role')?.[0] ?? '';
  const held = own.fields[role];
  return [ok('self', `${self} has the role ${held === null || held === undefined ? 'guest' : String(held)}`)];
}

/** Reads once each list that plans may need. */
export async function accessChecks(
  looker: Looker,
  organizations: readonly Organization[],
  trees: readonly DesiredTree[],
): Promise<readonly DoctorCheck[]> {
  const [organization] = organizations;
  if (organization === undefined) return [skipped('access', 'no organization was found')];
  const tree = trees.find((one) => isMeant(one, organization));
  const kinds = registry.kinds.filter(({ reads }) => reads.list?.per === registry.root.name);
  const looks = await Promise.all(
    kinds.map(async (kind) => {
      const operation = kind.reads.list?.operation ?? 'orgs.list';
      const query = operationOf(operation).paged ? { query: { limit: 1 } } : {};
      const sight = await looker.look(operation, { params: { organizationId: organization.id }, ...query });
      const isDeclared = kind.manifest.places.some(({ key }) => tree?.root?.declares.includes(key) === true);
      return { kind, sight, isDeclared };
    }),
  );
  const readable = looks.filter(({ sight }) => sight.error === undefined).map(({ kind }) => `${kind.noun}s`);
  const rest = looks.filter(({ sight }) => sight.error !== undefined);
  const checks = rest.map(({ kind, sight, isDeclared }) => {
    const message = `cannot read ${kind.noun}s: ${sight.error?.message ?? ''}`;
    if (isDeclared)
      return failed(
        'access',
        message,
        `give the token's user a role that may, or remove them from the manifests`,
      );
    return warning('access', message, `declare no ${kind.noun}s with this token`);
  });
  return [...(readable.length === 0 ? [] : [ok('access', `can read ${readable.join(', ')}`)]), ...checks];
}
