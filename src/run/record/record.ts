/** Records what was applied: per organization, a commit under a git ref that names the manifests' commit and all ids. */
import { GitError, type Repository } from '../../manifest/git.ts';
import type { Workspace } from '../../manifest/load-workspace.ts';
import type { OrganizationPlan, Plan } from '../../plan/plan.ts';
import type { DesiredTree } from '../../tree/desired-tree.ts';
import { defined } from '../../util/defined.ts';
import { DiagnosticError } from '../../util/diagnostic.ts';
import { stableStringify } from '../../util/json.ts';
import { userError } from '../../util/user-error.ts';
import { findRepository, repositoryFor } from '../base/repository.ts';
import { differencesFrom } from '../base/work-tree.ts';
import type { PlanChoices } from '../choices.ts';
import { planDigest } from '../digest.ts';
import type { ManifestSource } from '../workspace.ts';
import { type AppliedRecord, appliedRef, type FoundRecord, recordFile } from './applied-record.ts';
import { findRecord, localRecord } from './find-record.ts';

/** What is to be recorded, and where. */
export interface RecordOptions {
  readonly trees: readonly DesiredTree[];
  readonly choices: PlanChoices;
  /** The git remote to push the record to. */
  readonly pushTo?: string | undefined;
  /** The files that must be committed. */
  readonly read: ReadonlyMap<string, string>;
  /** The plan was saved: the commit that it names. Absent for manifests that are planned now. */
  readonly saved?: { readonly commit: string | undefined } | undefined;
  /** The run that is recorded. */
  readonly run: RunMark;
}

/** What a run is known by. */
export interface RunMark {
  readonly id: string;
  /** When it was recorded. */
  readonly now: () => Date;
}

/** What was applied: the approved plan, and the ids of what was made, by organization label and address. */
export interface Applied {
  readonly plan: Plan;
  readonly made: ReadonlyMap<string, ReadonlyMap<string, string>>;
}

/** A commit that can be recorded once everything was applied. */
export interface Recording {
  /**
   * Moves the refs and pushes them where that was asked for. Gives the commit that is recorded; `partial`: none is, as changes
   * were left out.
   */
  record(applied: Applied): Promise<{ readonly commit: string } | 'partial'>;
}

/** How often a record is put on top of one that somebody else pushed meanwhile. */
const attempts = 5;

/** Prepares the recording before anything is applied, so that what cannot be recorded is refused in time. */
export async function prepareRecording(source: ManifestSource, options: RecordOptions): Promise<Recording> {
  const { choices } = options;
  if (choices.target !== undefined || choices.exclude !== undefined) {
    throw userError(
      'record',
      'cannot record a part of the manifests as applied',
      'leave out --target and --exclude, or apply without recording',
    );
  }
  const repository = await repositoryFor(source);
  const commit = await commitToRecord(source, repository, options);
  return {
    record: async ({ plan, made }) => {
      if (plan.organizations.some(({ refusals }) => refusals.length > 0)) return 'partial';
      for (const organization of plan.organizations) {
        const ids = { ...organization.ids, ...Object.fromEntries(made.get(organization.label) ?? []) };
        await orRecordError(new Recorder(repository, options).record(organization, { commit, ids }));
      }
      return { commit };
    },
  };
}

class Recorder {
  readonly #repository: Repository;
  readonly #options: RecordOptions;

  constructor(repository: Repository, options: RecordOptions) {
    this.#repository = repository;
    this.#options = options;
  }

  async record(
    organization: OrganizationPlan,
    { commit, ids }: Pick<AppliedRecord, 'commit' | 'ids'>,
  ): Promise<void> {
    const { run, pushTo } = this.#options;
    const { label, steps } = organization;
    const content: AppliedRecord = {
      format: 1,
      organization: label,
      commit,
      digest: planDigest({ format: 1, organizations: [organization] }),
      time: run.now().toISOString(),
      run: run.id,
      ids,
    };
    for (let attempt = 1; ; attempt += 1) {
      const previous = await this.#previous(label);
      const oid =
        steps.length === 0 && isSame(previous, content) ? previous.oid : await this.#write(content, previous);
      await this.#repository.git.run(this.#repository.root, ['update-ref', appliedRef({ label }), oid]);
      if (pushTo === undefined) return;
      const problem = await this.#push(oid, { label, pushTo });
      if (problem === undefined) return;
      const now = await this.#previous(label);
      // Whatever a remote says when somebody else was faster: its record is another one then.
      if (attempt >= attempts || now?.oid === previous?.oid) throw new GitError(problem);
    }
  }

