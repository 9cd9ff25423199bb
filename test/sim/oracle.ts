/** What must be so after each command, whatever happened before. Reads the service by hand and the manifests as plain data. */
import { operations } from '../../src/contract/index.ts';
import type { Document } from '../support/arbitrary.ts';
import type { Objects } from '../support/commit-edits.ts';
import type { PlannedStep, Ran, World } from './world.ts';
import { organization } from './world.ts';

type Json = Readonly<Record<string, unknown>>;

/** What the run printed, and what it sent, against its own plan. */
export function lawsOfRun(ran: Ran, token: string): readonly string[] {
  const wrong: string[] = [];
  const said = `${ran.stdout}\n${ran.stderr}`;
  if (said.includes('error[bug]') || /\n\s+at .*\.[jt]s:\d+/.test(said))
    wrong.push(`BUG: ${said.slice(-600)}`);
  if (said.includes(token)) wrong.push('SECRET: a token is printed');
  if (ran.code !== 'killed' && ![0, 1, 2, 3].includes(ran.code)) wrong.push(`EXIT CODE: ${ran.code}`);
  const steps = stepsOf(ran);
  const shown = new Map<string, number>();
  for (const { calls } of steps)
    for (const { operation } of calls) shown.set(operation, (shown.get(operation) ?? 0) + 1);
  // Values that a service ignored are sent again, in requests of their own.
  const isRest = (name: string) =>
    said.includes('still pending') && ['PATCH', 'PUT'].includes(operationNamed(name)?.method ?? '');
  if (ran.json !== undefined && ran.code !== 'killed')
    for (const [operation, count] of sentOf(ran))
      if (!shown.has(operation) && !isRest(operation)) wrong.push(`NOT SHOWN: ${count} × ${operation}`);
  return wrong;
}

function operationNamed(name: string): { readonly method: string } | undefined {
  return Object.entries(operations).find(([id]) => id === name)?.[1];
}

export function stepsOf({ json }: Ran): readonly PlannedStep[] {
  return json?.organizations?.flatMap(({ steps }) => steps) ?? [];
}

/** Operations of the writes, with their number. */
function sentOf({ writes }: Ran): ReadonlyMap<string, number> {
  const sent = new Map<string, number>();
  for (const write of writes) {
    const [method = '', target = ''] = write.split(' ');
    const path = target.replace(/\?.*/, '').replace(/^\/v1/, '');
    const found = Object.entries(operations).find(
      ([, one]) => one.method === method && patternOf(one.path).test(path),
    );
    const name = found?.[0] ?? write;
    sent.set(name, (sent.get(name) ?? 0) + 1);
  }
  return sent;
}

function patternOf(path: string): RegExp {
  return new RegExp(`^${path.replace(/^\/v1/, '').replace(/\{[^}]+\}/g, '[^/]+')}$`);
}

/**
 * What a plan calls drift although no one made it in the app. `touched`: ids of what someone changed there; what contains such an
 * object, or refers to it, may follow it. Undefined if plans compare with something else than what was applied last.
 */
export function falseDrift(ran: Ran, touched: ReadonlySet<string> | undefined): readonly string[] {
  if (touched === undefined) return [];
  const isDrift = (cause: string | undefined) => cause === 'drift' || cause === 'conflict';
  return stepsOf(ran).flatMap((step) => {
    if (touched.size > 0 && (step.liveId === undefined || touched.has(step.liveId))) return [];
    const fields = step.fields.flatMap(({ field, cause }) =>
      isDrift(cause) && (touched.size === 0 || plainFields.includes(field)) ? [field] : [],
    );
    const isWhole = touched.size === 0 && isDrift(step.cause);
    return isWhole || fields.length > 0
      ? [`DRIFT that no one made: ${step.id} ${step.action} ${step.cause ?? ''} ${fields.join()}`]
      : [];
  });
}

/** Fields that an entry of a list has in the app under the same name. */
const plainFields = ['title', 'label', 'name', 'description', 'path', 'condition', 'visibility'];

