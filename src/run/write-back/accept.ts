/**
 * Writes the live state back into the manifests, as the smallest edits of their text. Before writing, the edited manifests are loaded
 * and planned in memory: accepted differences must disappear, and no other may appear.
 */

import path from 'node:path';
import { disk, withTexts } from '../../manifest/files/disk.ts';
import { type OpenedFile, openForEdit } from '../../manifest/files/open-for-edit.ts';
import { type WorkFolder, workFolder } from '../../manifest/files/work-folder.ts';
import { loadWorkspace, type Workspace, type WorkspaceOptions } from '../../manifest/load-workspace.ts';
import type { ManifestSource } from '../../past/workspace.ts';
import { isUpdate, type OrganizationPlan } from '../../plan/plan.ts';
import { covers } from '../../tree/addressing.ts';
import type { DesiredTree } from '../../tree/desired-tree.ts';
import { differencesBetween } from '../../tree/difference.ts';
import { defined } from '../../util/defined.ts';
import { type Diagnostic, DiagnosticError, hasErrors } from '../../util/diagnostic.ts';
import { sameJson } from '../../util/json.ts';
import { rememberedByText } from '../../util/remembered.ts';
import type { PlannedTree } from '../plan-tree.ts';
import type { AcceptedChange, WrittenChange } from './acceptance.ts';
import { type AcceptedOrganization, undeclaredIn } from './accepted-tree.ts';
import { LiveChanges } from './live-changes.ts';
import { addPins, pinned } from './pins.ts';
import { WantedManifests } from './wanted.ts';

export interface AcceptRequest extends WriteBackOptions {
  readonly command: string;
  readonly organizations: readonly AcceptedOrganization[];
  readonly workspace: Workspace;
  readonly source: ManifestSource & Pick<WorkspaceOptions, 'purpose'>;
  /** Another edit of the manifests, made completely or not at all. */
  readonly edit?: ManifestEdit;
  /** Writes ids of live objects next to their entries: with the live values, or alone. */
  readonly pins?: 'also' | 'only' | undefined;
  /** Plans edited manifests against the live state in the same way as the accepted plan. */
  readonly planEdited: (trees: readonly DesiredTree[]) => Promise<readonly PlannedTree[]>;
}

export interface ManifestEdit {
  readonly project: (wanted: WantedManifests) => void;
  /** Forms in which a tree and its edited version are equal. */
  readonly before: (tree: DesiredTree) => DesiredTree;
  readonly after: (tree: DesiredTree) => DesiredTree;
}

export interface WriteBackOptions {
  readonly dryRun: boolean;
  readonly folder?: WorkFolder;
  readonly isInterrupted: () => boolean;
}

/** `interrupted`: no file was written. */
export type AcceptRun = Awaited<ReturnType<typeof accept>>;

/** @throws DiagnosticError if a file changed since it was read, or the result would not be sound. */
export async function accept(request: AcceptRequest) {
  const open = opener(request);
  const known = request.organizations.map(({ plan }) => plan);
  let edited = editManifests(request, open);
  for (let round = 1; ; round += 1) {
    const planned = await check(request, edited);
    const differing = stillDiffering(known, planned, edited);
    if (differing.length === 0) break;
    const organizations = request.organizations.map((one) => seenBy(planned, edited, one));
    const next = round === 1 ? editManifests({ ...request, organizations }, open) : edited;
    if (sameJson(next.files, edited.files))
      throw new DiagnosticError([unsound(request, `${differing.join(', ')} would still differ`)]);
    for (const { plan } of planned) known.push(plan);
    edited = next;
  }
  if (request.isInterrupted()) return { type: 'interrupted' as const };
  const { files, accepted, refused } = edited;
  const { dryRun, command, folder = workFolder } = request;
  if (!dryRun) folder.write(files, command);
  return {
    type: 'accepted' as const,
    files: files.map(({ name, before, text }) => ({ name, before, after: text })),
    accepted,
    refused,
  };
}

/** Only the plan of the edited manifests reads the order inside of added objects, and may delete what is next to them. */
function seenBy(
  planned: readonly PlannedTree[],
  { accepted }: Edited,
  one: AcceptedOrganization,
): AcceptedOrganization {
  const { tree, additions } = one;
  const isTouched = touchedBy(accepted, tree.label);
  const own = planned.find(({ plan }) => plan.label === tree.label);
  const steps = own?.plan.steps.filter(({ address }) => isTouched(address)) ?? [];
  return { ...one, later: own?.live, additions: [...additions, ...undeclaredIn(steps, tree)] };
}

type Open = (name: string) => OpenedFile;

type Edited = ReturnType<typeof editManifests>;