  /** The record that the new one follows: the remote's, where it is to be pushed there. */
  async #previous(label: string): Promise<FoundRecord | undefined> {
    const { pushTo } = this.#options;
    if (pushTo === undefined) return localRecord(this.#repository, { label });
    const { record } = await findRecord(this.#repository, { label }, { offline: false, remote: pushTo });
    return record;
  }

  async #write(content: AppliedRecord, previous: FoundRecord | undefined): Promise<string> {
    const { git, root } = this.#repository;
    const blob = await git.writeBlob(root, `${stableStringify(content, 2)}\n`);
    const tree = await git.writeTree(root, { [recordFile]: blob });
    const parents = [...new Set([...(previous === undefined ? [] : [previous.oid]), content.commit])];
    const message = `Apply ${content.organization}\n\nRun ${content.run}, digest ${content.digest}`;
    const command = ['commit-tree', tree, ...parents.flatMap((oid) => ['-p', oid]), '-m', message];
    const { exitCode, stdout, problem } = await git.attempt(root, command, await this.#author(content.time));
    if (exitCode !== 0) throw new GitError(problem);
    return String(stdout).trim();
  }

  /** Whoever git knows; machines often have nobody. */
  async #author(time: string): Promise<Readonly<Record<string, string>>> {
    const { git, root } = this.#repository;
    const { stdout } = await git.attempt(root, ['config', '--get', 'user.email']);
    const isKnown = String(stdout).trim() !== '';
    const [name, email] = isKnown ? [undefined, undefined] : ['Octavo', 'octavo@localhost'];
    return defined({
      GIT_AUTHOR_DATE: time,
      GIT_COMMITTER_DATE: time,
      GIT_AUTHOR_NAME: name,
      GIT_COMMITTER_NAME: name,
      GIT_AUTHOR_EMAIL: email,
      GIT_COMMITTER_EMAIL: email,
    });
  }

  /** What git says where the record could not be pushed; undefined where it was. */
  async #push(
    oid: string,
    { label, pushTo }: { readonly label: string; readonly pushTo: string },
  ): Promise<string | undefined> {
    const { git, root } = this.#repository;
    const spec = `${oid}:${appliedRef({ label })}`;
    const { exitCode, problem } = await git.attempt(root, ['push', '--porcelain', '--', pushTo, spec]);
    return exitCode === 0 ? undefined : problem;
  }
}

/** True when nothing is different but the run. */
function isSame(previous: FoundRecord | undefined, { commit, ids }: AppliedRecord): previous is FoundRecord {
  const content = previous?.content;
  return content?.commit === commit && stableStringify(content.ids) === stableStringify(ids);
}

async function commitToRecord(
  source: ManifestSource,
  repository: Repository,
  { saved, read }: RecordOptions,
): Promise<string> {
  const { git, root } = repository;
  if (saved === undefined) {
    const head = await git.commitOf(root, 'HEAD');
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
  if ((await git.commitOf(root, commit)) !== undefined) return commit;
  throw userError('record', `the commit of the plan is not in this repository: ${commit}`, 'fetch it first');
}

/** The commit that holds the manifests as they are; undefined where there is none, or git cannot tell. */
export async function cleanCommit(
  source: ManifestSource,
  read: Workspace['read'] = new Map(),
): Promise<string | undefined> {
  try {
    const repository = await findRepository(source);
    const head = repository && (await repository.git.commitOf(repository.root, 'HEAD'));
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
      'run octavo apply --record again: there is nothing left to apply, and the record is made',
    );
  }
}
