/** Records an apply: per organization, a commit under a git ref that contains the manifests' commit and all ids. */
import type { ApplyResult } from '../../apply/events.ts';
import { commitOf, GitError, headOf, type Repository } from '../../manifest/files/repository.ts';
import type { Workspace } from '../../manifest/load-workspace.ts';
import type { OrganizationPlan, Plan } from '../../plan/plan.ts';
import type { PlanChoices } from '../../plan/scope/choices.ts';
import type { Prune } from '../../tree/settings.ts';
import { defined } from '../../util/defined.ts';
import { DiagnosticError } from '../../util/diagnostic.ts';
import { stableStringify } from '../../util/json.ts';
import { userError } from '../../util/user-error.ts';
import { findRepository, repositoryFor } from '../base/repository.ts';
import { differencesFrom } from '../base/work-tree.ts';
import { RefStore } from '../git/ref-store.ts';
import { keepJournal, newestRun } from '../journal/git-journals.ts';
import { pendingAfter } from '../pending.ts';
import { requireSameService } from '../same-service.ts';
import type { ManifestSource } from '../workspace.ts';
import { inputsOf } from './applied-inputs.ts';
import { type AppliedRecord, appliedRef, type FoundRecord, recordFile } from './applied-record.ts';
import { type FoundRecords, findRecords, remoteOf } from './find-record.ts';
import { formerScope, scopeOf } from './scope.ts';

export interface RecordOptions {
  readonly workspace: Workspace;
  readonly choices: PlanChoices;
  readonly prune?: Prune | undefined;
  readonly pushTo?: string | undefined;
  /** Only allows requests to `pushTo`, and to no other remote. */
  readonly offline?: boolean | undefined;
  readonly baseCommits: ReadonlyMap<string, string>;
  /** Commit in a saved plan; absent if the manifests are planned now. */
  readonly saved?: { readonly commit: string | undefined } | undefined;
  readonly run: { readonly id: string; readonly now: () => Date };
}

export interface Applied {
  readonly plan: Plan;
  readonly digest: string;
  readonly result: ApplyResult;
  readonly signed?: Signature | undefined;
}

/** Who applied a plan, and which approval allowed it. */
export interface Signature {
  readonly actor: string;
  readonly approval: NonNullable<AppliedRecord['approval']>;
}

/** `to`: a remote, `none` to record only in this clone, or empty for the remote of the branch, if it has one. */
export type RecordingRequest = Omit<RecordOptions, 'pushTo'> & { readonly to: string };

export type Recorded = { readonly commit: string } | { readonly notRecorded: string };

export interface Recording {
  /** The remote that gets the record; undefined if only this clone gets it. */
  readonly pushTo: string | undefined;
  /** Returns the reason if changes were omitted and the apply is not recorded. */
  record(applied: Applied): Promise<Recorded>;
  /**
   * Stores the journal next to the record, for any outcome, so that the run can be undone from any checkout. Returns the reason if that
   * fails. Never throws.
   */
  keepJournal(plan: Plan, text: string): Promise<string | undefined>;
}

