/** Posts on a forge such as GitHub or GitLab, in terms that both have, and errors of its requests. */
import { defined } from '../util/defined.ts';
import { DiagnosticError } from '../util/diagnostic.ts';
import { isRecord } from '../util/json.ts';

export interface Post {
  readonly id: string;
  readonly url: string;
  readonly body: string;
  /** Written by the token's own account; posts of others are never trusted nor changed. */
  readonly isOwn: boolean;
  /** Readers no longer see it by default. */
  readonly isFolded: boolean;
}

/** The comments of a pull request, or the open issues of a repository. */
export interface Thread {
  /** Oldest first, page by page. */
  readonly posts: () => AsyncIterable<Post>;
  /** Throws a ForgeError; the post may have been created. */
  readonly create: (body: string) => Promise<Post>;
  readonly update: (post: Post, body: string) => Promise<Post>;
  readonly fold: (post: Post, by: Post) => Promise<void>;
  /** Issues are closed, with that text; comments stay. */
  readonly remove?: (post: Post, last: string) => Promise<void>;
}

/** A pull request or merge request that was merged, and its last commit. */
export interface MergedPull {
  readonly number: number;
  readonly head: string;
}

/** A request to a forge failed for good. Never shows a token. */
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

/** Of a response that may be anything. */
export function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  return isRecord(value) ? value : {};
}
