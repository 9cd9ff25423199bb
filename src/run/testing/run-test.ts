/** Runs a test against its own in-memory service: applies the given manifests, then plans the others, applies them and plans again. */
import { ApiError } from '../../contract/api.ts';
import type { Registry } from '../../kinds/registry.ts';
import type { ManifestFiles } from '../../manifest/files/disk.ts';
import { loadWorkspace } from '../../manifest/load-workspace.ts';
import type { RulesText } from '../../manifest/read-rules.ts';
import type { Past } from '../../plan/past.ts';
import { type DesiredNode, rootAddress } from '../../tree/desired.ts';
import { type DesiredTree, withIds, withKnownIds } from '../../tree/desired-tree.ts';
import { desiredIdentity } from '../../tree/identity.ts';
import { lackingIn } from '../../tree/lacking.ts';
import { defined } from '../../util/defined.ts';
import { type Diagnostic, DiagnosticError, hasErrors } from '../../util/diagnostic.ts';
import { asApproved } from '../approval/approval.ts';
import { planAll } from '../planning.ts';
import { apiErrorDiagnostic } from '../reads/api-error.ts';
import { type RehearsalStage, rehearse } from '../rehearse/rehearse.ts';
import { judging } from '../rules/load-rules.ts';
import { failure, failuresIn } from './compare.ts';
import type { LocatedTest } from './test-file.ts';
import type { TestState } from './test-schema.ts';

/** Notes of failures without a place are lines of a diff. */
export type TestOutcome = Awaited<ReturnType<typeof runTest>>;

export interface TestResults {
  readonly outcomes: readonly TestOutcome[];
  /** Tests that did not run because of an interrupt. */
  readonly notRun: number;
}

/** Initial state of a service: the test's seed, or declared objects. */
export interface TestStart {
  readonly seed: string | undefined;
  readonly trees: readonly DesiredTree[];
  /** True if a manifest needs the newer version of the service. */
  readonly isNewer: boolean;
  /** Creates only the organizations; otherwise also objects that the API cannot create. */
  readonly isEmpty: boolean;
}

export interface TestRun {
  readonly file: string;
  readonly cwd: string;
  readonly registry: Registry;
  readonly files: ManifestFiles;
  readonly rules: RulesText;
  /** Used by tests that do not name manifests. */
  readonly usual: { readonly files: readonly string[]; readonly overlays: readonly string[] };
  readonly start: (given: TestStart) => Promise<RehearsalStage>;
  /** Kinds whose objects keep the ids that given manifests name. */
  readonly keepsIds: (kind: string) => boolean;
  readonly isInterrupted: () => boolean;
}

/** @throws an AbortError if interrupted. */
export async function runTest(located: LocatedTest, run: TestRun) {
  const about = { file: run.file, name: located.name };
  try {
    return { ...about, failures: await failuresOf(located, run) };
  } catch (error) {
    if (error instanceof ApiError) return { ...about, failures: [apiErrorDiagnostic(error)] };
    if (!(error instanceof DiagnosticError)) throw error;
    const errors = error.diagnostics.filter(({ severity }) => severity === 'error');
    return {
      ...about,
      failures: [failure('the test cannot run', located.placeOf('manifests'), []), ...errors],
    };
  }
}

async function failuresOf(located: LocatedTest, run: TestRun): Promise<readonly Diagnostic[]> {
  const { test, placeOf } = located;
  const { given = {}, expect } = test;
  const { seed, manifests } = given;
  const wanted = await treesOf(test, run);
  const variables = { ...test.variables, ...given.variables };
  const declared = manifests && (await treesOf({ ...given, variables }, run));
  const before = seed === undefined ? declared?.map((tree, at) => withGivenIds(tree, at, run)) : declared;
  const isNewer = [...wanted, ...(before ?? [])].some(
    (tree) => lackingIn(tree, run.registry, 'document').length > 0,
  );
  const stage = await run.start({ seed, trees: before ?? wanted, isNewer, isEmpty: before === undefined });
  try {
    const applied = before && (await giveManifests(before, seed === undefined, stage, run));
    if (applied !== undefined && 'length' in applied)
      return [failure('the given manifests cannot be applied', placeOf('given', 'manifests'), applied)];
    const { ids = new Map<string, string>(), pasts = new Map() } = applied ?? {};
    const trees = wanted.map((tree) => mappedIds(tree, ({ id = '' }) => ids.get(id) ?? id));
    const source = { api: stage.api, registry: run.registry, sleep: noWait, withReview: true } as const;
    const rules = new Map(trees.map((tree) => [tree.label, judging(tree, run.rules, undefined)]));
    const planned = await planAll(source, { trees, pasts, choices: {}, rules });
    const failures = failuresIn(planned.plan, located);
    if (expect.converges === false || planned.plan.organizations.some(({ refusals }) => refusals.length > 0))
      return failures;
    const { left } = await converging(planned, stage, run);
    if (left.length === 0) return failures;
    const message = 'the plan does not converge: applied, another plan is not empty';
    return [...failures, failure(message, placeOf('expect', 'converges'), left)];
  } finally {
    await stage.close();
  }
}

const noWait = () => Promise.resolve();

