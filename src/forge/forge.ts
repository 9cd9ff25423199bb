/** Posts on a forge such as GitHub or GitLab, in terms common to both, and errors of its requests. */
import { defined } from '../util/defined.ts';
import { DiagnosticError } from '../util/diagnostic.ts';
import { isRecord } from '../util/json.ts';

export interface Post {
  readonly id: string;
  readonly url: string;
  readonly body: string;
  /** True if the token's own account wrote it. Posts by others are never trusted or changed. */
  readonly isOwn: boolean;
  /** True if another bot wrote it, such as the account of a former token. */
  readonly isBot?: boolean;
  readonly isFolded: boolean;
}

/** The comments of a pull request, the open issues of a repository, or the open request of a branch. */
export interface Thread {
  /** `closed`: closed issues, newest first; ignored for comments. */
  readonly posts: (which?: 'closed') => AsyncIterable<Post>;
  /** Throws a ForgeError; the post may have been created anyway. */
  readonly create: (body: string) => Promise<Post>;
  readonly update: (post: Post, body: string) => Promise<Post>;
  /** `post.body`: text of people, which stays. */
  readonly fold: (post: Post, by: Post) => Promise<void>;
  /** Closes an issue with that text. Absent for comments, which are kept. */
  readonly remove?: (post: Post, last: string) => Promise<void>;
}

export interface MergedPull {
  readonly number: number;
  readonly head: string;
  /** No approval counts: the author of a fork may run its pipeline in the project, too. */
  readonly isFork: boolean;
}

/** Why no merge created a commit. */
export interface NotMerged {
  readonly none: string;
  /** It is one of several commits of a merged request. */
  readonly isPart: boolean;
}

/** A request to a forge failed permanently. Never contains a token. */
export class ForgeError extends DiagnosticError {
  readonly status: number | undefined;
  readonly mayHaveHappened: boolean;

  constructor(
    message: string,
    details: {
      readonly status?: number | undefined;
      readonly mayHaveHappened: boolean;
      readonly suggestion?: string | undefined;
    },
  ) {
    const { suggestion } = details;
    super([{ severity: 'error', code: 'forge', message, ...defined({ suggestion }) }]);
    this.name = 'ForgeError';
    this.status = details.status;
    this.mayHaveHappened = details.mayHaveHappened;
  }
}

/** For requests whose object may be missing, or deleted since it was found. */
export function undefinedIfGone(error: unknown): undefined {
  if (!(error instanceof ForgeError) || error.status !== 404) throw error;
}

export type ForgeItem = Readonly<Record<string, unknown>>;

export function recordOf(value: unknown): ForgeItem {
  return isRecord(value) ? value : {};
}
