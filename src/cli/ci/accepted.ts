/**
 * One request that writes drift into the manifests: one commit on top of the branch that was checked out. Merging it keeps the changes
 * made in the app; if it is closed, the next apply reverts them, and no other one is opened for the same drift. A branch without an open
 * request may be replaced; commits of others never get lost.
 */
import path from 'node:path';
import {
  type BranchRequest,
  type BranchRequests,
  githubRequests,
  gitlabRequests,
  openRequest,
  type RequestBranches,
} from '../../forge/requests.ts';
import { driftDigest, endedBody } from '../../forge/sticky.ts';
import { GitError, headOf, type Repository } from '../../manifest/files/repository.ts';
import { RefStore } from '../../past/git/ref-store.ts';
import { patchText } from '../../report/results/acceptance.ts';
import type { Acceptance } from '../../run/write-back/acceptance.ts';
import { userError } from '../../util/user-error.ts';
import { settlePost } from '../forge/open.ts';
import { withRemote } from './base.ts';
import { driftLine, noDriftSince, type Pipeline, say } from './pipeline.ts';

const key = 'accept';
const title = 'Accept drift of the documentation workspace';
const intro =
  'The live workspace was changed outside git. This request writes its values into the manifests: merge it to keep them, or close it and apply to revert them.';
const author = { name: 'Octavo', email: 'octavo-drift@localhost' };

/** `text`: Markdown. */
type WrittenDrift = Pick<Acceptance, 'files'> & { readonly text: string };

/** `written`: no files without drift. */
export async function keepAccepted(
  pipeline: Pipeline,
  between: Pick<RequestBranches, 'from' | 'into'>,
  written: WrittenDrift,
): Promise<void> {
  const failure = (why: string) =>
    userError('ci', `the drift cannot be pushed: ${why}`, 'check that this job may push to the remote');
  return withRemote(pipeline, failure, async (repository, remote) => {
    const forge = pipeline.forge();
    const branches = { ...between, key, title };
    const requests =
      forge.type === 'github'
        ? githubRequests(forge.github, branches)
        : gitlabRequests(forge.gitlab, branches);
    const branch = new DriftBranch(repository, remote, between.from);
    const head = (await headOf(repository)) ?? '';
    const [tip, all] = [await branch.find(head), await requests.all()];
    const found = { branch, requests, head, tip, all, open: openRequest(all, between.into) };
    return written.files.length === 0 ? endRequest(pipeline, found) : keepRequest(pipeline, found, written);
  });
}

interface FoundBranch {
  readonly branch: DriftBranch;
  readonly requests: BranchRequests;
  readonly head: string;
  readonly tip: BranchTip | undefined;
  readonly all: readonly BranchRequest[];
  readonly open: BranchRequest | undefined;
}

async function endRequest(pipeline: Pipeline, found: FoundBranch): Promise<void> {
  const { branch, requests, tip, all, open } = found;
  if (open !== undefined && tip?.other !== undefined) throw sharedBranch(found, tip.other);
  const ending = noDriftSince(pipeline);
  for (const one of all) {
    const body = endedBody(key, one.body, ending);
    if (one === open) await requests.remove?.(one, body);
    else if (one.state === 'closed' && driftDigest(one.body) !== undefined) await requests.update(one, body);
  }
  if (tip !== undefined && tip.other === undefined) await branch.push(tip.commit, undefined);
  const also = open === undefined ? '.' : ` any more. Closed: ${open.url}`;
  say(pipeline, `No drift to accept${also}`);
}

async function keepRequest(
  pipeline: Pipeline,
  found: FoundBranch,
  { files, text }: WrittenDrift,
): Promise<void> {
  const { branch, requests, head, tip, all, open } = found;
  const digest = digestOf(files);
  const isSame = ({ body }: BranchRequest) => driftDigest(body) === digest;
  const declined = all.find((one) => one.state === 'closed' && isSame(one));
  if (open === undefined && declined !== undefined) {
    say(pipeline, `Closed already, and there is no other drift: ${declined.url}`);
    return;
  }
  if (open !== undefined && tip?.other !== undefined) {
    if (!isSame(open)) throw sharedBranch(found, tip.other);
    say(pipeline, `No other drift, and commits of ${tip.other}, which are kept: ${open.url}`);
    return;
  }
  // The forge keeps the commits of former requests.
  if (tip?.other !== undefined && !all.some((one) => one.head === tip.commit))
    say(pipeline, `Commits of ${tip.other} are kept as ${await branch.keep(tip.commit)}`);
  const here = files.map(({ name }) => path.resolve(pipeline.invocation.cwd, name));
  const commit = await branch.commit(head, here);
  if (tip === undefined || !(await branch.isSame(tip.commit, commit))) await branch.push(tip?.commit, commit);
  const body = `${digest}\n${intro}\n\n${text}`;
  await settlePost(pipeline.invocation, 'request', { key, body, creates: true, thread: requests });
}

/** Of the changed lines alone, so that other changes of the files do not count. */
function digestOf(files: Acceptance['files']): string {
  const changed = (text: string) => text.split('\n').filter((one) => /^[+-]/.test(one));
  return driftLine(files.map((file) => [file.name, changed(patchText(file))]));
}

function sharedBranch({ branch, open }: FoundBranch, other: string) {
  return userError(
    'ci',
    `${branch.name} has commits of others (${other})`,
    `merge or close its request first: ${open?.url}`,
  );
}

interface BranchTip {
  readonly commit: string;
  /** Who else committed to it, or amended a commit. */
  readonly other: string | undefined;
}

class DriftBranch {
  readonly #repository: Repository;
  readonly #store: RefStore;
  readonly #remote: string;
  readonly #ref: string;
  readonly name: string;

  constructor(repository: Repository, remote: string, branch: string) {
    this.#repository = repository;
    this.#remote = remote;
    this.#store = new RefStore(repository);
    this.#ref = `refs/heads/${branch}`;
    this.name = branch;
  }

  /** Last commit of the branch in the remote. */
  async find(head: string): Promise<BranchTip | undefined> {
    const found = await this.#store.there(this.#remote, [this.#ref]);
    const commit = found.get(this.#ref);
    if (commit === undefined) return undefined;
    await this.#store.fetchMissing(this.#remote, found);
    const commits = await this.#repository.commits({ of: commit, not: head });
    return { commit, other: commits.flatMap(({ emails }) => emails).find((one) => one !== author.email) };
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
  async push(from: string | undefined, to: string | undefined, ref = this.#ref): Promise<void> {
    const moved = await this.#store.change(this.#remote, { from: new Map([[ref, from]]), to });
    if (!moved) throw new GitError('someone else pushed to the branch in the meantime');
  }

  /** Returns the name of the branch that has the commit from now on. */
  async keep(commit: string): Promise<string> {
    const name = `${this.name}-kept-${commit.slice(0, 7)}`;
    await this.push(undefined, commit, `refs/heads/${name}`);
    return name;
  }
}
