/**
 * Writes the live state back into the manifests, as the smallest edits of their text. Before anything is written, the edited
 * manifests are loaded and planned in memory: accepted differences must be gone, and nothing else may have changed.
 */

import path from 'node:path';
import { disk, withTexts } from '../../manifest/files/disk.ts';
import { loadWorkspace, type Workspace } from '../../manifest/load-workspace.ts';
import type { OrganizationPlan } from '../../plan/plan.ts';
import { covers } from '../../tree/addressing.ts';
import type { DesiredTree } from '../../tree/desired-tree.ts';
import { differencesBetween } from '../../tree/difference.ts';
import { type Diagnostic, DiagnosticError, hasErrors } from '../../util/diagnostic.ts';
import type { OrganizationLook } from '../planning.ts';
import type { ManifestSource } from '../workspace.ts';
import type { AcceptedChange, AcceptedOrganization, AcceptScope, RefusedChange } from './accepted-tree.ts';
import { Drafts } from './drafts.ts';
import { type OpenedFile, openForEdit, writeFiles } from './files.ts';
import { addLiveChanges, type WholeText } from './live-changes.ts';
import { addPins, pinned } from './pins.ts';

export interface AcceptRequest {
  readonly organizations: readonly AcceptedOrganization[];
  readonly workspace: Workspace;
  readonly source: ManifestSource;
  readonly scope: AcceptScope;
  /** Writes ids of live objects beside their entries: with the live values, or alone. */
  readonly pins?: 'also' | 'only' | undefined;
}

/** Plans edited manifests against the live state in the same way as the accepted plan. */
export type PlanEdited = (trees: readonly DesiredTree[]) => Promise<readonly OrganizationLook[]>;

export interface AcceptOptions {
  readonly dryRun: boolean;
  readonly command: string;
  readonly planEdited: PlanEdited;
  readonly isInterrupted: () => boolean;
}

export interface ChangedText {
  readonly name: string;
  readonly before: string;
  readonly after: string;
}

/** `interrupted`: nothing was written. */
export type AcceptRun =
  | { readonly type: 'interrupted' }
  | {
      readonly type: 'accepted';
      readonly files: readonly ChangedText[];
      readonly accepted: readonly AcceptedChange[];
      readonly refused: readonly RefusedChange[];
    };

/** Later rounds show live values that were not read for the plan, such as orders inside of added objects. */
const mostRounds = 3;

/** @throws DiagnosticError if a file is not as it was read, or the result would not be sound. */
export async function accept(request: AcceptRequest, options: AcceptOptions): Promise<AcceptRun> {
  const open = opener(request, options);
  const { edited, files } = await editRounds(request, options, open);
  if (options.isInterrupted()) return { type: 'interrupted' };
  if (!options.dryRun && files.length > 0)
    writeFiles(
      files.map((file) => ({ ...file, text: file.after })),
      options.command,
    );
  return {
    type: 'accepted',
    files: files.map(({ name, text, after }) => ({ name, before: text, after })),
    accepted: edited.accepted,
    refused: edited.refused,
  };
}

interface EditedManifests {
  readonly texts: ReadonlyMap<string, string>;
  readonly included: ReadonlyMap<string, WholeText>;
  readonly accepted: readonly AcceptedChange[];
  readonly refused: readonly RefusedChange[];
}

type Open = (name: string) => OpenedFile;

