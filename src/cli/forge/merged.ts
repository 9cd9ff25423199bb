/** Finds the approval that a commit was merged with. */
import { approvedCheck, noApproval } from '../../forge/approval.ts';
import { approvedArtifact } from '../../forge/gitlab-approval.ts';
import type { Invocation } from '../line/command.ts';
import { mergedInto, withForge } from './open.ts';
import { pipelineRun } from './place.ts';

export interface ApprovalPlace {
  readonly key: string;
  readonly app: string;
  readonly file: string;
}

/** @throws DiagnosticError if no approval is found, or it may not be applied. */
export function mergedApproval(invocation: Invocation, { key, app, file }: ApprovalPlace): Promise<string> {
  const { env, output } = invocation;
  const push = pipelineRun(env)?.push;
  if (push === undefined)
    throw noApproval(
      'this run is not for a commit of a branch',
      'run it in the pipeline of the commit that was merged',
    );
  return withForge(invocation, async (forge) => {
    const request = await mergedInto(forge, push);
    if ('none' in request)
      throw noApproval(request.none, 'merge one request at a time, and apply the commit of its merge');
    if (request.isFork)
      throw noApproval(
        `request ${request.number} is from a fork, whose plans approve nothing`,
        'revert it, and open a request with its commits from a branch of this project',
      );
    const approval =
      forge.type === 'github'
        ? await approvedCheck(forge.github, { request, key, app })
        : await approvedArtifact(forge.gitlab, { request, key }, file);
    output.note(
      `Approved by the merge of request ${request.number}, planned at ${request.head.slice(0, 12)}`,
    );
    return approval;
  });
}
