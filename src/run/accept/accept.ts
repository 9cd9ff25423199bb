/**
 * Writes the live state back into the manifests, as the smallest edits of their text. Before anything is written, the edited
 * manifests are loaded and planned in memory: what was accepted no longer differs, and nothing else has changed.
 */
import { readFileSync, realpathSync } from 'node:fs';
import path from 'node:path';
import { disk, withTexts } from '../../manifest/disk.ts';
import { loadWorkspace, type Workspace } from '../../manifest/load-workspace.ts';
import type { OrganizationPlan } from '../../plan/plan.ts';
import type { DesiredTree } from '../../tree/desired-tree.ts';
import { type Diagnostic, DiagnosticError, hasErrors } from '../../util/diagnostic.ts';
import { stableStringify } from '../../util/json.ts';
import { reasonOf, userError } from '../../util/user-error.ts';
import { openForEdit } from '../adopt/edit-files.ts';
import { type WritableText, writeFiles } from '../adopt/write-files.ts';
import { gatherEdits } from './gather.ts';
import { type EditedManifests, ManifestEdits } from './manifest-edits.ts';
import type { AcceptedChange, AcceptRequest, RefusedChange } from './request.ts';

/** Plans edited manifests against the live state, as the plan was made that is accepted. */
export type PlanEdited = (trees: readonly DesiredTree[]) => Promise<readonly OrganizationPlan[]>;

/** How to accept. */
export interface AcceptOptions {
  /** True: changes no file. */
  readonly dryRun: boolean;
  /** What is told to be run again, where a file changed meanwhile. */
  readonly command: string;
  readonly planEdited: PlanEdited;
  /** True as soon as nothing may be written any more. */
  readonly isInterrupted: () => boolean;
}

/** A file before and after. */
export interface ChangedText {
  /** As people see it. */
  readonly name: string;
  readonly before: string;
  readonly after: string;
}

/** What was accepted; `interrupted`: nothing was written. */
export type AcceptRun =
  | { readonly type: 'interrupted' }
  | {
      readonly type: 'accepted';
      readonly files: readonly ChangedText[];
      readonly accepted: readonly AcceptedChange[];
      readonly refused: readonly RefusedChange[];
    };

/** Accepts what a request chooses. Throws a DiagnosticError when a file is not as it was read, or the result would not be sound. */
export async function accept(request: AcceptRequest, options: AcceptOptions): Promise<AcceptRun> {
  const { workspace, source, organizations, scope } = request;
  const edits = new ManifestEdits(workspace);
  for (const organization of organizations)
    gatherEdits(organization, { edits, registry: source.registry, scope });
  const open = opener(request, options);
  const edited = edits.make((name) => open(name).before);
  const files = changedFiles(edited, { request, open, command: options.command });
  if (files.length > 0) await verify(request, { edited, files, planEdited: options.planEdited });
  if (options.isInterrupted()) return { type: 'interrupted' };
  if (!options.dryRun && files.length > 0) writeFiles(files, options.command);
  return {
    type: 'accepted',
    files: files.map(({ name, before, text }) => ({
      name,
      before: new TextDecoder('utf-8', { ignoreBOM: true }).decode(before),
      after: text,
    })),
    accepted: edited.accepted,
    refused: edited.refused,
  };
}

interface OpenedText extends Pick<WritableText, 'name' | 'real'> {
  readonly bytes: Buffer;
  readonly before: string;
}

/** Opens manifests, each once, as they were when they were read. */
function opener(
  { workspace, source }: AcceptRequest,
  { dryRun, command }: AcceptOptions,
): (name: string) => OpenedText {
  const opened = new Map<string, OpenedText>();
  return (name) => {
    const known = opened.get(name);
    if (known !== undefined) return known;
    const file = path.resolve(source.cwd, name);
    const found = openForEdit(name, file, {
      source,
      sources: workspace.sources,
      toBeWritten: !dryRun,
      command,
    });
    if ('code' in found) throw new DiagnosticError([found]);
    const one = { name, real: found.real, bytes: found.before, before: found.text };
    opened.set(name, one);
    return one;
  };
}

type ChangedFile = WritableText & { readonly path: string };

function changedFiles(
  { texts, included }: EditedManifests,
  {
    request,
    open,
    command,
  }: {
    readonly request: AcceptRequest;
    readonly open: (name: string) => OpenedText;
    readonly command: string;
  },
): readonly ChangedFile[] {
  const { cwd } = request.source;
  const manifests = [...texts].map(([name, text]) => {
    const { real, bytes } = open(name);
    return { name, path: path.resolve(cwd, name), real, before: bytes, text };
  });
  const others = [...included].map(([name, { before, text }]) => {
    const file = path.resolve(cwd, name);
    const [real, bytes] = readIncluded(name, file);
    if (bytes.toString('utf8').replace(/^\uFEFF/, '') !== before)
      throw userError(
        'changed',
        `${name} was changed while ${command} ran`,
        'run it again\nnothing was written',
      );
    return { name, path: file, real, before: bytes, text };
  });
  return [...manifests, ...others].sort((left, right) => (left.name < right.name ? -1 : 1));
}