/** Repeats until nothing that was accepted differs any more. */
async function editRounds(
  request: AcceptRequest,
  options: AcceptOptions,
  open: Open,
): Promise<Pick<Verification, 'edited' | 'files'>> {
  let edited = editOnce(request, (name) => open(name).text);
  for (let round = 1; ; round += 1) {
    const files = changedFiles(edited, { request, open, options });
    if (files.length === 0) return { edited, files };
    const { after, organizations, differing } = await verify(request, { edited, files, options });
    if (differing.length === 0) return { edited, files };
    const isTouched = touchedBy(edited.accepted);
    // Touch only what was touched before.
    const scope: AcceptScope = {
      ...request.scope,
      isChosen: (tree, address) => isTouched(tree.label, address),
      isAdded: () => false,
    };
    const { texts } = edited;
    const pins = request.pins === 'only' ? request.pins : undefined;
    const next = { ...request, workspace: after, organizations, scope, pins };
    const more = editOnce(next, (name) => texts.get(name) ?? open(name).text);
    if (round === mostRounds || more.texts.size === 0)
      throw new DiagnosticError([unsound(request, `${differing.join(', ')} would still differ`)]);
    edited = {
      ...edited,
      texts: new Map([...texts, ...more.texts]),
      included: new Map([...edited.included, ...more.included]),
    };
  }
}

function editOnce(
  { workspace, source, organizations, scope, pins }: AcceptRequest,
  textOf: (name: string) => string,
): EditedManifests {
  const drafts = new Drafts<AcceptedChange>(workspace);
  const included = new Map<string, WholeText>();
  const refused: RefusedChange[] = [];
  const { registry } = source;
  if (pins !== undefined) addPins({ organizations, workspace, registry, scope }, { drafts, refused });
  for (const organization of pins === 'only' ? [] : organizations)
    addLiveChanges(organization, { drafts, included, refused, registry, scope });
  const made = drafts.make(textOf);
  const failed = made.refused.map(({ change: { now: _now, ...change }, reason }) => ({
    ...change,
    reason,
    help: 'edit the manifest by hand',
  }));
  const whole = [...included.values()].map(({ change }) => change);
  return {
    texts: made.texts,
    included,
    accepted: [...whole, ...made.made],
    refused: [...refused, ...failed],
  };
}

/** Each file once, as it was read. */
function opener({ workspace, source }: AcceptRequest, { dryRun, command }: AcceptOptions): Open {
  const opened = new Map<string, OpenedFile>();
  return (name) => {
    const known = opened.get(name);
    if (known !== undefined) return known;
    const { sources } = workspace;
    const found = openForEdit(name, { cwd: source.cwd, sources, toBeWritten: !dryRun, command });
    if ('code' in found) throw new DiagnosticError([found]);
    opened.set(name, found);
    return found;
  };
}

type ChangedFile = OpenedFile & { readonly path: string; readonly after: string };

function changedFiles(
  { texts, included }: EditedManifests,
  {
    request,
    open,
    options,
  }: { readonly request: AcceptRequest; readonly open: Open; readonly options: AcceptOptions },
): readonly ChangedFile[] {
  const { cwd } = request.source;
  const changed = (file: OpenedFile, after: string) => ({
    ...file,
    path: path.resolve(cwd, file.name),
    after,
  });
  const manifests = [...texts].map(([name, after]) => changed(open(name), after));
  const others = [...included].map(([name, { before, text }]) => {
    const { dryRun, command } = options;
    const read = request.workspace.read?.get(path.resolve(cwd, name)) ?? before;
    const [end = ''] = /(?:\r?\n)?$/.exec(read) ?? [];
    const found = openForEdit(name, {
      cwd,
      sources: new Map([[name, read]]),
      toBeWritten: !dryRun,
      command,
    });
    if ('code' in found) throw new DiagnosticError([found]);
    return changed(found, text + end);
  });
  return [...manifests, ...others].sort((left, right) => (left.name < right.name ? -1 : 1));
}

interface Verification {
  readonly edited: EditedManifests;
  readonly files: readonly ChangedFile[];
  readonly options: AcceptOptions;
}

interface Verified {
  readonly after: Workspace;
  readonly organizations: readonly AcceptedOrganization[];
  readonly differing: readonly string[];
}

