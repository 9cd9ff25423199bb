/**
 * Exports an organization: reads it, gives everything a key, writes manifests that declare it, and returns them only if a plan
 * of them is empty. Changes neither the service nor files.
 */
import type { Api } from '../../contract/api.ts';
import type { Registry } from '../../kinds/registry.ts';
import {
  collectionsData,
  fieldsData,
  type LeftOutField,
  type LiveDataOptions,
  ReferenceKeys,
} from '../../manifest/emit/live-data.ts';
import { type ManifestFiles, withTexts } from '../../manifest/files/disk.ts';
import { loadWorkspace } from '../../manifest/load-workspace.ts';
import type { Past } from '../../plan/past.ts';
import type { OrganizationPlan } from '../../plan/plan.ts';
import { covers, prefixesOf } from '../../tree/addressing.ts';
import { rootAddress } from '../../tree/desired.ts';
import { canBePinned, identityValue } from '../../tree/identity.ts';
import type { LiveNode } from '../../tree/live.ts';
import type { ObjectRef } from '../../tree/refs.ts';
import { defined } from '../../util/defined.ts';
import { type Diagnostic, DiagnosticError } from '../../util/diagnostic.ts';
import type { DiagnosticCode } from '../../util/diagnostic-codes.ts';
import { grouped } from '../../util/group.ts';
import { userError } from '../../util/user-error.ts';
import type { Data } from '../../yaml/data.ts';
import { planTree } from '../plan-tree.ts';
import { type ManifestText, textsOf } from './documents.ts';
import {
  type ExportInput,
  type ExportInputOptions,
  organizationOf,
  readExportInput,
} from './export-input.ts';
import type { Outline } from './outline.ts';
import { unseenParts } from './unseen.ts';

export type Pinning = 'all' | 'ambiguous' | 'none';

export interface WriteDownOptions {
  readonly registry: Registry;
  readonly pin: Pinning;
  readonly layout: 'one' | 'split';
  /** Keys by address from the last recorded apply, because the plans of the repository use them. */
  readonly recorded?: ReadonlyMap<string, string> | undefined;
}

export type ExportOptions = WriteDownOptions & ExportInputOptions;

export type Exported = Awaited<ReturnType<typeof writeDown>>;

/** Each round pins at least one more misidentified object. */
const mostRounds = 20;

/** @throws DiagnosticError if a plan of the manifests would not be empty; ApiError if a request fails. */
export function writeDown(api: Api, input: ExportInput, options: WriteDownOptions) {
  return new Writer(api, options, input).write();
}

/**
 * @throws DiagnosticError if the organization does not exist, a glob has no match, or a plan of the manifests would not be empty;
 * ApiError if a request fails.
 */
export async function exportOrganization(api: Api, options: ExportOptions): Promise<Exported> {
  return writeDown(api, await readExportInput(api, options), options);
}

/** Writes manifests with more and more ids, until their plan is empty. */
class Writer {
  readonly #api: Api;
  readonly #options: WriteDownOptions;
  readonly #input: ExportInput;
  readonly #pinned: Set<string>;
  readonly #omitted = new Map<string, string>();
  /** Objects that no manifest can declare, with the reason. */
  readonly #dropped = new Map<string, string>();

  constructor(api: Api, options: WriteDownOptions, input: ExportInput) {
    this.#api = api;
    this.#options = options;
    this.#input = input;
    this.#pinned = new Set(firstPins(input.outline, options));
  }

