/**
 * A workspace whose applies can be cut off at any request: a service, the record, and the journals of two machines. All in one
 * process, without git: the record is what the last complete apply would write.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ApplyResult } from '../../src/apply/events.ts';
import { type Api, ApiError } from '../../src/contract/api.ts';
import type { Form } from '../../src/contract/form.ts';
import { operations } from '../../src/contract/index.ts';
import { registry } from '../../src/kinds/index.ts';
import { JournalFolder } from '../../src/past/journal/journal-folder.ts';
import { type JournaledRun, readForeignJournal, readJournal } from '../../src/past/journal/read-journal.ts';
import { unfinishedRuns } from '../../src/past/journal/unfinished.ts';
import { pastsOf } from '../../src/past/pasts.ts';
import { pendingAfter } from '../../src/past/pending.ts';
import type { OrganizationPlan } from '../../src/plan/plan.ts';
import type { PlanChoices } from '../../src/plan/scope/choices.ts';
import { planRun, planWith } from '../../src/run/plan-run.ts';
import type { PlanRun } from '../../src/run/planning.ts';
import { ServiceLink } from '../../src/run/reads/service-link.ts';
import type { Session } from '../../src/run/session.ts';
import { journaledTrees } from '../../src/run/undo/journaled-trees.ts';
import { planUndo } from '../../src/run/undo/plan-undo.ts';
import type { Seed } from '../../src/server/index.ts';
import type { DesiredTree } from '../../src/tree/desired-tree.ts';
import { applied } from './applied.ts';
import { memoryService } from './memory-service.ts';
import { snapshotOf } from './snapshot.ts';

/**
 * Where a run ends. `before` and `after`: killed before or after the write with this number takes effect; `lost`: its response is
 * lost, once; `refused`: 403, once.
 */
export interface Cut {
  readonly at: number;
  readonly how: 'before' | 'after' | 'lost' | 'refused';
}

export type Ending = 'done' | 'refused' | 'failed' | 'killed';

interface Record {
  readonly tree: DesiredTree;
  readonly ids: ReadonlyMap<string, string>;
  readonly run: string;
  readonly time: string;
  readonly pending: NonNullable<OrganizationPlan['pending']>;
}

const service = 'memory';
const organizationId = 'org_acme';
const forever = new Promise<never>(() => undefined);

/** `here` has the journals of its runs; `elsewhere` has what git keeps: the record, whole journals, and the plans of killed runs. */
export type Machine = 'here' | 'elsewhere';

