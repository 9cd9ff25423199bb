/** A service, a real client, and all steps from manifests to an applied plan, for scenarios and properties. */
import { stringify } from 'yaml';
import type { ApplyEvent, ApplyResult } from '../../src/apply/events.ts';
import { createClient } from '../../src/client/client.ts';
import type { Api, ApiInput } from '../../src/contract/api.ts';
import type { Form } from '../../src/contract/form.ts';
import { type OperationId, operations } from '../../src/contract/index.ts';
import { registry as allKinds } from '../../src/kinds/index.ts';
import type { Registry } from '../../src/kinds/registry.ts';
import { ReadMemory } from '../../src/live/read-memory.ts';
import type { ManifestFiles } from '../../src/manifest/files/disk.ts';
import { loadWorkspace, type Workspace } from '../../src/manifest/load-workspace.ts';
import type { JournalStore } from '../../src/past/journal/journal-folder.ts';
import { storedForms } from '../../src/past/pending.ts';
import { appliedInputs, inputsOf } from '../../src/past/record/applied-inputs.ts';
import type { PendingChange } from '../../src/plan/past.ts';
import type { OrganizationPlan, Step } from '../../src/plan/plan.ts';
import type { Rehearsal } from '../../src/plan/rehearsal.ts';
import type { PlanChoices } from '../../src/plan/scope/choices.ts';
import type { ReviewedOrganization, ReviewedPlan } from '../../src/review/reviewed-plan.ts';
import type { JudgingRule } from '../../src/review/rules.ts';
import { asApproved, recheckApproval } from '../../src/run/approval/approval.ts';
import { planRun } from '../../src/run/plan-run.ts';
import { type PlanRun, planAll } from '../../src/run/planning.ts';
import { ServiceLink } from '../../src/run/reads/service-link.ts';
import { journalInMemory, rehearseWithCuts } from '../../src/run/rehearse/cuts.ts';
import { rehearse } from '../../src/run/rehearse/rehearse.ts';
import { stageMaker } from '../../src/run/rehearse/stage.ts';
import { sendPlan } from '../../src/run/send-plan.ts';
import { liveSourceOf, type Session } from '../../src/run/session.ts';
import { copyService, type Seed, type Service, startService } from '../../src/server/index.ts';
import type { Variants } from '../../src/server/variants.ts';
import type { DesiredTree } from '../../src/tree/desired-tree.ts';
import { noOwnWork, type OwnWork } from '../../src/tree/own-work.ts';
import { defined } from '../../src/util/defined.ts';
import { DiagnosticError, hasErrors } from '../../src/util/diagnostic.ts';
import { specifications } from './arbitrary.ts';
import { type MemoryOptions, type MemoryService, memoryService, plainSequence } from './memory-service.ts';

/** The initial organization of scenarios and properties: people and spaces, which the API cannot create. */
export const seed: Seed = {
  owner: { id: 'user_ada', email: 'ada@acme.dev', displayName: 'Ada' },
  organizations: [
    {
      id: 'org_acme',
      title: 'Acme',
      hostname: 'acme',
      members: [
        { id: 'user_ada', email: 'ada@acme.dev', displayName: 'Ada', role: 'admin' },
        { id: 'user_bob', email: 'bob@acme.dev', displayName: 'Bob', role: 'read' },
        { id: 'user_cyd', email: 'cyd@acme.dev', displayName: 'Cyd', role: 'edit' },
        { id: 'user_dan', email: 'dan@acme.dev', displayName: 'Dan', role: null },
      ],
      spaces: [
        { id: 'sp_guide', title: 'API guide' },
        { id: 'sp_reference', title: 'API reference' },
        { id: 'sp_blog', title: 'Blog' },
        { id: 'sp_faq', title: 'FAQ' },
        { id: 'sp_notes', title: 'Notes' },
        { id: 'sp_start', title: 'Start' },
      ],
      linkInvites: [{ id: 'inv_one', role: 'read' }],
    },
  ],
};

/** A write, as sent. */
export interface Sent extends ApiInput {
  readonly operation: OperationId;
}

/** Choices of a plan, and the last applied manifests. */
export interface HarnessOptions extends PlanChoices {
  readonly base?: DesiredTree;
  /** Ids by address, recorded by the last apply. */
  readonly recorded?: Readonly<Record<string, string>>;
  /** The recorded tree with the variables of that apply. */
  readonly applied?: DesiredTree;
  readonly rules?: readonly JudgingRule[];
  /** Work of an unfinished run, from its journal. */
  readonly own?: OwnWork;
  /** Changes that are still pending since the last run. */
  readonly pending?: readonly PendingChange[];
}