function editManifests(request: AcceptRequest, open: Open) {
  const { workspace, source, organizations, pins, edit } = request;
  const wanted = new WantedManifests(workspace);
  const { registry } = source;
  if (pins !== undefined) addPins(organizations, { workspace, registry }, wanted);
  if (pins !== 'only') for (const one of organizations) new LiveChanges(one, registry, wanted).project();
  edit?.project(wanted);
  const { texts, accepted, refused } = wanted.make((name) => open(name).before);
  if (edit !== undefined && refused.length > 0)
    throw new DiagnosticError(
      refused.map(({ what, reason, at }) => ({
        ...unsound(request, `${what}: ${reason}`),
        ...defined({ at }),
      })),
    );
  const files = [...texts].map(([name, text]) => ({ ...open(name), text }));
  return { files: files.sort((left, right) => (left.name < right.name ? -1 : 1)), accepted, refused };
}

/** Opens each file once, with the text that was read. */
function opener({ workspace, source: { cwd }, dryRun, command }: AcceptRequest): Open {
  return rememberedByText((name) => {
    const expected = workspace.sources.get(name) ?? workspace.read?.get(path.resolve(cwd, name)) ?? '';
    const found = openForEdit(name, { cwd, expected, toBeWritten: !dryRun, command });
    if ('code' in found) throw new DiagnosticError([found]);
    return found;
  });
}

/**
 * Plans the edited manifests.
 * @throws DiagnosticError if they would be invalid, or would declare more than the accepted changes.
 */
async function check(request: AcceptRequest, { files, accepted }: Edited): Promise<readonly PlannedTree[]> {
  if (files.length === 0) return [];
  const { source, workspace, edit } = request;
  const { files: paths, ...rest } = source;
  const texts = new Map(files.map(({ name, text }) => [path.resolve(source.cwd, name), text]));
  const after = await loadWorkspace({ ...rest, paths, files: withTexts(disk, texts) });
  if (hasErrors(after.diagnostics)) {
    throw new DiagnosticError(
      [unsound(request, 'the manifests would not be valid'), ...after.diagnostics],
      after.sources,
    );
  }
  const before = workspace.trees.map(edit?.before ?? ((tree) => pinned(tree, accepted)));
  const now = edit === undefined ? after.trees : after.trees.map(edit.after);
  const touched = edit === undefined ? accepted.filter(({ id }) => id === undefined) : [];
  const more = changedAlongside(before, now, touched);
  if (more.length > 0)
    throw new DiagnosticError([unsound(request, `${more.join(', ')} would change as well`)]);
  const labels = new Set(request.organizations.map(({ tree }) => tree.label));
  return request.planEdited(after.trees.filter(({ label }) => labels.has(label)));
}

function unsound({ pins, edit }: AcceptRequest, message: string): Diagnostic {
  const fewer = ' fewer objects by naming their addresses, or ';
  const [what, instead] =
    edit !== undefined
      ? ['the object cannot be moved', '']
      : pins === 'only'
        ? ['the ids cannot be written', `pin${fewer}`]
        : ['the live state cannot be accepted', `accept${fewer}`];
  const suggestion = `${instead}edit the manifests by hand\nnothing was written`;
  return { severity: 'error', code: 'accept', message: `${what}: ${message}`, suggestion };
}

function touchedBy(accepted: readonly AcceptedChange[], label: string): (address: string) => boolean {
  const own = accepted.filter((one) => one.label === label);
  return covers(own.flatMap(({ address, now = address }) => [address, now]));
}

/** Addresses whose declaration changed unintentionally. */
function changedAlongside(
  before: readonly DesiredTree[],
  after: readonly DesiredTree[],
  touched: readonly AcceptedChange[],
): readonly string[] {
  const changed = before.flatMap((tree) => {
    const isTouched = touchedBy(touched, tree.label);
    const now = after.find(({ label }) => label === tree.label);
    return differencesBetween(tree, now).flatMap(({ address }) => (isTouched(address) ? [] : address));
  });
  return [...new Set(changed)];
}

/** Differences that were accepted, or that no plan had before. */
function stillDiffering(
  before: readonly OrganizationPlan[],
  planned: readonly PlannedTree[],
  { accepted }: Edited,
): readonly string[] {
  const known = new Set(before.flatMap(differencesIn));
  const written = new Set(accepted.map(({ what, ...one }) => differenceOf(one, what.split('.')[0])));
  const open = planned
    .flatMap(({ plan }) => differencesIn(plan))
    .filter((one) => written.has(one) || !known.has(one));
  return [...new Set(open)].map((one) => one.replace(/^.*\n/, ''));
}

function differencesIn({ label, steps, refusals }: OrganizationPlan): readonly string[] {
  return [
    ...steps.flatMap(({ address, phase, fields }) =>
      (isUpdate({ phase }) ? fields.map(({ field }) => field) : [phase]).map((one) =>
        differenceOf({ label, address }, one),
      ),
    ),
    ...refusals.map(({ address, guard }) => differenceOf({ label, address }, guard)),
  ];
}

function differenceOf({ label, address }: Pick<WrittenChange, 'label' | 'address'>, what = ''): string {
  return `${label}\n${address} (${what})`;
}
