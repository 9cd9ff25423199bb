/** Reads the live state of all organizations of a run and plans them, as often as it is asked to. */
import type { Api } from '../contract/api.ts';
import { registry } from '../kinds/index.ts';
import { readLive } from '../live/read-live.ts';
import { type Planned, type PlanOptions, planOrganization } from '../plan/make-plan.ts';
import type { OrganizationPlan, Plan } from '../plan/plan.ts';
import type { DesiredTree } from '../tree/desired.ts';
import { type LiveTree, liveKey } from '../tree/live.ts';
import { pinTree } from '../tree/pin-tree.ts';
import { DiagnosticError, hasErrors } from '../util/diagnostic.ts';
import { addressMatcher } from '../util/glob.ts';
import type { Bases } from './base.ts';
import type { Flags } from './flags.ts';
import type { Output } from './output.ts';

/** What a planner works with. */
export interface PlannerOptions {
  readonly api: Api;
  readonly trees: readonly DesiredTree[];
  /** What was wanted before, where that is known. */
  readonly bases?: Bases | undefined;
  readonly flags: Pick<Flags, 'target' | 'exclude' | 'allowDeletes' | 'ignoreDrift' | 'skipRefused'>;
  readonly output: Output;
}

/** Plans with the same manifests and options each time. */
export class Planner {
  readonly #options: PlannerOptions;
  /** Each base with the ids that its objects had when the plan was made: under another title they are still the same. */
  readonly #pinned = new WeakMap<DesiredTree, DesiredTree>();

  constructor(options: PlannerOptions) {
    this.#options = options;
  }

  /** The bases as the last plan knew their objects. */
  get bases(): Bases | undefined {
    const { bases } = this.#options;
    return bases && new Map([...bases].map(([label, base]) => [label, this.#pinned.get(base) ?? base]));
  }

  /** The plan of the whole run. Throws a DiagnosticError with the problems of all organizations. */
  async plan(): Promise<Plan> {
    const { trees, output } = this.#options;
    const progress = await output.progress('Reading the live state');
    let requests = 0;
    const onRead = () => {
      requests += 1;
      progress.update(`Reading the live state: ${requests} ${requests === 1 ? 'request' : 'requests'}`);
    };
    try {
      const planned = await Promise.all(trees.map((tree) => this.#planTree(tree, { onRead })));
      const problems = planned.flatMap((one) => one.problems);
      if (hasErrors(problems)) throw new DiagnosticError(problems);
      return {
        format: 1,
        organizations: planned.map(({ plan, problems: notes }) => ({
          ...plan,
          notes: [...plan.notes, ...notes],
        })),
      };
    } finally {
      progress.stop();
    }
  }

  /**
   * The plan of one organization, from a new look at its live state. `made`: ids, by address, of objects that were made
   * since the plan.
   */
  async replan(
    approved: OrganizationPlan,
    made: ReadonlyMap<string, string> = new Map(),
  ): Promise<OrganizationPlan> {
    const ids = new Map([...Object.entries(approved.ids), ...made]);
    const { plan, problems } = await this.#planTree(this.#treeOf(approved), { ids });
    if (hasErrors(problems)) throw new DiagnosticError(problems);
    return plan;
  }

  /**
   * The same, for a plan of which nothing was done yet: an object that is gone since is told as what it leads to. `only`:
   * addresses to which the plan is limited, with all that they need.
   */
  async recheck(approved: OrganizationPlan, only?: ReadonlySet<string>): Promise<OrganizationPlan> {
    const ids = new Map(Object.entries(approved.ids));
    const { plan, problems } = await this.#planTree(this.#treeOf(approved), {
      ids,
      mayBeGone: true,
      ...(only === undefined ? {} : { only }),
    });
    if (hasErrors(problems)) throw new DiagnosticError(problems);
    return plan;
  }

  /** The tree, for the very organization of the plan: another one may by now have what it is matched by. */
  #treeOf({ label, organizationId }: OrganizationPlan): DesiredTree {
    const tree = this.#options.trees.find((one) => one.label === label);
    if (tree === undefined) throw new Error(`no manifest speaks of ${label}`);
    return { ...tree, id: organizationId };
  }

  /** `ids`: what each address was when the plan was made, it still is: swapped names must not be swapped back. */
  async #planTree(
    tree: DesiredTree,
    more: {
      readonly onRead?: () => void;
      readonly ids?: ReadonlyMap<string, string>;
      readonly mayBeGone?: boolean;
      readonly only?: ReadonlySet<string>;
    },
  ): Promise<Planned> {
    const { api, flags, trees } = this.#options;
    const { onRead, ids, mayBeGone = false, only } = more;
    const given = this.#options.bases?.get(tree.label);
    const base = given === undefined || ids === undefined ? given : (this.#pinned.get(given) ?? given);
    const known = base === undefined ? {} : { base };
    const pinned = ids === undefined ? tree : pinTree(tree, ids);
    const live = await readLive(api, pinned, {
      registry,
      ...known,
      ...(onRead === undefined ? {} : { onRead }),
    });
    const options: PlanOptions = {
      registry,
      ...known,
      ignoreDrift: base !== undefined && flags.ignoreDrift === true,
      ...(flags.target === undefined ? {} : { target: matcherIn(trees, tree, flags.target) }),
      ...(only === undefined && flags.exclude === undefined
        ? {}
        : { exclude: without(only, matcherIn(trees, tree, flags.exclude ?? [])) }),
      skipRefused: flags.skipRefused === true,
      ...(flags.allowDeletes === undefined ? {} : { allowDeletes: flags.allowDeletes }),
    };
    const desiredValue = mayBeGone && ids !== undefined ? pinTree(tree, stillThere(tree, live, ids)) : pinned;
    const planned = planOrganization(desiredValue, live, options);
    if (base !== undefined && ids === undefined) this.#pinned.set(base, pinTree(base, planned.baseIds));
    return planned;
  }
}

/** Which addresses of a tree are meant: where a run has several organizations, the label of one may lead. */
export function matcherIn(
  trees: readonly DesiredTree[],
  { label }: Pick<DesiredTree, 'label'>,
  patterns: readonly string[],
): (address: string) => boolean {
  const matches = addressMatcher(patterns);
  return (address) => matches(address) || (trees.length > 1 && matches(`${label}/${address}`));
}

/** What is excluded, and all that is not among some addresses. */
function without(
  only: ReadonlySet<string> | undefined,
  matches: (address: string) => boolean,
): (address: string) => boolean {
  return (address) => matches(address) || only?.has(address) === false;
}

/** Of the ids, those of objects that the live state still holds. */
function stillThere(
  tree: DesiredTree,
  live: LiveTree,
  ids: ReadonlyMap<string, string>,
): ReadonlyMap<string, string> {
  return new Map(
    [...ids].filter(([address, id]) => live.nodes.has(liveKey(tree.nodes.get(address)?.kind ?? '', id))),
  );
}
