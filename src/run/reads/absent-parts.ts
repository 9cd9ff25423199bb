/**
 * Lists that the service does not have. A missing route and a missing object return the same error, so the object that the list
 * belongs to is checked. A missing kind never blocks other kinds; manifests that declare it are wrong.
 */
import type { Api, ApiError } from '../../contract/api.ts';
import type { Registry } from '../../kinds/registry.ts';
import { getOne } from '../../live/live-reader.ts';
import type { DesiredNode } from '../../tree/desired.ts';
import type { DesiredTree } from '../../tree/desired-tree.ts';
import type { LiveTree } from '../../tree/live.ts';
import type { Read } from '../../tree/reads.ts';
import type { ObjectRef } from '../../tree/refs.ts';
import type { Diagnostic } from '../../util/diagnostic.ts';

type ListRead = Extract<Read, { type: 'list' | 'field' | 'openWork' }>;

/** The object whose list was read has just been deleted, so earlier reads are outdated. */
export class DeletedDuringRead extends Error {
  override readonly cause: ApiError;

  constructor(cause: ApiError) {
    super(cause.message);
    this.name = 'DeletedDuringRead';
    this.cause = cause;
  }
}

/** True for errors about parts that the service does not have, or returns in another shape. */
export function isAbsent({ status, type }: ApiError): boolean {
  return status === 404 || status === 405 || status === 501 || type === 'shape';
}

export class AbsentParts {
  readonly #api: Api;
  readonly #registry: Registry;
  readonly #found = new Map<string, { readonly read: ListRead; readonly message: string }>();

  constructor(api: Api, registry: Registry) {
    this.#api = api;
    this.#registry = registry;
  }

  /** @throws DeletedDuringRead */
  async isOptional(live: LiveTree, read: Read, error: ApiError): Promise<boolean> {
    if (!isAbsent(error)) return false;
    if (read.type !== 'list' && read.type !== 'field' && read.type !== 'openWork') return false;
    const { operation, status, type } = error;
    // Open work may exist, but cannot be counted.
    if (read.type === 'openWork' && type === 'shape') return false;
    const what = this.#whatOf(read);
    if (this.#found.has(what)) return true;
    if (status === 404 && !(await this.#isThere(live, read.of))) throw new DeletedDuringRead(error);
    const message =
      type === 'shape'
        ? `this service shows ${what} in an unknown form: ${operation}`
        : `this service has no ${what}: ${operation} returned ${status}`;
    this.#found.set(what, { read, message });
    return true;
  }

  problems(tree: DesiredTree): readonly Diagnostic[] {
    return [...this.#found.values()].map(({ read, message }): Diagnostic => {
      const declared = declaring(tree, read);
      if (declared === undefined)
        return { severity: 'warning', code: 'not-in-service', message: `${message}; left out` };
      const { address, at } = declared;
      const suggestion = 'remove it from the manifests, or check the base URL';
      return { severity: 'error', code: 'not-in-service', message, address, at, suggestion };
    });
  }

  #whatOf(read: ListRead): string {
    const kind = this.#registry.byName(read.type === 'list' ? read.kind : read.of.kind);
    if (read.type === 'list') return `${kind.noun}s`;
    return read.type === 'field' ? `${read.field} of ${kind.noun}s` : `${kind.deletion.openWork?.noun}s`;
  }

  async #isThere(live: LiveTree, of: ObjectRef): Promise<boolean> {
    const { get } = this.#registry.byName(of.kind).reads;
    const node = live.get(of);
    // Finding the organization already proved that it exists.
    if (get === undefined || node === undefined || of.kind === this.#registry.root.name) return true;
    return (await getOne(this.#api, get.operation, node.params)) !== undefined;
  }
}

function declaring(tree: DesiredTree, read: ListRead): Pick<DesiredNode, 'address' | 'at'> | undefined {
  if (read.type === 'openWork') return undefined;
  if (read.type === 'list') return tree.ofKind(read.kind)[0];
  const { field, of } = read;
  const node = tree.ofKind(of.kind).find(({ fields }) => fields[field] !== undefined);
  return node && { address: node.address, at: node.fieldAt[field] ?? node.at };
}