async function treesOf(
  { manifests, overlays, variables: env = {} }: TestState,
  { cwd, registry, usual, files }: TestRun,
): Promise<readonly DesiredTree[]> {
  const named = manifests === undefined ? usual : { files: manifests, overlays: [] };
  const given = { cwd, env, registry, files, paths: named.files, overlays: overlays ?? named.overlays };
  const { trees, diagnostics, sources } = await loadWorkspace({ ...given, fakesSecrets: true });
  if (hasErrors(diagnostics)) throw new DiagnosticError(diagnostics, sources);
  return trees;
}

/**
 * Returns lines with the reason if the manifests cannot be applied, else `ids`: new ids of objects by the ids that the manifests name.
 * `isSeeded`: the service has the objects that the API cannot create.
 */
async function giveManifests(
  before: readonly DesiredTree[],
  isSeeded: boolean,
  stage: RehearsalStage,
  run: TestRun,
) {
  const source = { api: stage.api, registry: run.registry, sleep: noWait };
  // The service assigns new ids to new objects.
  const kept = (node: DesiredNode) => (run.keepsIds(node.kind) ? node.id : undefined);
  const own = isSeeded ? before.map((tree) => mappedIds(tree, kept)) : before;
  const apart = own.map((tree, at) => withNames(tree, before[at], run.registry));
  let known: ReadonlyMap<string, ReadonlyMap<string, string>> = new Map();
  for (const trees of apart.every((tree, at) => tree === own[at]) ? [own] : [apart, own]) {
    const pinned = trees.map((tree) => withKnownIds(tree, known.get(tree.label) ?? new Map()));
    const planned = await planAll(source, { trees: pinned, pasts: new Map(), choices: {} });
    const refused = planned.plan.organizations.flatMap(({ refusals }) =>
      refusals.map(({ address, message }) => `${address}  ${message}`),
    );
    if (refused.length > 0) return refused;
    const { left, ids } = await converging(planned, stage, run);
    if (left.length > 0) return left;
    known = ids;
  }
  const ids = new Map<string, string>();
  const pasts = new Map<string, Past>();
  for (const [label, idAt] of known) {
    const of = (trees: readonly DesiredTree[]) => trees.find((tree) => tree.label === label);
    const base = of(own);
    if (base !== undefined) pasts.set(label, { tree: withKnownIds(base, idAt) });
    for (const { id, address } of of(before)?.nodes.values() ?? [])
      if (id !== undefined) ids.set(id, idAt.get(address) ?? id);
  }
  return { ids, pasts };
}

/** Pins objects of the initial state by id, because unusual titles are hard to search for. */
function withGivenIds(tree: DesiredTree, at: number, { registry, keepsIds }: TestRun): DesiredTree {
  const own = [...tree.nodes.values()].filter(
    ({ kind, id }) => id === undefined && keepsIds(kind) && registry.byName(kind).manifest.key === undefined,
  );
  return withIds(tree, new Map(own.map(({ address }, index) => [address, `given_${at}_${index}`])));
}

/**
 * Gives unique names to objects that only ids distinguish, or identify, until they have ids here. Returns the same tree if no object
 * needs one.
 */
function withNames(tree: DesiredTree, before: DesiredTree | undefined, registry: Registry): DesiredTree {
  const seen = new Set<string>();
  const renamed = [...tree.nodes.values()].flatMap((node, at): (readonly [string, DesiredNode])[] => {
    const { identity, fields } = registry.byName(node.kind);
    const names = identity.by.map(({ field }) => field).filter((name) => fields[name]?.type === 'value');
    const own = names.filter((field) => desiredIdentity(node.fields, { field }) !== undefined);
    const values = identity.by.map((one) => desiredIdentity(node.fields, one) ?? null);
    const key = JSON.stringify([node.parent, node.kind, ...values]);
    const isDuplicate = own.length > 0 && seen.has(key);
    seen.add(key);
    const isNameless = own.length === 0 && before?.get(node.address)?.id !== undefined;
    const other = Object.fromEntries((isNameless ? names : own).map((name) => [name, `twin-${at}`]));
    return node.id === undefined && (isDuplicate || isNameless)
      ? [[node.address, { ...node, fields: { ...node.fields, ...other } }]]
      : [];
  });
  return renamed.length === 0 ? tree : tree.with({ nodes: new Map([...tree.nodes, ...renamed]) });
}

/** `left`: lines for failed steps and remaining changes, if the second plan is not empty. `ids`: of all objects, as it has them. */
async function converging(
  planned: Parameters<typeof asApproved>[0],
  stage: RehearsalStage,
  { registry, isInterrupted }: TestRun,
) {
  // The test continues in the same service.
  const makeStage = () => Promise.resolve({ ...stage, close: noWait });
  const request = { approved: asApproved(planned), reads: [], registry, makeStage, isInterrupted };
  const { rehearsal, again } = await rehearse(request);
  const left = [
    ...rehearsal.failures.map(({ address, message }) => `${address}  ${message}`),
    ...rehearsal.leftover.map(
      ({ address, action, fields }) => `${address}  ${[action, ...fields].join(' ')}`,
    ),
  ];
  const { organizations = [] } = again?.plan ?? {};
  return { left, ids: new Map(organizations.map(({ label, ids }) => [label, new Map(Object.entries(ids))])) };
}

function mappedIds(tree: DesiredTree, idOf: (node: DesiredNode) => string | undefined): DesiredTree {
  return tree.mapped((node) => {
    const { id, ...rest } = node;
    if (id === undefined || node.address === rootAddress) return node;
    return { ...rest, ...defined({ id: idOf(node) }) };
  });
}
