/**
 * The whole live state of an organization, read with plain requests instead of our client, in a form for comparing two
 * states: objects have names instead of ids, and lists are sorted unless their order is meaningful.
 */

/** Organization to read, and its service. */
export interface SnapshotSource {
  readonly get: (path: string) => Promise<unknown>;
  readonly organizationId: string;
  /** Spaces that no list shows. */
  readonly spaces: readonly string[];
  readonly linkInvites: readonly string[];
}

type Json = Readonly<Record<string, unknown>>;

/** Fields that always differ between an object and its recreation. */
const volatile = new Set([
  'id',
  'urls',
  'createdAt',
  'updatedAt',
  'deletedAt',
  'joinedAt',
  'lastSeenAt',
  'lastProcessedAt',
  'lastProcessErrorCode',
  'lastProcessedErrorCount',
  'processingState',
  'lastVersion',
  'service',
  'permissions',
]);

/** Reads a service through its socket. */
export function reading({
  url,
  token,
}: {
  readonly url: string;
  readonly token: string;
}): SnapshotSource['get'] {
  return async (path) => {
    const response = await fetch(`${url}/v1/${path}`, { headers: { authorization: `Bearer ${token}` } });
    const text = await response.text();
    return response.ok ? (JSON.parse(text) as unknown) : undefined;
  };
}

/** Reads the whole state. */
export async function snapshotOf(source: SnapshotSource): Promise<unknown> {
  const { organizationId } = source;
  const org = `orgs/${organizationId}`;
  const get = async (path: string) => (await source.get(path)) as Json | undefined;
  const list = async (path: string): Promise<readonly Json[]> =>
    (
      (await get(`${path}${path.includes('?') ? '&' : '?'}limit=1000`)) as
        | { items?: readonly Json[] }
        | undefined
    )?.items ?? [];
  const names = new Map<string, string>();
  const named = (kind: string, items: readonly Json[], nameOf: (item: Json) => unknown) => {
    for (const item of items) names.set(String(item.id), `${kind} ${String(nameOf(item))}`);
    return items;
  };

  const byTitle = ({ title }: Json) => title;
  const teams = named('team', await list(`${org}/teams`), byTitle);
  const collections = named('collection', await list(`${org}/collections`), byTitle);
  const sites = named('site', await list(`${org}/sites`), byTitle);
  /** Deleted teams give no one access. */
  const granted = async (path: string) => ({
    teams: unordered(
      (await list(`${path}/permissions/teams`)).flatMap(({ permission, team }) => {
        const { id } = team as Json;
        return teams.some((one) => one.id === id) ? [{ to: id, permission }] : [];
      }),
    ),
    users: unordered(
      (await list(`${path}/permissions/users`)).map(({ permission, user }) => ({
        to: (user as Json).email,
        permission,
      })),
    ),
  });
  const state = {
    organization: await get(org),
    members: unordered(await list(`${org}/members`)),
    teams: unordered(
      await each(teams, async (team) => ({
        ...team,
        members: unordered(
          (await list(`${org}/teams/${team.id}/members`)).map((one) => ({
            member: (one.organization as Json).id,
            role: (one.team as Json).role,
          })),
        ),
      })),
    ),
    customFields: unordered(await list(`${org}/custom-fields`)),
    saml: unordered(named('provider', await list(`${org}/saml`), ({ label }) => label)),
    collections: unordered(
      await each(collections, async (collection) => ({
        ...collection,
        spaces: (await list(`collections/${collection.id}/spaces`)).map(({ id }) => `space ${id}`),
        access: await granted(`collections/${collection.id}`),
      })),
    ),
    spaces: unordered(
      named(
        'space',
        await each(source.spaces, async (id) => ({
          ...(await get(`spaces/${id}`)),
          id,
          access: await granted(`spaces/${id}`),
          values: unordered(
            ((await get(`spaces/${id}/custom-fields`)) as unknown as readonly Json[] | undefined) ?? [],
          ),
        })),
        byTitle,
      ),
    ),
    openapi: unordered(await list(`${org}/openapi`)),
    translations: unordered(await list(`${org}/translations`)),
    linkInvites: await each(source.linkInvites, (id) => get(`${org}/link-invites/${id}`)),
    sites: unordered(
      await each(sites, async (site) => {
        const inSite = `${org}/sites/${site.id}`;
        const sections = named(
          'section',
          await list(`${inSite}/sections`),
          ({ path }) => `${site.title} ${path}`,
        );
        const groups = await list(`${inSite}/section-groups`);
        named('group', withInner(groups), ({ title }) => `${site.title} ${title}`);
        const siteSpaces = await list(`${inSite}/site-spaces`);
        named(
          'site-space',
          siteSpaces,
          ({ path, section }) => `${site.title} ${names.get(String(section))} ${path}`,
        );
        return {
          ...site,
          access: await granted(inSite),
          sections: sections.map(({ siteSpaces: _inside, ...section }) => section),
          // The place of a group without sections cannot be read.
          groups: groups.map(({ sections: inside, ...group }) => ({
            ...group,
            sections: (inside as readonly Json[]).map(({ id }) => id),
          })),
          siteSpaces: siteSpaces.map(({ space, ...one }) => ({
            ...one,
            space: `space ${(space as Json).id}`,
          })),
          shareLinks: unordered(await list(`${inSite}/share-links`)),
          redirects: await each(['', '?draft=true'], async (which) => {
            const all = await list(`${inSite}/redirects${which}`);
            return unordered(named('redirect', all, ({ source: path }) => `${site.title} ${path}${which}`));
          }),
          customization: await get(`${inSite}/customization`),
          adaptiveSchema: await get(`${inSite}/adaptive-schema`),
        };
      }),
    ),
  };
  return readable(state, names);
}