function readIncluded(name: string, file: string): readonly [string, Buffer] {
  try {
    const real = realpathSync(file);
    return [real, readFileSync(real)];
  } catch (error) {
    throw userError('unreadable', `${name} cannot be read: ${reasonOf(error)}`, 'check the file');
  }
}

interface Verification {
  readonly edited: EditedManifests;
  readonly files: readonly ChangedFile[];
  readonly planEdited: PlanEdited;
}

/** Throws where the edited manifests would not be sound, or would mean more than what was accepted. */
async function verify(request: AcceptRequest, { edited, files, planEdited }: Verification): Promise<void> {
  const { source, workspace } = request;
  const { files: paths, ...rest } = source;
  const texts = withTexts(disk, new Map(files.map((one) => [one.path, one.text])));
  const after = await loadWorkspace({ ...rest, paths, files: texts });
  if (hasErrors(after.diagnostics)) {
    throw new DiagnosticError(
      [unsound('the manifests would not be valid'), ...after.diagnostics],
      after.sources,
    );
  }
  const touched = touchedAddresses(edited.accepted);
  const more = changedBeside(workspace, after, touched);
  if (more.length > 0) throw new DiagnosticError([unsound(`${more.join(', ')} would change as well`)]);
  const labels = new Set(request.organizations.map(({ tree }) => tree.label));
  const plans = await planEdited(after.trees.filter(({ label }) => labels.has(label)));
  const open = stillDiffering(request, plans, edited.accepted);
  if (open.length > 0) throw new DiagnosticError([unsound(`${open.join(', ')} would still differ`)]);
}

function unsound(message: string): Diagnostic {
  return {
    severity: 'error',
    code: 'accept',
    message: `the live state cannot be accepted: ${message}`,
    suggestion:
      'accept fewer objects by naming their addresses, or edit the manifests by hand\nnothing was written',
  };
}

/** Addresses whose objects may change, by label: with all that is inside them. */
function touchedAddresses(accepted: readonly AcceptedChange[]): (label: string, address: string) => boolean {
  const known = new Set(
    accepted.flatMap(({ label, address, now }) => [`${label}\0${address}`, `${label}\0${now ?? address}`]),
  );
  return (label, address) => {
    const parts = address.split('/');
    return parts.some((_part, at) => known.has(`${label}\0${parts.slice(0, at + 1).join('/')}`));
  };
}

/** Addresses that say something else than before and were not to be changed; places do not count. */
function changedBeside(
  before: Workspace,
  after: Workspace,
  isTouched: (label: string, address: string) => boolean,
): readonly string[] {
  const now = new Map(after.trees.map((tree) => [tree.label, tree]));
  return before.trees.flatMap((tree) => {
    const other = now.get(tree.label);
    const addresses = new Set([...tree.nodes.keys(), ...(other?.nodes.keys() ?? [])]);
    return [...addresses].filter((address) => {
      const [left, right] = [tree.get(address), other?.get(address)];
      const isSame = left !== undefined && right !== undefined && meaningOf(left) === meaningOf(right);
      return !isSame && !isTouched(tree.label, address);
    });
  });
}

function meaningOf(node: NonNullable<ReturnType<DesiredTree['get']>>): string {
  const { at: _at, fieldAt: _fieldAt, index: _index, declares: _declares, ...rest } = node;
  return stableStringify(rest);
}

/** Accepted addresses that would still differ, and others that differ only now. */
function stillDiffering(
  { organizations }: AcceptRequest,
  plans: readonly OrganizationPlan[],
  accepted: readonly AcceptedChange[],
): readonly string[] {
  const before = new Map(organizations.map(({ plan }) => [plan.label, marksOf(plan)]));
  return plans.flatMap((plan) => {
    const own = accepted.filter(({ label }) => label === plan.label);
    const fields = new Set(own.map(({ address, what }) => `${address} ${what.split('.')[0]}`));
    const known = before.get(plan.label) ?? new Set();
    const open = [...marksOf(plan)].filter((mark) => fields.has(mark) || !known.has(mark));
    return open.map((mark) => mark.replace(' ', ' (').concat(')'));
  });
}

/** What differs: address and field, or address and phase. */
function marksOf({ steps, refusals }: OrganizationPlan): ReadonlySet<string> {
  return new Set([
    ...steps.flatMap(({ address, phase, fields }) =>
      phase === 'update' ? fields.map(({ field }) => `${address} ${field}`) : [`${address} ${phase}`],
    ),
    ...refusals.map(({ address, guard }) => `${address} ${guard}`),
  ]);
}
