/** What guards look at: a finished draft with everything that goes, and how to ask for it. */
import type { LiveNode } from '../../tree/live.ts';
import type { Scene } from '../context.ts';
import type { Doomed } from '../diff/deletions.ts';
import type { DraftStep, PlanDraft } from '../order/draft.ts';
import type { Unmanaged } from '../plan.ts';

/** Everything that the guards look at. They give verdicts; they change no step. */
export interface Guarded {
  readonly scene: Scene;
  readonly draft: PlanDraft;
  /** What goes with steps that are in the draft. */
  readonly doomed: readonly Doomed[];
  /** What would go, and whose delete was left out of the draft. */
  readonly spared: readonly Doomed[];
  readonly unmanaged: readonly Unmanaged[];
  /** Deletes that are allowed this once, beyond the limit. */
  readonly allowDeletes?: number;
}

/** An object that will be gone, with the steps that make it go. */
export interface Going {
  readonly address: string;
  readonly live: LiveNode;
  readonly steps: readonly string[];
  readonly replaced: boolean;
}

/** All objects that will be gone, also those that new ones replace. */
export function goingOf({ scene, draft, doomed }: Guarded): readonly Going[] {
  const replaced = [...scene.replaced].flatMap(([address, live]) =>
    draft.get(address, 'delete') === undefined
      ? []
      : [{ address, live, steps: draft.at(address).map(({ id }) => id), replaced: true }],
  );
  const gone = doomed.map(({ address, live, by }) => ({
    address,
    live,
    steps: by === undefined ? [] : [by],
    replaced: false,
  }));
  return [...gone, ...replaced];
}

/** The steps that delete something. */
export function deletesIn({ draft }: Guarded): readonly DraftStep[] {
  return [...draft.steps.values()].filter(({ phase }) => phase === 'delete');
}