  async write() {
    const { recorded: ids } = this.#options;
    let documents = this.#documents();
    for (let round = 1; ; round += 1) {
      let differences = await this.#differences(documents.files);
      // The plan must be empty with the local records, and in a clone without them.
      if (differences.length === 0 && ids !== undefined && ids.size > 0)
        differences = await this.#differences(documents.files, { ids });
      if (differences.length === 0) break;
      if (round === mostRounds || !this.#learn(differences)) throw this.#failure(differences);
      documents = this.#documents();
    }
    const { files, objects, leftOut } = documents;
    const dropped = [...this.#dropped].map(([what, reason]) => ({ what, reason }));
    const fields = leftOut.map(({ address, field, reason }) => ({ what: `${field} of ${address}`, reason }));
    return {
      organization: organizationOf(this.#input),
      files,
      objects,
      pinned: [...this.#pinned].filter((address) => this.#input.selection.has(address)).sort(),
      /** Known live objects and values that are not in the manifests. */
      leftOut: [...unseenParts(this.#input), ...dropped, ...fields],
    };
  }

  /** Loads and plans the texts. Only makes requests that were not made before, such as searches. */
  async #differences(texts: readonly ManifestText[], past?: Past): Promise<readonly ExportDifference[]> {
    const { registry } = this.#options;
    const { memory } = this.#input.state;
    const files = new Map(texts.map(({ name, text }) => [`${folder}/${name}`, text]));
    const given = { paths: [...files.keys()], overlays: [], env: {}, cwd: folder, registry };
    const loaded = await loadWorkspace({ ...given, files: withTexts(nothing, files) });
    const errors = errorsIn(loaded.diagnostics);
    const [tree] = loaded.trees;
    if (errors.length > 0 || tree === undefined) return errors;
    const options = { registry, memory, isStale: () => false, past };
    const { plan, problems } = await planTree(this.#api, tree, options);
    const wrong = [...errorsIn(problems), ...plan.refusals];
    return [
      ...(wrong.length > 0 ? wrong : this.#mistaken(plan.ids)),
      ...plan.steps.map(({ address, reason: message, action, fields }) => {
        const updates = action === 'update' ? fields.map(({ field }) => field) : [];
        return { address, message, updates };
      }),
    ];
  }

  /** Parents of selected objects are also written, but only with their ids. */
  #documents() {
    const { state, outline, selection } = this.#input;
    const { registry, layout } = this.#options;
    const isDropped = covers(this.#dropped.keys());
    const isSelected = (address: string) => selection.has(address) && !isDropped(address);
    const open = new Set([...outline.objects.keys()].filter(isSelected).flatMap(prefixesOf));
    const shown = [...outline.objects].filter(([address]) => open.has(address));
    const addressOf = (ref: ObjectRef) => {
      const address = outline.addressOf(ref);
      return address === rootAddress || open.has(address ?? '') ? address : undefined;
    };
    const leftOut: LeftOutField[] = [];
    const write: LiveDataOptions = {
      registry,
      live: state.live,
      addressOf,
      references: new ReferenceKeys(shown.map(([address, { kind }]) => ({ kind, address }))),
      isPinned: (node) => this.#pinned.has(addressOf(node) ?? ''),
      isShell: (node) => !isSelected(addressOf(node) ?? ''),
      childrenOf: (node, collection) =>
        outline.childrenOf(node, collection)?.filter((child) => addressOf(child) !== undefined),
      whyOmitted: (node, field) => this.#omitted.get(`${addressOf(node)} ${field}`),
      onLeftOut: (one) => leftOut.push(one),
    };
    const { root } = outline;
    const own = isSelected(rootAddress) ? fieldsData(root, write) : new Map<string, Data>();
    const files = textsOf(registry, layout, root.id, { own, collections: collectionsData(root, write) });
    // The organization does not count.
    return { files, leftOut, objects: shown.length };
  }

  #mistaken(ids: OrganizationPlan['ids']): readonly ExportDifference[] {
    return [...this.#input.outline.objects].flatMap(([address, { id }]) => {
      const found = Object.hasOwn(ids, address) ? ids[address] : undefined;
      const message = `${address} would be ${found} instead of ${id}`;
      return found === undefined || found === id ? [] : [{ address, message }];
    });
  }

  /** Pins objects, or omits what a plan would change; false if no option remains. */
  #learn(differences: readonly ExportDifference[]): boolean {
    const fresh = differences.flatMap(({ address }) => (this.#mayPin(address) ? [address] : []));
    for (const address of fresh) this.#pinned.add(address);
    if (fresh.length > 0) return true;
    const fields = differences.flatMap(({ address, updates = [] }) =>
      updates.map((field) => `${address} ${field}`),
    );
    for (const field of fields) this.#omitted.set(field, 'the service rejects the value that it shows');
    return fields.length > 0 || this.#drop(differences);
  }

  /** Omits objects that cause differences; false if they cannot be omitted. */
  #drop(differences: readonly ExportDifference[]): boolean {
    const before = this.#dropped.size;
    if (this.#options.pin === 'none') return false;
    for (const { address = rootAddress, message } of differences)
      if (this.#input.outline.objects.has(address)) this.#dropped.set(address, message);
    return this.#dropped.size > before;
  }

  #mayPin(address: string | undefined): address is string {
    const { pin, registry } = this.#options;
    if (address === undefined || pin === 'none' || this.#pinned.has(address)) return false;
    const node = this.#input.outline.objects.get(address);
    return node !== undefined && registry.byName(node.kind).identity.idParam !== undefined;
  }

  #failure(differences: readonly ExportDifference[]): DiagnosticError {
    const { pin, layout } = this.#options;
    const large = differences.find(({ code }) => code === 'file-too-large');
    const less =
      layout === 'one' ? 'add --split: one file for each kind and each site' : 'leave out a part with --only';
    if (large !== undefined)
      return userError('export-differs', `the export would not fit: ${large.message}`, less);
    const suggestion =
      pin === 'none'
        ? 'some objects can only be distinguished by their id: pass --pin ambiguous'
        : 'leave out what differs with --only, and report it: this is a defect of Octavo or of the service';
    return new DiagnosticError(
      differences.map(({ address, message: why }) => {
        const message = `the export would differ from the live state: ${why}`;
        return { severity: 'error', code: 'export-differs', message, ...defined({ address }), suggestion };
      }),
    );
  }
}

/** Addresses of objects whose ids are always written. `ambiguous`: the strongest identity is missing, or also that of another one. */
function firstPins({ objects }: Outline, { pin, registry }: WriteDownOptions): readonly string[] {
  if (pin === 'none') return [];
  const open = [...objects].filter(([, { kind }]) => canBePinned(registry.byName(kind)));
  const named = grouped(open, ([, node]) => nameOf(node, registry) ?? '');
  const isPinned = (name: string, alike: number) => pin === 'all' || name === '' || alike > 1;
  const pinned = [...named].flatMap(([name, alike]) => (isPinned(name, alike.length) ? alike : []));
  return pinned.map(([address]) => address);
}

function nameOf({ kind: name, fields, scope }: LiveNode, registry: Registry): string | undefined {
  const { by } = registry.byName(name).identity;
  // Two empty names do not prove that objects are the same.
  if (by.some(({ field }) => typeof fields[field] === 'string' && fields[field].trim() === ''))
    return undefined;
  for (const identity of by) {
    const value = identityValue(fields, identity);
    if (value !== undefined) return JSON.stringify([name, scope.kind, scope.id, identity.field, value]);
  }
  return undefined;
}

/** A change of a plan of the export, or a reason why it cannot be planned. */
interface ExportDifference extends Pick<Diagnostic, 'address' | 'message'> {
  readonly code?: DiagnosticCode;
  readonly updates?: readonly string[];
}

/** This path does not exist, because exports are checked before files are written. */
const folder = '/export';

const nothing: ManifestFiles = {
  type: async () => 'missing',
  list: async () => [],
  size: async () => 0,
  read: async () => new Uint8Array(),
  real: async (file) => file,
};

function errorsIn(diagnostics: readonly Diagnostic[]): readonly Diagnostic[] {
  return diagnostics.filter(({ severity }) => severity === 'error');
}