/** Called before the apply, so that problems of recording are found in time. */
export async function prepareRecording(
  source: ManifestSource,
  { to, ...given }: RecordingRequest,
): Promise<Recording> {
  refusePart(given);
  const repository = await repositoryFor(source);
  const isOwn = to === '' && given.offline !== true;
  const pushTo = isOwn ? await remoteOf(repository) : to === '' || to === 'none' ? undefined : to;
  const options: RecordOptions = { ...given, pushTo };
  const commit = await commitToRecord(source, repository, options);
  const { records: previous, listed, local } = await previousRecords(repository, options);
  for (const { label } of options.workspace.trees) {
    const record = previous.get(label);
    const ref = appliedRef({ label });
    const wayOut = `apply without --record, or from another clone; if the service has moved, remove the record: git update-ref -d ${ref}`;
    if (record === undefined) continue;
    requireSameService(`the record of ${label}`, record.content.service, { here: source.identity, wayOut });
    await requireWhole(repository, source, options, { label, commit, record });
  }
  const scope = options.saved === undefined ? scopeOf(repository, source, options.workspace) : undefined;
  const { run } = options;
  return {
    pushTo,
    keepJournal: ({ organizations }, text) =>
      keepJournal(repository, {
        run: run.id,
        labels: organizations.map(({ label }) => label),
        text,
        time: run.now().toISOString(),
        pushTo,
      }),
    record: async ({ plan, digest, result, signed }) => {
      const left = leftUndone(plan);
      if (left !== undefined) return { notRecorded: left };
      const time = run.now().toISOString();
      const pending = pendingAfter(plan.organizations, result, { run: run.id, time });
      for (const organization of plan.organizations) {
        const { label, ids, steps } = organization;
        const { unseen = [], left } = organization.leftOut;
        const tree = options.workspace.trees.find((one) => one.label === label);
        const follows = previous.get(label);
        // Without a record, every complete run counts as recorded.
        const upTo = follows?.upTo ?? newestRun([...listed, ...local], label);
        const content: AppliedRecord = {
          ...{ format: 1, organization: label, service: source.identity?.service ?? 'local' },
          ...{ commit, digest, time, run: run.id },
          ids: {
            ...Object.fromEntries(
              unseen.flatMap(({ address, id }) => (id === undefined ? [] : [[address, id]])),
            ),
            ...ids,
            ...Object.fromEntries(result.organizations.find((one) => one.label === label)?.made ?? []),
          },
          ...defined({
            upTo: upTo !== undefined && upTo > run.id ? upTo : undefined,
            // Reuse the salt of the last record, so that equal values have equal digests and need no new record.
            day: tree?.data.endings?.day,
            inputs: tree && inputsOf(tree, source.registry, follows?.content.inputs?.salt ?? run.id),
            ...{ scope, left, pending: pending.get(label), exemptions: exemptionsIn(organization) },
          }),
          ...(signed && {
            who: { actor: signed.actor, ...defined({ account: tree?.settings.self }) },
            approval: signed.approval,
          }),
        };
        await orRecordError(record(repository, options, content, { follows, isEmpty: steps.length === 0 }));
      }
      return { commit };
    },
  };
}

function refusePart({ choices, prune }: RecordOptions): void {
  const part =
    choices.target !== undefined || choices.exclude !== undefined
      ? '--target and --exclude'
      : prune === 'never'
        ? '--prune never'
        : choices.changed === true
          ? '--changed'
          : undefined;
  if (part === undefined) return;
  throw userError(
    'record',
    'cannot record a part of the manifests as applied',
    `leave out ${part}, or apply without recording`,
  );
}

/** The records that the new ones follow. Requires the remote, because it may have newer ones. */
async function previousRecords(
  repository: Repository,
  { workspace, pushTo, offline }: RecordOptions,
): Promise<FoundRecords> {
  const remote = pushTo ?? (await remoteOf(repository));
  const isSilent = offline === true && pushTo === undefined && remote !== undefined;
  const lookup = { offline: isSilent || remote === undefined, remote };
  const found = await findRecords(repository, workspace.trees, lookup);
  const why = isSilent ? '--offline' : found.unreachable;
  if (why === undefined) return found;
  throw userError(
    'record',
    `cannot read records from ${remote}: ${why}`,
    isSilent
      ? 'leave out --offline, or apply without recording'
      : 'check the remote, or apply without recording',
  );
}

/** Removals since the last record are only applied by a plan that is compared with it and reads the same manifests. */
async function requireWhole(
  repository: Repository,
  source: ManifestSource,
  { workspace, baseCommits, saved }: RecordOptions,
  {
    label,
    commit,
    record,
  }: { readonly label: string; readonly commit: string; readonly record: FoundRecord },
): Promise<void> {
  const was = record.commit.slice(0, 12);
  const base = baseCommits.get(label);
  if (record.commit !== commit && base !== record.commit) {
    throw userError(
      'record',
      `${was} is recorded as applied for ${label}, and this run ${base === undefined ? 'compares with no base' : `compares with ${base.slice(0, 12)}`}: removals since ${was} would be lost`,
      saved === undefined
        ? 'leave out --base, so that the record is the base; or apply without recording'
        : 'plan again: the record has moved since the plan was saved',
    );
  }
  if (saved !== undefined) return;
  const recorded = record.content.scope;
  const former = await formerScope(repository, source, { recorded, own: workspace });
  if (former === undefined || former.missing.length === 0) return;
  throw userError(
    'record',
    `${was} was applied with ${former.missing.join(', ')}, which this run does not read: removals there would be lost`,
    `pass ${former.missing.join(' ')} as well, or apply without recording`,
  );
}

function leftUndone({ organizations }: Plan): string | undefined {
  if (organizations.some(({ refusals }) => refusals.length > 0)) return 'refused changes were left out';
  const [first] = organizations.flatMap(({ leftovers = [] }) => leftovers);
  if (first === undefined) return undefined;
  return `run ${first.run} is not recorded, and no manifest declares what it left; undo it first: octavo undo ${first.run}`;
}

