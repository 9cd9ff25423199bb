/** A person who changes things in the app, past git. */
import type { OperationId } from '../../src/contract/index.ts';
import { organization, type World } from './world.ts';
import type { SimEvent } from './year.ts';

type Json = Readonly<Record<string, unknown>>;

/** Returns the ids of what changed; none if the service refused it. */
export async function changeInApp(
  world: World,
  { what, at }: Extract<SimEvent, { readonly type: 'app' }>,
): Promise<readonly string[]> {
  const org = { organizationId: organization };
  const all = (operation: string, params: Json = org) =>
    world.service.api.all(operation as never, { params } as never) as Promise<readonly Json[]>;
  const send = (operation: OperationId, params: Json, body?: Json) =>
    world.service.api.send(operation, { params, ...(body && { body }) } as never) as Promise<Json>;
  const kinds = ['teams', 'collections', 'sites'] as const;
  const kind = kinds[at % kinds.length] ?? 'teams';
  const one = {
    teams: 'teamId',
    collections: 'collectionId',
    sites: 'siteId',
  }[kind];
  const inOrganization = kind === 'collections' ? {} : org;
  const objects = await all(`${kind}.list`);
  const chosen = objects[at % Math.max(1, objects.length)];
  const params = { ...inOrganization, [one]: chosen?.id };
  const title = ['Red', 'Blue', 'Plum', 'Docs'][at % 4];
  try {
    if (what === 'create') {
      const made = await send('teams.create', org, { title: `Plum ${at}` });
      world.story.push(`octavo api teams.create organizationId=${organization} title='Plum ${at}'`);
      return [String(made.id)];
    }
    if (what === 'condition') {
      const [site] = await all('sites.list');
      const inSite = { ...org, siteId: site?.id };
      const spaces = await all('siteSpaces.list', inSite);
      const space = spaces[at % Math.max(1, spaces.length)];
      if (space === undefined) return [];
      await send(
        'siteSpaces.update',
        { ...inSite, siteSpaceId: space.id },
        { condition: 'visitor.claims.beta' },
      );
      world.story.push(
        `octavo api siteSpaces.update siteSpaceId=${String(space.id)} condition=visitor.claims.beta`,
      );
      return [String(space.id)];
    }
    if (chosen === undefined) return [];
    if (what === 'delete') await send(`${kind}.delete`, params);
    else await send(`${kind}.update`, params, { title });
    world.story.push(`octavo api ${kind}.${what} ${one}=${String(chosen.id)}   # ${String(chosen.title)}`);
    return [String(chosen.id)];
  } catch {
    return [];
  }
}
