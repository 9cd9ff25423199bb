/** Reads one organization for an export, as far as requests exist, and records the parts that the token may not read. */
import { type Api, type ApiError, hasStatus } from '../../contract/api.ts';
import type { OperationOutput } from '../../contract/index.ts';
import type { Kind } from '../../kinds/kind.ts';
import { needsDetail, valueWith } from '../../kinds/parts/field.ts';
import type { Registry } from '../../kinds/registry.ts';
import { openLive } from '../../live/live-reader.ts';
import { ReadMemory } from '../../live/read-memory.ts';
import { prefixesOf } from '../../tree/addressing.ts';
import { rootAddress } from '../../tree/desired.ts';
import { DesiredTree } from '../../tree/desired-tree.ts';
import type { LiveNode, LiveTree } from '../../tree/live.ts';
import type { Read } from '../../tree/reads.ts';
import type { ObjectRef } from '../../tree/refs.ts';
import { settingsSchemaOf } from '../../tree/settings.ts';
import { addressMatcher } from '../../util/glob.ts';
import { userError } from '../../util/user-error.ts';
import { isAbsent } from '../reads/absent-parts.ts';
import { refuseUnmatched } from '../targets.ts';
import { Outline } from './outline.ts';

export interface ExportInputOptions {
  readonly registry: Registry;
  /** Id, hostname or title; not needed if existing manifests name one, or the token has access to only one. */
  readonly organization?: string | undefined;
  readonly only?: readonly string[] | undefined;
  /** Addresses in existing manifests, which globs may also match. */
  readonly known?: Iterable<string> | undefined;
}

export type ExportInput = Awaited<ReturnType<typeof readExportInput>>;

/** @throws DiagnosticError if the organization does not exist or a glob has no match; ApiError if a request fails. */
export async function readExportInput(api: Api, options: ExportInputOptions) {
  const { registry, only } = options;
  const organizationId = await findOrganization(api, options.organization);
  const selection = selectionOf(registry, only);
  const state = await readLists(api, registry, organizationId, selection.mayHave);
  const refused = state.refused.map(({ read }) => read);
  const outline = new Outline(registry, state.live, refused);
  const addresses = [rootAddress, ...outline.objects.keys()];
  refuseUnmatched(
    { '--only ': only },
    [{ addresses: [...new Set([...addresses, ...(options.known ?? [])].flatMap(prefixesOf))] }],
    '; export without --only to see all',
  );
  // Without the organization.
  const exported = [...outline.objects].flatMap(([address, node]) => (selection.has(address) ? [node] : []));
  const reads = (selection.has(rootAddress) ? [outline.root, ...exported] : exported).flatMap(
    ({ kind, id }) =>
      Object.entries(state.registry.byName(kind).fields)
        .filter(([, field]) => needsDetail(field, undefined))
        .map(([field]): Read => ({ type: 'field', of: { kind, id }, field })),
  );
  await state.reader.read(reads);
  return { state, outline, selection, exported };
}

/** A read that was refused, for example because the token lacks access or the plan of the organization lacks the feature. */
export interface RefusedRead {
  readonly read: Read;
  readonly error: ApiError;
}

/** Statuses of parts that the token may not read. */
const closed: ReadonlySet<number> = new Set([402, 403, 410]);

/**
 * Reads from the organization down. Omits lists that the service refuses. `registry`: the kinds of this service; `memory`: for a plan
 * that needs the responses again.
 * @throws DiagnosticError if the organization does not exist; ApiError if a request fails for another reason.
 */
async function readLists(api: Api, all: Registry, id: string, isWanted: (kind: Kind) => boolean) {
  const memory = new ReadMemory();
  const refused: RefusedRead[] = [];
  const settings = settingsSchemaOf(all).parse({});
  const empty = new DesiredTree({ label: id, id, settings, nodes: new Map() });
  const reader = await openLive(api, empty, {
    registry: all,
    memory,
    isOptional: (read, error) => {
      const isOptional = isAbsent(error) || closed.has(error.status ?? 0);
      if (isOptional) refused.push({ read, error });
      return isOptional;
    },
  });
  const { registry, tree: live } = reader;
  const kinds = registry.kinds.filter(isWanted);
  const seen = new Set<LiveNode>();
  for (;;) {
    const fresh = live.nodes().filter((node) => !seen.has(node) && node.deleted !== true);
    if (fresh.length === 0) return { reader, live, registry, memory, refused };
    for (const node of fresh) seen.add(node);
    const reads = fresh.flatMap((node) => kinds.flatMap((kind) => readsInside(node, kind, live)));
    if (reads.length > 0) await reader.read(reads);
  }
}

