/** What is kept on a forge such as GitHub or GitLab, in words that both have, and how a request to one fails. */
import { defined } from '../util/defined.ts';
import { DiagnosticError } from '../util/diagnostic.ts';

/** A comment, or an issue. */
export interface Post {
  readonly id: string;
  /** Where people read it. */
  readonly url: string;
  readonly body: string;
  /** True where the token's own account wrote it; what others wrote is never trusted nor touched. */
  readonly isOwn: boolean;
  /** True where readers no longer see it by default. */
  readonly isFolded: boolean;
}

/** Where posts are kept: the comments of a pull request, or the open issues of a repository. */
export interface Thread {
  /** All posts, oldest first, page by page. */
  readonly posts: () => AsyncIterable<Post>;
  /** Makes a post. Throws a ForgeError that says whether it may have been made. */
  readonly create: (body: string) => Promise<Post>;
  readonly update: (post: Post, body: string) => Promise<Post>;
  /** Hides a post that another one replaces. */
  readonly fold: (post: Post, by: Post) => Promise<void>;
  /** Deletes a comment, or closes an issue. */
  readonly remove: (post: Post) => Promise<void>;
}

/** A request to a forge that failed for good. Never shows a token. */
export class ForgeError extends DiagnosticError {
  readonly status: number | undefined;
  /** True where the request may have had its effect. */
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
