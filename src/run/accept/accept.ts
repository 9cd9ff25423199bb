/**
 * Writes the live state back into the manifests, as the smallest edits of their text. Before anything is written, the edited
 * manifests are loaded and planned in memory: what was accepted no longer differs, and nothing else has changed.
 */
import { readFileSync, realpathSync } from 'node:fs';
import path from 'node:path';
import { disk, withTexts } from '../../manifest/disk.ts';
import { loadWorkspace, type Workspace } from '../../manifest/load-workspace.ts';
import type { DesiredTree } from '../../tree/desired-tree.ts';
import { type Diagnostic, DiagnosticError, hasErrors } from '../../util/diagnostic.ts';
import { reasonOf, userError } from '../../util/user-error.ts';
import { openForEdit } from '../adopt/edit-files.ts';
import { type WritableText, writeFiles } from '../adopt/write-files.ts';
import type { OrganizationLook } from '../planning.ts';
import { changedBeside, stillDiffering, touchedAddresses } from './compare.ts';
import { gatherEdits } from './gather.ts';
import { type EditedManifests, ManifestEdits } from './manifest-edits.ts';
import type { AcceptedChange, AcceptedOrganization, AcceptRequest, RefusedChange } from './request.ts';

/** Plans edited manifests against the live state, as the plan was made that is accepted. */
export type PlanEdited = (trees: readonly DesiredTree[]) => Promise<readonly OrganizationLook[]>;

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

/** Rounds in which live values show that were not read for the plan, such as orders inside of added objects. */
const mostRounds = 3;

/** Accepts what a request chooses. Throws a DiagnosticError when a file is not as it was read, or the result would not be sound. */
export async function accept(request: AcceptRequest, options: AcceptOptions): Promise<AcceptRun> {
  const open = opener(request, options);
  const { edited, files } = await editRounds(request, options, open);
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

type Open = (name: string) => OpenedText;

/** Edits until nothing that was accepted differs any more. */
async function editRounds(
  request: AcceptRequest,
  options: AcceptOptions,
  open: Open,
): Promise<Pick<Verification, 'edited' | 'files'>> {
  let edited = editOnce(request, (name) => open(name).before);
  for (let round = 1; ; round += 1) {
    const files = changedFiles(edited, { request, open, command: options.command });
    if (files.length === 0) return { edited, files };
    const { after, organizations, differing } = await verify(request, { edited, files, options });
    if (differing.length === 0) return { edited, files };
    const next = { ...request, workspace: after, organizations, scope: scopeOf(request, edited) };
    const { texts } = edited;
    const more = editOnce(next, (name) => texts.get(name) ?? open(name).before);
    if (round === mostRounds || more.texts.size === 0)
      throw new DiagnosticError([unsound(`${differing.join(', ')} would still differ`)]);
    edited = {
      texts: new Map([...texts, ...more.texts]),
      included: new Map([...edited.included, ...more.included]),
      accepted: edited.accepted,
      refused: edited.refused,
    };
  }
}

/** Only what was touched before is touched again. */
function scopeOf({ scope }: AcceptRequest, { accepted }: EditedManifests): AcceptRequest['scope'] {
  const isTouched = touchedAddresses(accepted);
  return { ...scope, isChosen: (tree, address) => isTouched(tree.label, address), isAdded: () => false };
}

function editOnce(
  { workspace, source, organizations, scope }: AcceptRequest,
  textOf: (name: string) => string,
): EditedManifests {
  const edits = new ManifestEdits(workspace);
  for (const organization of organizations)
    gatherEdits(organization, { edits, registry: source.registry, scope });
  return edits.make(textOf);
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

interface FilesRequest {
  readonly request: AcceptRequest;
  readonly open: Open;
  readonly command: string;
}

function changedFiles(
  { texts, included }: EditedManifests,
  { request, open, command }: FilesRequest,
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
  readonly options: AcceptOptions;
}

/** What the edited manifests come to. */
interface Verified {
  readonly after: Workspace;
  /** Every difference that is left counts as drift. */
  readonly organizations: readonly AcceptedOrganization[];
  readonly differing: readonly string[];
}

/** Throws where the edited manifests would not be valid, or would mean more than what was accepted. */
async function verify(request: AcceptRequest, { edited, files, options }: Verification): Promise<Verified> {
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
  const more = changedBeside(workspace, after, touchedAddresses(edited.accepted));
  if (more.length > 0) throw new DiagnosticError([unsound(`${more.join(', ')} would change as well`)]);
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

function unsound(message: string): Diagnostic {
  return {
    severity: 'error',
    code: 'accept',
    message: `the live state cannot be accepted: ${message}`,
    suggestion:
      'accept fewer objects by naming their addresses, or edit the manifests by hand\nnothing was written',
  };
}
