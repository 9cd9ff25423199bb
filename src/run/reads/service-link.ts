/** The service of a session: connected on demand, closed with the session. */
import type { Api } from '../../contract/api.ts';
import { findOrganization } from '../../live/find-organization.ts';
import type { DesiredTree } from '../../tree/desired-tree.ts';

export interface Connection {
  readonly api: Api;
  readonly close: () => Promise<void>;
}

export type ServiceSource = Api | ((trees: readonly DesiredTree[]) => Promise<Connection>);

export interface IdentifiedOrganization {
  readonly label: string;
  readonly id: string;
}

/** Connects at most once. */
export class ServiceLink {
  readonly #source: ServiceSource;
  #connection: Promise<Connection> | undefined;

  constructor(source: ServiceSource) {
    this.#source = source;
  }

  async api(trees: readonly DesiredTree[]): Promise<Api> {
    this.#connection ??=
      typeof this.#source === 'function'
        ? this.#source(trees)
        : Promise.resolve({ api: this.#source, close: async () => undefined });
    return (await this.#connection).api;
  }

  /**
   * Looks up organization ids that the manifests do not have.
   * @throws DiagnosticError unless exactly one matches.
   */
  identify(trees: readonly DesiredTree[]): Promise<readonly IdentifiedOrganization[]> {
    return Promise.all(
      trees.map(async (tree) => {
        const { label, root, id } = tree;
        if (id !== undefined) return { label, id };
        const found = await findOrganization(await this.api(trees), tree, root?.at);
        return { label, id: (found as { readonly id: string }).id };
      }),
    );
  }

  /** Does not close a service that was passed in. */
  async close(): Promise<void> {
    const connection = await this.#connection?.catch(() => undefined);
    await connection?.close();
  }
}