/** Throws if the edited manifests would not be valid, or would declare more than what was accepted. */
async function verify(request: AcceptRequest, { edited, files, options }: Verification): Promise<Verified> {
  const { source, workspace } = request;
  const { files: paths, ...rest } = source;
  const texts = withTexts(disk, new Map(files.map((one) => [one.path, one.after])));
  const after = await loadWorkspace({ ...rest, paths, files: texts });
  if (hasErrors(after.diagnostics)) {
    throw new DiagnosticError(
      [unsound(request, 'the manifests would not be valid'), ...after.diagnostics],
      after.sources,
    );
  }
  const before = workspace.trees.map((tree) => pinned(tree, edited.accepted));
  const more = changedBeside(before, after, touchedBy(edited.accepted.filter(({ id }) => id === undefined)));
  if (more.length > 0)
    throw new DiagnosticError([unsound(request, `${more.join(', ')} would change as well`)]);
  const labels = new Set(request.organizations.map(({ tree }) => tree.label));
  const trees = after.trees.filter(({ label }) => labels.has(label));
  const looks = await options.planEdited(trees);
  const differing = stillDiffering(
    request,
    looks.map(({ plan }) => plan),
    edited.accepted,
  );
  const organizations = looks.flatMap(({ plan, live }) => {
    const tree = trees.find(({ label }) => label === plan.label);
    return tree === undefined ? [] : [{ tree, live, plan: { ...plan, withBase: false } }];
  });
  return { after, organizations, differing };
}

function unsound({ pins }: AcceptRequest, message: string): Diagnostic {
  const [what, verb] =
    pins === 'only' ? ['the ids cannot be written', 'pin'] : ['the live state cannot be accepted', 'accept'];
  return {
    severity: 'error',
    code: 'accept',
    message: `${what}: ${message}`,
    suggestion: `${verb} fewer objects by naming their addresses, or edit the manifests by hand\nnothing was written`,
  };
}

/** An accepted object, or one inside of it, may change. */
function touchedBy(accepted: readonly AcceptedChange[]): (label: string, address: string) => boolean {
  const name = (label: string, address: string) => `${label}\0${address}`;
  const isCovered = covers(
    accepted.flatMap(({ label, address, now }) => [name(label, address), name(label, now ?? address)]),
  );
  return (label, address) => isCovered(name(label, address));
}

/** Addresses that should not change, but declare something else than before. */
function changedBeside(
  before: readonly DesiredTree[],
  after: Workspace,
  isTouched: (label: string, address: string) => boolean,
): readonly string[] {
  const now = new Map(after.trees.map((tree) => [tree.label, tree]));
  const changed = before.flatMap((tree) =>
    differencesBetween(tree, now.get(tree.label))
      .filter(({ address }) => !isTouched(tree.label, address))
      .map(({ address }) => address),
  );
  return [...new Set(changed)];
}

function stillDiffering(
  { organizations }: AcceptRequest,
  plans: readonly OrganizationPlan[],
  accepted: readonly AcceptedChange[],
): readonly string[] {
  const before = new Map(organizations.map(({ plan }) => [plan.label, differencesIn(plan)]));
  return plans.flatMap((plan) => {
    const own = accepted.filter(({ label }) => label === plan.label);
    const fields = new Set(own.map(({ address, what }) => `${address} ${what.split('.')[0]}`));
    const known = before.get(plan.label) ?? new Set();
    const open = [...differencesIn(plan)].filter((one) => fields.has(one) || !known.has(one));
    return open.map((one) => one.replace(' ', ' (').concat(')'));
  });
}

/** Address and field, or address and phase. */
function differencesIn({ steps, refusals }: OrganizationPlan): ReadonlySet<string> {
  return new Set([
    ...steps.flatMap(({ address, phase, fields }) =>
      phase === 'update' ? fields.map(({ field }) => `${address} ${field}`) : [`${address} ${phase}`],
    ),
    ...refusals.map(({ address, guard }) => `${address} ${guard}`),
  ]);
}
