/** Finds the approvals that commits of a branch were merged with. */
import { approvedCheck, noApproval } from '../../forge/approval.ts';
import type { MergedPull, NotMerged } from '../../forge/forge.ts';
import { approvedArtifact } from '../../forge/gitlab-approval.ts';
import { type Expectation, parseExpectation } from '../../run/approval/digest.ts';
import { DiagnosticError } from '../../util/diagnostic.ts';
import { mergedInto, type OpenForge } from './open.ts';
import type { PipelineRun } from './place.ts';

export interface ApprovalPlace {
  readonly key: string;
  readonly app: string;
  readonly file: string;
  readonly push: NonNullable<PipelineRun['push']>;
  /** The request that brought the pushed commit. */
  readonly merged: MergedPull | NotMerged;
  /** Commits of the branch that are not applied yet: the approvals of all their requests count, with that of the pushed one. */
  readonly unapplied: readonly string[];
}

/**
 * All approved plans together, so that the jobs of several merges may run in any order.
 * @throws DiagnosticError if none of the commits has an approval, with the reason for each.
 */
export async function mergedApprovals(
  forge: OpenForge,
  place: ApprovalPlace,
  note: (line: string) => void,
): Promise<Expectation> {
  const { push, merged, unapplied } = place;
  const found: Expectation[] = [];
  const problems: DiagnosticError[] = [];
  let latest: number | undefined;
  for (const commit of new Set([push.commit, ...unapplied])) {
    try {
      const request = commit === push.commit ? merged : await mergedInto(forge, { ...push, commit });
      if ('none' in request) {
        if (request.isPart && commit !== push.commit) continue;
        throw noApproval(request.none, 'open another request, whose plan and approval include this change');
      }
      const { number, head } = request;
      found.push(parseExpectation(await approvalOf(forge, request, place)) ?? { digests: [] });
      latest ??= number;
      note(`Approved by the merge of request ${number}, planned at ${head.slice(0, 12)}`);
    } catch (error) {
      if (!isNoApproval(error)) throw error;
      problems.push(error);
    }
  }
  const all = problems.flatMap(({ diagnostics }) => diagnostics);
  if (found.length === 0) throw new DiagnosticError(all);
  const parts = found.flatMap((one) => one.parts ?? []);
  return {
    digests: found.flatMap(({ digests }) => digests),
    ...(parts.length === 0 ? {} : { parts: new Set(parts.flatMap((one) => [...one])) }),
    ways: [
      ...all.map(({ message, suggestion = '' }) => `${message}: ${suggestion.replace(/\n.*/s, '')}`),
      // It plans the merge with what the branch has now, against what is applied now.
      ...(all.length === 0
        ? [`run the plan job of request ${latest} again, and then the job of the last commit`]
        : []),
    ],
  };
}

function isNoApproval(error: unknown): error is DiagnosticError {
  return error instanceof DiagnosticError && error.diagnostics.some(({ code }) => code === 'no-approval');
}

async function approvalOf(
  forge: OpenForge,
  request: MergedPull,
  { key, app, file }: ApprovalPlace,
): Promise<string> {
  if (request.isFork)
    throw noApproval(
      `request ${request.number} is from a fork, whose plans approve nothing`,
      'revert it, and open a request with its commits from a branch of this project',
    );
  return forge.type === 'github'
    ? approvedCheck(forge.github, { request, key, app })
    : approvedArtifact(forge.gitlab, { request, key }, file);
}