type HarnessService = Omit<Service, 'url' | 'seeded'>;

/** A running service with a client and a record of all writes. */
export interface CutOptions {
  readonly forgets?: boolean | undefined;
  /** The base as the next apply reads it, without ids; default: that of the plan. */
  readonly base?: DesiredTree | undefined;
}

export interface Harness {
  readonly service: HarnessService;
  readonly api: Api;
  readonly sent: Sent[];
  /** Operation of each read, page by page. */
  readonly reads: OperationId[];
  /** Advances the clock of the service. */
  readonly sleep: (milliseconds: number) => Promise<void>;
  /** Resets the service to its initial state, with these variants. */
  reset(variants?: Partial<Variants>, form?: Form): void;
  /** Steps that an apply runs at the same time. With one, the service generates the same ids in each run. */
  parallelism: number;
  /** Called before each write; a returned error makes the write fail. */
  refuse: ((sent: Sent) => Error | undefined) | undefined;
  /** Wraps the API of the service while it is set. */
  through: ((api: Api) => Api) | undefined;
  /** Called after each write with the unwrapped API, to add side effects of other services. */
  also: ((sent: Sent, service: Api) => Promise<unknown>) | undefined;
  /** Plans. Throws a DiagnosticError if planning finds errors. */
  plan(tree: DesiredTree, options?: HarnessOptions): Promise<ReviewedOrganization>;
  apply(
    tree: DesiredTree,
    plan: OrganizationPlan,
    onEvent?: (event: ApplyEvent) => void,
    options?: HarnessOptions,
  ): Promise<ApplyResult>;
  /** Re-reads the live state as an apply does after a prompt, or with a saved plan. Throws if the plan is stale. */
  recheck(plan: OrganizationPlan, way: 'asked' | 'saved'): Promise<OrganizationPlan>;
  /** Rehearses a plan of this harness. */
  rehearse(plan: OrganizationPlan): Promise<Rehearsed>;
  /** Cuts a plan of this harness after each of its requests. Returns what then ends otherwise. */
  cut(plan: OrganizationPlan, how?: CutOptions): Promise<readonly string[]>;
  close(): Promise<void>;
}

/** A rehearsal, and the plan made on its stage. */
export interface Rehearsed {
  readonly rehearsal: Rehearsal;
  readonly staged: OrganizationPlan;
}

export interface MemoryHarness extends Harness {
  readonly service: MemoryService;
}

/** Starts a service in memory with the given state. */
export async function startHarness(
  state: Seed = seed,
  registry: Registry = allKinds,
  form: Form = 'document',
): Promise<MemoryHarness> {
  return harnessAround(state, registry, form, async (options) => {
    const service = memoryService(state, options);
    return { service, client: service.api, close: service.close };
  });
}

/** A harness with a service that other clients can reach, too. */
export interface ServedHarness extends Harness {
  readonly service: Service;
}

/** Starts a service behind a socket. */
export async function startServedHarness(
  state: Seed = seed,
  form: Form = 'document',
): Promise<ServedHarness> {
  return harnessAround(state, allKinds, form, async ({ now = Date.now, sleep, onRequest }) => {
    const service = await startService({
      data: ':memory:',
      seed: state,
      form,
      random: plainSequence(),
      now: () => new Date(now()),
    });
    const client = createClient({
      baseUrl: service.url,
      token: service.token,
      userAgent: 'octavo-test',
      clock: { now: Date.now, random: Math.random, sleep: sleep ?? (() => Promise.resolve()) },
      ...defined({ onRequest }),
    });
    const close = async () => {
      await client.close();
      await service.close();
    };
    return { service, client, close };
  });
}

interface Opened<S> {
  readonly service: S;
  readonly client: Api;
  readonly close: () => Promise<void>;
}

