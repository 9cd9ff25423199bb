/**
 * Exports an organization: reads it, gives everything a key, writes manifests that declare it as it is, and returns them only
 * once a plan of them is empty. Changes nothing, neither the service nor files.
 */
import type { Api } from '../../contract/api.ts';
import type { Kind } from '../../kinds/kind.ts';
import type { Fields } from '../../kinds/payload.ts';
import type { Registry } from '../../kinds/registry.ts';
import { identityValue } from '../../tree/identity.ts';
import type { LiveNode } from '../../tree/live.ts';
import { type Diagnostic, DiagnosticError } from '../../util/diagnostic.ts';
import { grouped } from '../../util/group.ts';
import { type Documents, documentsOf, type ManifestText } from './documents.ts';
import { type ExportLook, type LookAtOptions, lookAt, organizationOf } from './look-at.ts';
import { type LeftOut, unseenParts } from './unseen.ts';
import { type ExportCheck, verify } from './verify.ts';

/** Which objects get their id. */
export type Pinning = 'all' | 'ambiguous' | 'none';

/** How to write down what was read. */
export interface WriteDownOptions {
  readonly registry: Registry;
  readonly pin: Pinning;
  readonly layout: 'one' | 'split';
  /** Ids of the last recorded apply, by address: plans in the repository know them. */
  readonly recorded?: ReadonlyMap<string, string> | undefined;
}

/** What is exported, and how. */
export type ExportOptions = WriteDownOptions & LookAtOptions;

/** An export that is not written anywhere yet. */
export interface Exported {
  readonly organization: { readonly id: string; readonly title: string };
  readonly files: readonly ManifestText[];
  /** Objects that the manifests declare, beside the organization. */
  readonly objects: number;
  /** Addresses that have an id. */
  readonly pinned: readonly string[];
  /** What is live and not in the manifests, as far as it is known; a clause each. */
  readonly leftOut: readonly LeftOut[];
}

/** Rounds of pinning what was mistaken for something else; each pins at least one object more. */
const mostRounds = 20;

/**
 * Writes down an organization that was read.
 *
 * @throws DiagnosticError where a plan of the manifests would not be empty; ApiError when a request fails.
 */
export async function writeDown(api: Api, look: ExportLook, options: WriteDownOptions): Promise<Exported> {
  const { documents, pinned } = await new Writer(api, { options, look }).write();
  const { files, objects } = documents;
  const fields = documents.leftOut.map(({ address, field, reason }) => ({
    what: `${field} of ${address}`,
    reason,
  }));
  return {
    organization: organizationOf(look),
    files,
    objects,
    pinned,
    leftOut: [...unseenParts(look), ...fields],
  };
}

/**
 * Reads and writes down an organization.
 *
 * @throws DiagnosticError where there is no such organization, where a glob matches nothing, and where a plan of the manifests
 * would not be empty; ApiError when a request fails.
 */
export async function exportOrganization(api: Api, options: ExportOptions): Promise<Exported> {
  return writeDown(api, await lookAt(api, options), options);
}

interface WriterParts {
  readonly options: WriteDownOptions;
  readonly look: ExportLook;
}

/** Writes manifests again and again, with more ids, until a plan of them is empty. */
class Writer {
  readonly #api: Api;
  readonly #parts: WriterParts;
  readonly #pinned: Set<string>;
  readonly #omitted = new Map<string, string>();

  constructor(api: Api, parts: WriterParts) {
    this.#api = api;
    this.#parts = parts;
    const { outline } = parts.look;
    this.#pinned = new Set(this.#firstPins().map((node) => outline.addressOf(node) ?? ''));
  }