function each<T, U>(items: readonly T[], make: (item: T) => Promise<U>): Promise<readonly U[]> {
  return Promise.all(items.map(make));
}

/** Groups and nested groups. */
function withInner(groups: readonly Json[]): readonly Json[] {
  return groups.flatMap((group) => [
    group,
    ...withInner((group.children as readonly Json[] | undefined) ?? []),
  ]);
}

/** Marks a list without a meaningful order. */
function unordered(items: readonly unknown[]): { readonly unordered: readonly unknown[] } {
  return { unordered: items };
}

/** The value with ids replaced by names, without fields that differ between equal states. */
function readable(value: unknown, names: ReadonlyMap<string, string>): unknown {
  if (typeof value === 'string') return value.replace(/\w+/g, (word) => names.get(word) ?? word);
  if (Array.isArray(value)) return value.map((item) => readable(item, names));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(([key, inner]) => !volatile.has(key) && !isNothing(inner));
  const { unordered: items } = value as { unordered?: readonly unknown[] };
  if (items !== undefined && entries.length === 1)
    return items.map((item) => readable(item, names)).sort(byName);
  return Object.fromEntries(
    entries
      .map(([key, inner]) => [key, readable(inner, names)] as const)
      .sort(([left], [right]) => (left < right ? -1 : 1)),
  );
}

/** True for values that services may omit: an empty text, false, and an object of such values. */
function isNothing(value: unknown): boolean {
  if (typeof value === 'object' && value !== null && !Array.isArray(value))
    return Object.values(value).every(isNothing);
  return value === '' || value === false || value === undefined;
}

/** Sorts by name, so that an additional field does not change the order of the others. */
function byName(left: unknown, right: unknown): number {
  const textOf = (value: unknown) => {
    const { title, label, name, slug, user } = Object(value) as Json;
    return JSON.stringify([title ?? label ?? name ?? slug ?? (Object(user) as Json).email ?? '', value]);
  };
  return textOf(left) < textOf(right) ? -1 : 1;
}

/** Differences of two states, as paths of keys. */
export function differences(left: unknown, right: unknown, path = ''): readonly string[] {
  if (typeof left !== 'object' || typeof right !== 'object' || left === null || right === null)
    return left === right ? [] : [path];
  if (Array.isArray(left) && Array.isArray(right) && left.length !== right.length) return [path];
  const [one, other] = [left as Json, right as Json];
  return [...new Set([...Object.keys(one), ...Object.keys(other)])].flatMap((key) =>
    differences(one[key], other[key], path === '' ? key : `${path}.${key}`),
  );
}
