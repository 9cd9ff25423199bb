import type { LiveNode } from '../../tree/live.ts';
import { someOf } from '../../util/count.ts';
import { namedObject } from '../title-of.ts';
import type { Guard, GuardedPlan, OwnRefusal, SentDeletion } from './guard.ts';

const namedAtMost = 5;

export const contents: Guard = {
  name: 'contents',
  check: (plan) => ({
    refusals: plan.deletions
      .filter(({ isCascaded }) => !isCascaded)
      .flatMap((deletion) => refusalOf(plan, deletion) ?? []),
  }),
};

function refusalOf(plan: GuardedPlan, { live, address, by }: SentDeletion): OwnRefusal | undefined {
  const { context, gone } = plan;
  const kept = context.live
    .childrenOf(live)
    .filter((child) => !gone.has(child) && child.deleted !== true && !movesOut(plan, child));
  if (kept.length === 0) return undefined;
  const names = kept.map((child) => namedObject(context, child));
  return {
    address,
    message: `${namedObject(context, live)} still contains ${someOf(names, namedAtMost)}`,
    suggestion: 'move them elsewhere first, or list the ones to keep in the manifests',
    steps: [by],
  };
}

function movesOut({ context, draft }: GuardedPlan, live: LiveNode): boolean {
  const address = context.matching.addressOf(live) ?? '';
  return draft.get(address, 'detach') !== undefined || draft.get(address, 'attach') !== undefined;
}