async function harnessAround<S extends HarnessService>(
  state: Seed,
  registry: Registry,
  form: Form,
  open: (options: MemoryOptions) => Promise<Opened<S>>,
): Promise<Harness & { readonly service: S }> {
  // The clock of the service advances only when a client waits and, if lists lag, with each request and around each run.
  let clock = Date.parse('2026-01-01');
  let lags = false;
  const sleep = async (milliseconds: number) => {
    clock += milliseconds;
  };
  /** Time after which lagging lists are current again. */
  const settle = async () => {
    if (lags) await sleep(1000);
  };
  const reads: OperationId[] = [];
  const { service, client, close } = await open({
    form,
    now: () => clock,
    sleep,
    onRequest: ({ method, operation }) => {
      if (lags) clock += 5;
      if (method === 'GET') reads.push(operation as OperationId);
    },
  });
  const sent: Sent[] = [];
  const api: Api = {
    send: async (operation: OperationId, input: ApiInput) => {
      if (operations[operation].method === 'GET') return client.send(operation, input);
      const refused = harness.refuse?.({ operation, ...input });
      if (refused !== undefined) throw refused;
      sent.push({ operation, ...input });
      const answer = await client.send(operation, input);
      await harness.also?.({ operation, ...input }, client);
      return answer;
    },
    all: (operation, input) => client.all(operation, input),
  };
  /** Inputs of each plan, which apply needs. */
  const runs = new WeakMap<OrganizationPlan, { planned: PlanRun; session: Session; log: ReadMemory }>();
  const makeStage = stageMaker({ copy: copyService, clock: { now: () => clock, random: Math.random } });
  const sessionFor = (
    tree: DesiredTree,
    { base, recorded = {}, applied, rules, own, pending }: HarnessOptions,
    reads?: ReadMemory,
  ): Session => ({
    reads,
    source: { cwd: '/workspace', env: {}, files: [], overlays: [], registry },
    workspace: { trees: [tree], diagnostics: [], sources: new Map(), files: [] },
    pasts: new Map([
      [
        tree.label,
        defined({
          tree: base,
          ids: new Map(Object.entries(recorded)),
          wasApplied: applied && appliedInputs({ inputs: inputsOf(applied, allKinds, 'salt') }),
          own,
          pending,
          asStored: pending && storedForms(pending),
        }),
      ],
    ]),
    rules: rules && new Map([[tree.label, rules]]),
    service: new ServiceLink(harness.through?.(api) ?? api),
    sleep,
  });
  const harness: Harness & { readonly service: S } = {
    service,
    api,
    sent,
    reads,
    sleep,
    reset: (variants = {}, own = form) => {
      clock = Date.parse('2026-01-01');
      service.reset(state, variants, own);
      lags = (variants['list-lag'] ?? '0') !== '0';
    },
    parallelism: 1,
    refuse: undefined,
    through: undefined,
    also: undefined,
    plan: async (tree, { base, recorded, applied, rules, own, pending, ...choices } = {}) => {
      await settle();
      const log = new ReadMemory();
      const known = defined({ base, recorded, applied, rules, own, pending });
      const session = sessionFor(tree, known, log);
      const planned = await planRun(session, choices);
      const organization = onlyOrganization(planned.plan);
      runs.set(organization, { planned, session, log });
      return organization;
    },
    apply: async (tree, approved, onEvent, { base, recorded, ...choices } = {}) => {
      const pasts = new Map([[tree.label, { tree: base }]]);
      const planned = {
        ...(runs.get(approved)?.planned ?? { inputs: { trees: [tree], pasts, choices } }),
        plan: asPlan(approved),
      };
      // Under a lock, as in commands.
      const session = sessionFor(tree, defined({ base, recorded }));
      const locked = { now: () => clock };
      const source = await liveSourceOf(session);
      const options = { parallelism: harness.parallelism, onEvent, locked };
      const result = await sendPlan(source, asApproved(planned), options, async () => undefined);
      await settle();
      return result;
    },
    recheck: async (plan, way) => {
      const run = runs.get(plan);
      if (run === undefined) throw new Error('not a plan of this harness');
      const { memory: _memory, lives: _lives, ...saved } = run.planned;
      const { today } = await recheckApproval(run.session, way === 'saved' ? saved : run.planned);
      return onlyOrganization(today);
    },
    rehearse: async (plan) => {
      const run = runs.get(plan);
      if (run === undefined) throw new Error('not a plan of this harness');
      const { planned, log } = run;
      const { rehearsal } = await rehearse({
        approved: asApproved(planned),
        reads: log.reads,
        registry,
        makeStage,
      });
      const stage = await makeStage({ reads: log.reads, calls: [] });
      const trees = planned.inputs.trees.map((tree) => tree.with({ id: plan.organizationId }));
      const { plan: staged } = await planAll({ api: stage.api, registry }, { ...planned.inputs, trees });
      await stage.close();
      return { rehearsal, staged: onlyOrganization(staged) };
    },
    cut: async (plan, how) => {
      const { planned, log } = runs.get(plan) ?? {};
      if (planned === undefined) throw new Error('not a plan of this harness');
      const pasts = how?.base && new Map([[how.base.label, { tree: how.base }]]);
      const given = { approved: asApproved(planned), ...defined({ pasts }) };
      const request = { ...given, reads: log?.reads ?? [], registry, makeStage };
      const makeJournal = how?.forgets === true ? forgetfulJournal : journalInMemory;
      const { converges, cuts } = await rehearseWithCuts(request, Number.POSITIVE_INFINITY, makeJournal);
      if (!converges || cuts?.tried !== cuts?.requests) throw new Error('not cut after each request');
      return (cuts?.failures ?? []).flatMap(({ operation, problems }) =>
        problems.map((problem) => `after ${operation}: ${problem}`),
      );
    },
    close,
  };
  return harness;
}