function readsInside(node: LiveNode, kind: Kind, live: LiveTree): readonly Read[] {
  const of: ObjectRef = { kind: node.kind, id: node.id };
  const { list, get } = kind.reads;
  if (list?.places?.per === node.kind) {
    const inside = live.childrenOf(node).filter((child) => child.kind === kind.name);
    return inside.length > 1 ? [{ type: 'places', kind: kind.name, of }] : [];
  }
  if (list?.per === node.kind) return [{ type: 'list', kind: kind.name, of }];
  const isSingle = kind.manifest.places.some(
    ({ parent, shape }) => parent === node.kind && shape === 'single',
  );
  return isSingle && get !== undefined ? [{ type: 'single', kind: kind.name, of }] : [];
}

export function organizationOf({ state: { live, registry }, outline }: ExportInput) {
  const id = live.organizationId;
  return { id, title: String(valueWith(registry.root, outline.root.fields, 'title') ?? id) };
}

/** Above this number, only counts organizations. */
const listed = 10;

/**
 * Finds an organization by id, hostname or title.
 * @throws DiagnosticError unless exactly one matches.
 */
export async function findOrganization(api: Api, named: string | undefined): Promise<string> {
  let all: readonly OperationOutput<'orgs.get'>[];
  try {
    all = (await api.all('orgs.list', {})) as typeof all;
  } catch (error) {
    if (named !== undefined && hasStatus(error, 403)) return named;
    throw error;
  }
  const byId = all.filter(({ id }) => id === named);
  const byName = all.filter(({ hostname, title }) => hostname === named || title === named);
  const found = named === undefined ? all : byId.length > 0 ? byId : byName;
  const [only, other] = found;
  if (only !== undefined && other === undefined) return only.id;
  const name = JSON.stringify(named);
  const [none, several] =
    named === undefined
      ? ['the token can see no organization', 'the token can see']
      : [`none of the token's ${all.length} organizations is called ${name}`, `${name} is the name of`];
  if (only === undefined) throw userError('organization-not-found', none, hintFor(all));
  throw userError('organization-not-found', `${several} ${found.length} organizations`, hintFor(found));
}

function hintFor(all: readonly OperationOutput<'orgs.get'>[]): string {
  if (all.length === 0) return 'check the token and the base URL';
  const names = all.slice(0, listed).map(({ id, title }) => `${id} (${title})`);
  return `pass one with --organization: ${names.join(', ')}${all.length > listed ? ', …' : ''}`;
}

function selectionOf(registry: Registry, patterns: readonly string[] = ['**']) {
  const matches = addressMatcher(patterns);
  const first = new Set(patterns.map((pattern) => prefixesOf(pattern)[0] ?? ''));
  const isAnything = [...first].some((name) => !isListedUnder(registry, name));
  return {
    /** True also for addresses inside of a matching one. */
    has: (address: string) => prefixesOf(address).some(matches),
    mayHave: (kind: Kind) => isAnything || rootKeysOf(registry, kind).some((key) => first.has(key)),
  };
}

/** A list of the organization shows the objects under its key. */
function isListedUnder(registry: Registry, key: string): boolean {
  const { root } = registry;
  if (key === root.name) return true;
  const places = registry.at(root.name, key);
  return places.length > 0 && places.every(({ kind }) => kind.reads.list?.per === root.name);
}

function rootKeysOf(registry: Registry, kind: Kind): readonly string[] {
  const keys = new Set<string>();
  const kinds = new Set([kind]);
  for (const { manifest } of kinds)
    for (const { parent, key } of manifest.places) {
      if (parent === registry.root.name) keys.add(key);
      else kinds.add(registry.byName(parent));
    }
  return [...keys];
}
