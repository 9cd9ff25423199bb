/**
 * One request that writes drift into the manifests: one commit on top of the branch that was checked out. Merging it keeps the changes
 * made in the app; if it is closed, the next apply reverts them.
 */
import path from 'node:path';
import {
  type BranchRequests,
  githubRequests,
  gitlabRequests,
  type RequestBranches,
} from '../../forge/requests.ts';
import { largestBody } from '../../forge/sticky.ts';
import { GitError, headOf, type Repository } from '../../manifest/files/repository.ts';
import { RefStore } from '../../run/git/ref-store.ts';
import { userError } from '../../util/user-error.ts';
import { withForge, withoutToken } from '../forge/open.ts';
import { withRemote } from './base.ts';
import { type Pipeline, readResult, say } from './pipeline.ts';

const title = 'Accept drift of the documentation workspace';
const intro =
  'The live workspace was changed outside git. This request writes its values into the manifests: merge it to keep them, or close it and apply to revert them.';
const author = { name: 'Octavo', email: 'octavo-drift@localhost' };

export interface AcceptedFiles extends RequestBranches {
  /** Relative to the working folder; empty without drift. */
  readonly files: readonly string[];
}

export async function keepAccepted(pipeline: Pipeline, accepted: AcceptedFiles): Promise<number> {
  const failure = (why: string) =>
    userError('ci', `the drift cannot be pushed: ${why}`, 'check that this job may push to the remote');
  return withRemote(pipeline, failure, (repository, remote) =>
    withForge(pipeline.invocation, (forge) => {
      const requests =
        forge.type === 'github'
          ? githubRequests(forge.github, accepted)
          : gitlabRequests(forge.gitlab, accepted);
      const branch = new DriftBranch(repository, remote, accepted.from);
      return keepRequest(pipeline, branch, requests, accepted.files);
    }),
  );
}

async function keepRequest(
  pipeline: Pipeline,
  branch: DriftBranch,
  requests: BranchRequests,
  files: readonly string[],
): Promise<number> {
  const head = await branch.head();
  const was = await branch.find(head);
  const open = await requests.find();
  if (files.length === 0) {
    if (open !== undefined) await requests.close(open);
    if (was !== undefined) await branch.push(was, undefined);
    say(
      pipeline,
      open === undefined ? 'No drift to accept.' : `No drift to accept any more. Closed: ${open.url}`,
    );
    return 0;
  }
  const { cwd } = pipeline.invocation;
  const commit = await branch.commit(
    head,
    files.map((file) => path.resolve(cwd, file)),
  );
  if (was === undefined || !(await branch.isSame(was, commit))) await branch.push(was, commit);
  const body = withoutToken(bodyOf(readResult(pipeline, 'accepted.md') ?? ''), pipeline.invocation);
  if (open === undefined) say(pipeline, `Opened: ${(await requests.open(title, body)).url}`);
  else {
    await requests.update(open, title, body);
    say(pipeline, `Updated: ${open.url}`);
  }
  return 0;
}

class DriftBranch {
  readonly #repository: Repository;
  readonly #store: RefStore;
  readonly #remote: string;
  readonly #ref: string;

  constructor(repository: Repository, remote: string, branch: string) {
    this.#repository = repository;
    this.#remote = remote;
    this.#store = new RefStore(repository);
    this.#ref = `refs/heads/${branch}`;
  }

  async head(): Promise<string> {
    return (await headOf(this.#repository)) ?? '';
  }

  /** Last commit of the request's branch in the remote. Throws a DiagnosticError if others have committed to it. */
  async find(head: string): Promise<string | undefined> {
    const found = await this.#store.there(this.#remote, [this.#ref]);
    const commit = found.get(this.#ref);
    if (commit === undefined) return undefined;
    await this.#store.fetchMissing(this.#remote, found);
    const commits = await this.#repository.commits({ of: commit, not: head });
    const other = commits.find(({ email }) => email !== author.email);
    if (other === undefined) return commit;
    throw userError(
      'ci',
      `${this.#ref.replace('refs/heads/', '')} has commits of others (${other.email})`,
      'merge or close its request first',
    );
  }

  /** Commits the current files on top of the checkout, without touching the work tree or its index. */
  async commit(head: string, files: readonly string[]): Promise<string> {
    const tree = await this.#repository.writeTree({ of: head, files });
    return this.#repository.writeCommit({ tree, parents: [head], message: title, author });
  }

  async isSame(one: string, other: string): Promise<boolean> {
    const about = async (of: string) => {
      const [commit] = await this.#repository.commits({ of, most: 1 });
      return commit && `${commit.tree} ${commit.parents.join()}`;
    };
    return (await about(one)) === (await about(other));
  }

  /** Never overwrites commits that someone else pushed in the meantime. */
  async push(from: string | undefined, to: string | undefined): Promise<void> {
    const moved = await this.#store.change(this.#remote, { from: new Map([[this.#ref, from]]), to });
    if (!moved) throw new GitError('someone else pushed to the branch in the meantime');
  }
}

/** Cuts the report after a whole line, so that the body fits the forge's limit. */
function bodyOf(report: string): string {
  const lines = report.trimEnd().split('\n');
  let bytes = Buffer.byteLength(intro) + 100;
  const fits = lines.findIndex((line) => {
    bytes += Buffer.byteLength(line) + 1;
    return bytes > largestBody;
  });
  const kept = fits < 0 ? lines : lines.slice(0, fits);
  const rest = lines.length - kept.length;
  const more = rest === 0 ? [] : ['', `_${rest} more lines are in the log of the job._`];
  return [intro, '', ...kept, ...more].join('\n');
}