  async write(): Promise<{ readonly documents: Documents; readonly pinned: readonly string[] }> {
    const { options, look } = this.#parts;
    const { registry, recorded: knownIds } = options;
    for (let round = 1; ; round += 1) {
      const documents = this.#documents();
      const against = { api: this.#api, memory: look.state.memory, registry };
      let check = await verify(documents.files, against);
      // The plan is empty both with what is recorded here, and in a clone that has no records.
      if (this.#isSound(check) && knownIds !== undefined && knownIds.size > 0)
        check = await verify(documents.files, { ...against, knownIds });
      if (this.#isSound(check)) return { documents, pinned: this.#written() };
      if (round === mostRounds || !this.#learn(check)) throw this.#failure(check);
    }
  }

  #isSound(check: ExportCheck): boolean {
    return this.#mistaken(check).length === 0 && check.problems.length === 0 && check.steps.length === 0;
  }

  #documents(): Documents {
    const { options, look } = this.#parts;
    const { state, outline, selection } = look;
    return documentsOf({
      registry: options.registry,
      live: state.live,
      outline,
      isSelected: selection.has,
      pinned: this.#pinned,
      omitted: this.#omitted,
      layout: options.layout,
    });
  }

  #firstPins(): readonly LiveNode[] {
    const { options, look } = this.#parts;
    const { outline } = look;
    const { pin, registry } = options;
    if (pin === 'none') return [];
    if (pin === 'ambiguous') return lookAlikes(outline.nodes, registry);
    return outline.nodes.filter(({ kind }) => canBePinned(registry.byName(kind)));
  }

  /** Addresses whose object was taken for another one, or was not found. */
  #mistaken({ ids, problems }: ExportCheck): readonly string[] {
    if (problems.length > 0) return problems.flatMap(({ address }) => address ?? []);
    const { outline } = this.#parts.look;
    return outline.nodes.flatMap((node) => {
      const address = outline.addressOf(node) ?? '';
      const found = Object.hasOwn(ids, address) ? ids[address] : undefined;
      return found === undefined || found === node.id ? [] : [address];
    });
  }

  /** Pins what was mistaken, or leaves out what would be changed; false where nothing is left to try. */
  #learn(check: ExportCheck): boolean {
    const wrong = [...this.#mistaken(check), ...check.steps.map(({ address }) => address)];
    const fresh = wrong.filter((address) => this.#mayPin(address));
    for (const address of fresh) this.#pinned.add(address);
    if (fresh.length > 0) return true;
    const updates = check.steps.filter(({ action }) => action === 'update');
    for (const { address, fields } of updates)
      for (const { field } of fields)
        this.#omitted.set(`${address} ${field}`, 'the service does not take back the value that it shows');
    return updates.length > 0;
  }

  #mayPin(address: string): boolean {
    const { options, look } = this.#parts;
    const { outline } = look;
    if (options.pin === 'none' || this.#pinned.has(address)) return false;
    const node = outline.at(address);
    return node !== undefined && options.registry.byName(node.kind).idParam !== undefined;
  }

  /** Of what is pinned, that which is written. */
  #written(): readonly string[] {
    const { selection } = this.#parts.look;
    return [...this.#pinned].filter((address) => selection.has(address)).sort();
  }

  #failure({ problems, steps }: ExportCheck): DiagnosticError {
    const { pin } = this.#parts.options;
    const suggestion =
      pin === 'none'
        ? 'objects that nothing else tells apart need their id: pass --pin ambiguous'
        : 'leave out what differs with --only, and report it: this is a defect of Octavo or of the service';
    const about = [
      ...problems.map(({ address, message }) => ({ address, message })),
      ...steps.map(({ address, reason }) => ({ address, message: reason })),
    ];
    return new DiagnosticError(
      about.map(
        ({ address, message }): Diagnostic => ({
          severity: 'error',
          code: 'export-differs',
          message: `the export would not be what is live: ${message}`,
          ...(address === undefined ? {} : { address }),
          suggestion,
        }),
      ),
    );
  }
}

/** True for kinds whose objects can have an id in manifests, and have no key that is one already. */
function canBePinned({ idParam, key }: Kind): boolean {
  return idParam !== undefined && key === undefined;
}

/** The objects whose strongest identity is that of another one as well, or that have none. */
function lookAlikes(nodes: readonly LiveNode[], registry: Registry): readonly LiveNode[] {
  const open = nodes.filter(({ kind }) => canBePinned(registry.byName(kind)));
  return [...grouped(open, (node) => nameOf(node, registry) ?? '')].flatMap(([name, alike]) =>
    name === '' || alike.length > 1 ? alike : [],
  );
}

function nameOf({ kind: name, fields, scope }: LiveNode, registry: Registry): string | undefined {
  if (hasBlankName(registry.byName(name), fields)) return undefined;
  for (const identity of registry.byName(name).identities) {
    const value = identityValue(fields, identity);
    if (value !== undefined) return JSON.stringify([name, scope.kind, scope.id, identity.field, value]);
  }
  return undefined;
}

/** True where one of the names is there and empty: that it is the same is then no proof. */
function hasBlankName({ identities }: Kind, fields: Fields): boolean {
  return identities.some(({ field }) => {
    const value = fields[field];
    return typeof value === 'string' && value.trim() === '';
  });
}