function exemptionsIn({ findings = [] }: OrganizationPlan): AppliedRecord['exemptions'] {
  const lifted = findings.flatMap(({ rule, address, lifted: by }) =>
    by === undefined ? [] : [{ rule, address, ...by }],
  );
  return lifted.length === 0 ? undefined : lifted;
}

/** `follows`: the last record when the plan was made; if it differs now, an unknown run made it. */
async function record(
  repository: Repository,
  options: RecordOptions,
  content: AppliedRecord,
  { follows, isEmpty }: { readonly follows: FoundRecord | undefined; readonly isEmpty: boolean },
): Promise<void> {
  const label = content.organization;
  const { pushTo } = options;
  const store = new RefStore(repository);
  await store.untilSettled(async () => {
    const { records, listed } = await previousRecords(repository, options);
    const previous = records.get(label);
    if (previous?.oid !== follows?.oid && previous?.commit !== content.commit) {
      const now =
        previous === undefined ? 'the record was deleted' : `${previous.commit.slice(0, 12)} was recorded`;
      throw new GitError(`${now} in the meantime, by another run`);
    }
    const isKnown = isEmpty && isSame(previous, content);
    const ref = appliedRef({ label });
    const oid = isKnown ? previous.oid : await written(repository, content, previous);
    // The record of the remote may be older than the one here, or gone.
    const there = listed.get(ref);
    if (pushTo !== undefined && there !== oid) {
      const from = new Map([[ref, there]]);
      if (!(await store.change(pushTo, { from, to: oid }))) return undefined;
    }
    await repository.setRef(ref, oid);
    return true;
  });
}

function written(
  repository: Repository,
  content: AppliedRecord,
  previous: FoundRecord | undefined,
): Promise<string> {
  return new RefStore(repository).write({
    file: recordFile,
    text: `${stableStringify(content, 2)}\n`,
    message: `Apply ${content.organization}\n\nRun ${content.run}, digest ${content.digest}`,
    time: content.time,
    parents: [...new Set([...(previous === undefined ? [] : [previous.oid]), content.commit])],
    ...(repository.settings.has('user.email') && { author: 'user' }),
  });
}

function isSame(previous: FoundRecord | undefined, next: AppliedRecord): previous is FoundRecord {
  const content = previous?.content;
  const parts = ({ ids, inputs, pending = [] }: AppliedRecord) =>
    stableStringify({ ids, inputs: inputs ?? null, pending });
  return content?.commit === next.commit && parts(content) === parts(next);
}

async function commitToRecord(
  source: ManifestSource,
  repository: Repository,
  { saved, workspace: { read = new Map() } }: RecordOptions,
): Promise<string> {
  if (saved === undefined) {
    const head = await headOf(repository);
    if (head === undefined)
      throw userError('record', 'there is no commit to record', 'commit the manifests first');
    const [first] = await differencesFrom(repository, head, { source, read });
    if (first === undefined) return head;
    throw userError(
      'record',
      `the manifests differ from the commit that would be recorded: ${first.file} ${first.how}`,
      'commit them first, or apply without --record',
    );
  }
  const { commit } = saved;
  if (commit === undefined) {
    throw userError(
      'record',
      'the plan names no commit to record: its manifests were not all committed',
      'commit them and plan again, or apply without recording',
    );
  }
  if ((await commitOf(repository, commit)) !== undefined) return commit;
  throw userError('record', `the commit of the plan is not in this repository: ${commit}`, 'fetch it first');
}

/** The commit that equals the manifests in their current state; otherwise, or if git fails, undefined. */
export async function cleanCommit(
  source: ManifestSource,
  read: Workspace['read'] = new Map(),
): Promise<string | undefined> {
  try {
    const repository = await findRepository(source);
    const head = repository && (await headOf(repository));
    if (repository === undefined || head === undefined) return undefined;
    return (await differencesFrom(repository, head, { source, read })).length === 0 ? head : undefined;
  } catch {
    return undefined;
  }
}

async function orRecordError(done: Promise<unknown>): Promise<void> {
  try {
    await done;
  } catch (error) {
    if (!(error instanceof GitError || error instanceof DiagnosticError)) throw error;
    throw userError(
      'record',
      `everything was applied, but could not be recorded: ${error.message}`,
      'run the same command again: what was applied is not sent twice, and the record is made where it still fits',
    );
  }
}