/** Entries of the manifests that are not live as they are declared, or are live after their last day. */
export async function undeclared(world: World, document: Document): Promise<readonly string[]> {
  const day = world.time.slice(0, 10);
  const org = `orgs/${organization}`;
  const list = async (path: string): Promise<readonly Json[]> =>
    ((await world.service.get(`${path}?limit=1000`)) as { items?: readonly Json[] } | undefined)?.items ?? [];
  const wrong: string[] = [];
  const compare = (what: string, declared: unknown, live: readonly Json[]) => {
    const left = [...live];
    for (const [key, entry] of Object.entries((declared ?? {}) as Objects)) {
      if (typeof entry.until === 'string' && entry.until < day) continue;
      const at = left.findIndex((one) => isAs(entry, one));
      if (at < 0) wrong.push(`NOT LIVE: ${what}/${key} ${JSON.stringify(plain(entry))}`);
      else left.splice(at, 1);
    }
  };
  compare('teams', document.teams, await list(`${org}/teams`));
  compare('translations', document.translations, await list(`${org}/translations`));
  compare('samlProviders', document.samlProviders, await list(`${org}/saml`));
  const sites = await list(`${org}/sites`);
  compare('sites', document.sites, sites);
  for (const [key, entry] of Object.entries((document.sites ?? {}) as Objects)) {
    const site = only(sites.filter((one) => isAs(entry, one)));
    if (site === undefined) continue;
    const inSite = `${org}/sites/${String(site.id)}`;
    const sections = await list(`${inSite}/sections`);
    const declared = sectionsIn(entry.sections as Objects | undefined);
    compare(`sites/${key}/sections`, Object.fromEntries(declared), sections);
    const order = declared.map(([, one]) => sections.findIndex((section) => isAs(one, section)));
    if (
      !hasGroups(entry.sections as Objects | undefined) &&
      order.some((at, index) => index > 0 && at < (order[index - 1] ?? 0))
    )
      wrong.push(`ORDER: sites/${key}/sections ${order.join()}`);
    compare(`sites/${key}/shareLinks`, entry.shareLinks, await list(`${inSite}/share-links`));
  }
  return wrong;
}

/** Sections also in groups. */
function sectionsIn(list: Objects | undefined): readonly (readonly [string, Document])[] {
  return Object.entries(list ?? {}).flatMap(([key, entry]) =>
    entry.sections === undefined ? [[key, entry] as const] : sectionsIn(entry.sections as Objects),
  );
}

function hasGroups(list: Objects | undefined): boolean {
  return Object.values(list ?? {}).some((entry) => entry.sections !== undefined);
}

function plain(entry: Document): Json {
  return Object.fromEntries(plainFields.flatMap((name) => (name in entry ? [[name, entry[name]]] : [])));
}

function isAs(entry: Document, live: Json): boolean {
  return Object.entries(plain(entry)).every(([name, value]) => (live[name] ?? '') === value);
}

function only<T>(items: readonly T[]): T | undefined {
  return items.length === 1 ? items[0] : undefined;
}

/** The site-spaces of all sites by id, with the fields that a replacement carries over. */
export async function siteSpacesIn(world: World): Promise<ReadonlyMap<string, Json>> {
  const org = `orgs/${organization}`;
  const list = async (path: string) =>
    ((await world.service.get(`${path}?limit=1000`)) as { items?: readonly Json[] } | undefined)?.items ?? [];
  const found = new Map<string, Json>();
  for (const { id } of await list(`${org}/sites`))
    for (const one of await list(`${org}/sites/${String(id)}/site-spaces`)) {
      const { path, condition } = one;
      found.set(String(one.id), { path, condition: condition ?? null });
    }
  return found;
}

/** Fields of site-spaces that no manifest declares, and that an apply changed nevertheless: with a replacement, for example. */
export function lostValues(
  document: Document,
  before: { readonly ids: Ids; readonly values: ReadonlyMap<string, Json> },
  after: { readonly ids: Ids; readonly values: ReadonlyMap<string, Json> },
): readonly string[] {
  return Object.entries(after.ids).flatMap(([address, id]) => {
    const [was, is] = [before.values.get(before.ids[address] ?? ''), after.values.get(id)];
    const declared = entryAt(document, address);
    if (was === undefined || is === undefined || declared === undefined) return [];
    return Object.keys(was).flatMap((name) =>
      name in declared || was[name] === is[name] || was[name] === null
        ? []
        : [
            `LOST: ${name} of ${address}, which no one declares: ${String(was[name])}, now ${String(is[name])}`,
          ],
    );
  });
}

type Ids = Readonly<Record<string, string>>;

export function entryAt(document: Document, address: string): Document | undefined {
  let at: unknown = document;
  for (const key of address.split('/')) at = (at as Objects | undefined)?.[key];
  return at as Document | undefined;
}

/** Plain values of all objects of some lists, by id. */
export async function liveObjects(world: World): Promise<ReadonlyMap<string, string>> {
  const org = `orgs/${organization}`;
  const found = new Map<string, string>();
  for (const path of ['teams', 'translations', 'saml', 'collections', 'sites']) {
    const page = (await world.service.get(`${org}/${path}?limit=1000`)) as
      | { items: readonly Json[] }
      | undefined;
    for (const item of page?.items ?? []) {
      const { id, updatedAt: _time, ...rest } = item;
      const values = Object.entries(rest).filter(([, value]) => typeof value !== 'object');
      found.set(String(id), `${path} ${JSON.stringify(Object.fromEntries(values))}`);
    }
  }
  return found;
}
