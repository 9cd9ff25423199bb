/** The service of a session: connected when it is first needed, and let go of with the session. */
import type { Api } from '../contract/api.ts';
import { findOrganization } from '../live/find-organization.ts';
import type { DesiredTree } from '../tree/desired-tree.ts';

/** The service of a run, and how to let go of it. */
export interface Connection {
  readonly api: Api;
  readonly close: () => Promise<void>;
}

/** A service that was handed over, or a function that connects. */
export type ServiceSource = Api | ((trees: readonly DesiredTree[]) => Promise<Connection>);

/** An organization of a run: its name in messages, and its id. */
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

  /** The service; `trees`: what the run is about, for one that has to be started. */
  async api(trees: readonly DesiredTree[]): Promise<Api> {
    this.#connection ??=
      typeof this.#source === 'function'
        ? this.#source(trees)
        : Promise.resolve({ api: this.#source, close: async () => undefined });
    return (await this.#connection).api;
  }

  /**
   * The ids of the organizations. Asks the service for those that the manifests name by something else.
   *
   * @throws DiagnosticError where there is none, or more than one.
   */
  identify(trees: readonly DesiredTree[]): Promise<readonly IdentifiedOrganization[]> {
    return Promise.all(
      trees.map(async (tree) => ({ label: tree.label, id: tree.id ?? (await this.#find(tree, trees)) })),
    );
  }

  /** Ends what was connected; a service that was handed over stays. */
  async close(): Promise<void> {
    const connection = await this.#connection?.catch(() => undefined);
    await connection?.close();
  }

  async #find(tree: DesiredTree, trees: readonly DesiredTree[]): Promise<string> {
    const { id } = (await findOrganization(await this.api(trees), tree, tree.root?.at)) as { id: string };
    return id;
  }
}