/** Says only that there was a run. */
function forgetfulJournal(): JournalStore {
  const store = journalInMemory();
  return { ...store, text: (run) => `${store.text(run).split('\n')[0]}\n` };
}

/** Created objects as in the journal of a run. */
export function createdIn(steps: readonly Step[], ids: ReadonlyMap<string, string>): OwnWork {
  const objects = steps.flatMap(({ action, phase, address, kind }) => {
    const id =
      phase === 'create' && (action === 'create' || action === 'replace') ? ids.get(address) : undefined;
    const about = { address, kind, run: 'r-test', made: true, isOver: true, sent: ['#create'] } as const;
    return id === undefined ? [] : [{ ...about, id }];
  });
  return { ...noOwnWork, objects };
}

/** The plan, or undefined: random manifests may contradict the live state, and such a plan is refused as a whole. */
export async function planOrNothing(
  harness: Harness,
  tree: DesiredTree,
  options: HarnessOptions,
): Promise<ReviewedOrganization | undefined> {
  try {
    return await harness.plan(tree, options);
  } catch (error) {
    if (error instanceof DiagnosticError) return undefined;
    throw error;
  }
}

function onlyOrganization({ organizations }: ReviewedPlan): ReviewedOrganization {
  const [organization] = organizations;
  if (organization === undefined) throw new Error('expected one organization');
  return organization;
}

/** A plan's steps with their risks. */
export function reviewedSteps({ steps, review }: ReviewedOrganization) {
  return steps.map((step) => ({ ...step, risks: review?.risks[step.id] ?? [] }));
}

export function asPlan(organization: ReviewedOrganization): ReviewedPlan {
  return { format: 1, organizations: [organization] };
}

/** Loads manifests from texts by file name. Throws a DiagnosticError if there are errors. */
export async function loadTexts(
  texts: Readonly<Record<string, string>>,
  registry: Registry = allKinds,
  env: Readonly<Record<string, string>> = {},
  overlays: readonly string[] = [],
): Promise<Workspace> {
  const files = inMemory(texts);
  const workspace = await loadWorkspace({
    paths: [],
    overlays,
    env,
    cwd: '/workspace',
    registry,
    files,
  });
  if (hasErrors(workspace.diagnostics)) throw new DiagnosticError(workspace.diagnostics);
  return workspace;
}

/** The tree of a document value, via YAML and the loader. */
export async function treeOf(document: object): Promise<DesiredTree> {
  const whole = { octavo: 1, organization: 'org_acme', ...document };
  return onlyTree(await loadTexts({ ...specifications, 'manifest.yaml': stringify(whole) }));
}

/** A folder of files in memory. */
function inMemory(texts: Readonly<Record<string, string>>): ManifestFiles {
  const bytes = new Map(
    Object.entries(texts).map(([name, text]) => [`/workspace/${name}`, Buffer.from(text)]),
  );
  const read = async (file: string) => bytes.get(file) ?? Buffer.alloc(0);
  return {
    type: async (file) => (file === '/workspace' ? 'folder' : bytes.has(file) ? 'file' : 'missing'),
    list: async () => Object.keys(texts).map((name) => ({ name, type: 'file' as const })),
    size: async (file) => (await read(file)).length,
    read,
    real: async (file) => file,
  };
}

/** The only tree of a workspace with one organization. */
export function onlyTree(workspace: Workspace): DesiredTree {
  const [tree] = workspace.trees;
  if (tree === undefined || workspace.trees.length > 1) throw new Error('expected exactly one organization');
  return tree;
}