export class Workspace {
  readonly service;
  readonly #root = mkdtempSync(join(tmpdir(), 'octavo-cut-'));
  readonly #folders = {
    here: new JournalFolder(join(this.#root, 'here')),
    elsewhere: new JournalFolder(join(this.#root, 'elsewhere')),
  };
  readonly #running = new Set<number>();
  /** Journals in git. */
  readonly #kept = new Map<string, string>();
  #record: Record | undefined;
  #clock = Date.parse('2026-01-01');
  #runs = 0;
  /** Errors of the steps of the last apply. */
  errors: readonly string[] = [];
  /** False after an apply whose plan named what is left over. */
  isRecorded = true;
  /** Number of writes of the last run. */
  writes = 0;

  constructor(seed: Seed, form: Form = 'document') {
    this.service = memoryService(seed, { form, now: () => this.#clock });
  }

  async close(): Promise<void> {
    await this.service.close();
    rmSync(this.#root, { recursive: true, force: true });
  }

  forget(): void {
    this.#record = undefined;
  }

  /** Name of the last run that has a journal. */
  get lastRun(): string {
    return this.#folders.here.runs().at(-1) ?? '';
  }

  /** Steps of the last run, and what became of its requests, for people. */
  get stepsOfLastCut(): string {
    const runs = [...this.#folders.here.runs(), ...this.#folders.elsewhere.runs()];
    return runs
      .slice(-2)
      .map((run) => {
        const folder = this.#folders.here.runs().includes(run) ? this.#folders.here : this.#folders.elsewhere;
        const { header, touched, outcomes } = readJournal(folder, run);
        const steps = header.organizations.flatMap(({ steps: all }) =>
          all.map(({ id, action }) => `${id}:${action}`),
        );
        const ended = [...outcomes.values()].flatMap((all) =>
          [...all].map(([id, outcome]) => `${id}=${outcome}`),
        );
        const sent = [...touched.values()].flatMap((all) => [...all]);
        return `${run}: ${steps.join(' ')} | sent ${sent.join(' ')} | ${ended.join(' ')}`;
      })
      .join('\n   ');
  }

  lastJournal(): JournaledRun {
    return readJournal(this.#folders.here, this.lastRun);
  }

  async plan(tree: DesiredTree, machine: Machine = 'here'): Promise<OrganizationPlan> {
    const session = await this.#open(tree, { machine, api: this.service.api });
    return only(await planRun(session));
  }

  /** Applies and records, like `apply --record`: a partial plan, or one that names what is left over, is not recorded. */
  async apply(
    tree: DesiredTree,
    {
      cut,
      machine = 'here',
      ...choices
    }: { cut?: Cut; machine?: Machine } & Pick<PlanChoices, 'target' | 'exclude'> = {},
  ): Promise<Ending> {
    return this.#run(machine, cut, async (api, journal) => {
      const session = await this.#open(tree, { machine, api });
      const planned = await planRun(session, choices);
      const [organization] = planned.plan.organizations;
      if (organization === undefined || organization.refusals.length > 0) return 'refused';
      const result = await applied(session, planned, journal);
      this.errors = errorsIn(result);
      if (!isDone(result)) return 'failed';
      this.isRecorded =
        (organization.leftovers ?? []).length === 0 && (choices.target ?? choices.exclude) === undefined;
      if (!this.isRecorded) return 'done';
      const made = result.organizations[0]?.made ?? new Map();
      this.#record = {
        tree,
        ids: new Map([...Object.entries(organization.ids), ...made]),
        run: journal.journal.run,
        time: journal.journal.now().toISOString(),
        pending:
          pendingAfter(planned.plan.organizations, result, {
            run: journal.journal.run,
            time: journal.journal.now().toISOString(),
          }).get(tree.label) ?? [],
      };
      return 'done';
    });
  }

  /** Plans the undo of the last run here. */
  async planUndo(
    api: Api = this.service.api,
  ): Promise<{ readonly session: Session; readonly planned: PlanRun }> {
    const run = this.lastJournal();
    const trees = journaledTrees(run, {});
    const source = { cwd: '/workspace', env: {}, files: [], overlays: [], registry };
    const session: Session = {
      source,
      workspace: { trees: trees.map(({ before }) => before), diagnostics: [], sources: new Map(), files: [] },
      pasts: new Map(),
      service: new ServiceLink(api),
      sleep: async () => undefined,
    };
    const request = { run: run.header.run, trees, pasts: new Map() };
    return { session, planned: await planWith(session, (live) => planUndo(live, request)) };
  }

  async undo(): Promise<Ending> {
    return this.#run('here', undefined, async (api, journal) => {
      const { session, planned } = await this.planUndo(api);
      if (only(planned).refusals.length > 0) return 'refused';
      const result = await applied(session, planned, journal);
      this.errors = errorsIn(result);
      return isDone(result) ? 'done' : 'failed';
    });
  }

  async snapshot(): Promise<unknown> {
    const spaces = this.service.store.every('space').filter((one) => one.deletedAt === undefined);
    return snapshotOf({
      get: (path) => this.service.get(path),
      organizationId,
      spaces: spaces.map(({ id }) => id),
      linkInvites: [],
    });
  }

  async #run(
    machine: Machine,
    cut: Cut | undefined,
    work: (api: Api, journal: ReturnType<Workspace['journalOf']>) => Promise<Ending>,
  ): Promise<Ending> {
    this.#clock += 120_000;
    this.#runs += 1;
    const pid = this.#runs;
    this.#running.add(pid);
    let die: () => void = () => undefined;
    const death = new Promise<'killed'>((done) => {
      die = () => done('killed');
    });
    const journal = this.journalOf(machine, pid);
    const ending = await Promise.race([work(this.#cuttable(cut, die), journal), death]);
    // The last lines of the journal are on their way to the disk.
    if (ending === 'killed')
      for (let turn = 0; turn < 3; turn += 1) await new Promise((done) => setImmediate(done));
    this.#running.delete(pid);
    if (ending !== 'killed') this.#keep(machine, journal.journal.run);
    return ending;
  }

  #keep(machine: Machine, run: string): void {
    const store = this.#folders[machine];
    if (store.runs().includes(run)) this.#kept.set(run, store.text(run));
  }

  journalOf(machine: Machine, pid: number) {
    const run = `r-${this.#clock.toString(36).padStart(9, '0')}-${String(pid).padStart(8, '0')}`;
    const about = { command: 'apply', version: '0', host: 'here', process: { pid }, service };
    const now = () => new Date(this.#clock);
    return {
      parallelism: 1,
      locked: { now: () => this.#clock },
      journal: {
        store: this.#folders[machine],
        now,
        run,
        ...about,
        keep: async () => this.#keep(machine, run),
      },
    };
  }

  #cuttable(cut: Cut | undefined, die: () => void): Api {
    const { api } = this.service;
    this.writes = 0;
    let isDead = false;
    return {
      all: (operation, input) => (isDead ? forever : api.all(operation, input)),
      send: async (operation, input) => {
        if (isDead) return forever;
        const { method, path } = operations[operation];
        if (method === 'GET') return api.send(operation, input);
        this.writes += 1;
        this.#clock += 1000;
        if (cut === undefined || this.writes !== cut.at + 1) return api.send(operation, input);
        const about = { type: 'response', operation, method, path, attempt: 1 } as const;
        if (cut.how === 'refused')
          throw new ApiError(`${operation} returned 403`, { ...about, status: 403, mayHaveHappened: false });
        if (cut.how !== 'before') await api.send(operation, input).catch(() => undefined);
        if (cut.how === 'lost')
          throw new ApiError(`${operation} got no response`, {
            ...about,
            type: 'connection',
            mayHaveHappened: true,
          });
        isDead = true;
        die();
        return forever;
      },
    } as Api;
  }

  async #open(tree: DesiredTree, { machine, api }: { machine: Machine; api: Api }): Promise<Session> {
    const source = {
      ...{ cwd: '/workspace', env: {}, files: [], overlays: [], registry },
      repository: { found: Promise.resolve(undefined) },
    };
    const store = this.#folders[machine];
    const journals = {
      ...{ store, service, now: () => new Date(this.#clock) },
      machine: {
        host: 'here',
        owner: 'ada@here',
        process: { pid: 0 },
        isRunning: (pid: number) => this.#running.has(pid),
      },
    };
    const inGit = [...this.#kept]
      .filter(([run]) => !store.runs().includes(run))
      .map(([run, text]) => readForeignJournal(text, { run, ref: `refs/octavo/journals/${run}` }));
    const record = this.#record;
    const unfinished = unfinishedRuns(journals, [tree], {
      inGit,
      since: new Map([[tree.label, record?.run]]),
    });
    const content = record && {
      ...{ format: 1, organization: tree.label, service, commit: 'c', digest: 'd', ids: {} },
      ...{ time: record.time, run: record.run, pending: record.pending },
    };
    const records = new Map(
      record === undefined
        ? []
        : [[tree.label, { oid: 'o', commit: 'c', ids: record.ids, content } as never]],
    );
    const known = (await pastsOf(source, [tree], { records, unfinished })).get(tree.label);
    return {
      source,
      workspace: { trees: [tree], diagnostics: [], sources: new Map(), files: [] },
      pasts: new Map([[tree.label, { ...known, tree: record?.tree }]]),
      service: new ServiceLink(api),
      sleep: async () => undefined,
      died: unfinished.died,
    };
  }
}

function only({ plan }: PlanRun): OrganizationPlan {
  const [organization] = plan.organizations;
  if (organization === undefined) throw new Error('no organization was planned');
  return organization;
}

function errorsIn({ organizations }: ApplyResult): readonly string[] {
  return organizations.flatMap(({ outcomes, leftover }) => [
    ...outcomes.flatMap((one) => ('error' in one ? [`${one.step.id}: ${one.error.message}`] : [])),
    ...leftover.map(({ id }) => `${id} is left`),
  ]);
}

function isDone({ organizations }: ApplyResult): boolean {
  return organizations.every(
    ({ outcomes, leftover }) =>
      leftover.length === 0 &&
      outcomes.every(({ type }) => type === 'done' || type === 'satisfied' || type === 'pending'),
  );
}

/** What a plan calls drift, as kind, phase and field. */
export function driftIn({ steps }: OrganizationPlan): readonly string[] {
  const isDrift = (cause: string | undefined) => cause === 'drift' || cause === 'conflict';
  const found = steps.flatMap((step) => [
    ...(isDrift(step.cause) ? [`${step.kind}#${step.phase}`] : []),
    ...step.fields.flatMap(({ field, cause }) => (isDrift(cause) ? [`${step.kind}.${field}`] : [])),
    ...(step.reason.includes('in the app') ? [`${step.kind} ${step.reason}`] : []),
  ]);
  return [...new Set(found)];
}
