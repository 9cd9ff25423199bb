/**
 * Reads of live state that a plan may request, as data. The planner yields them; the live layer sends the requests and adds the
 * responses to the live tree; neither knows the other.
 */
import type { ObjectRef } from './refs.ts';

/** A missing object is not an error: it is absent from the tree. */
export type Read =
  /** All objects of a kind that an object lists. `partial`: the list need not be complete. */
  | { readonly type: 'list'; readonly kind: string; readonly of: ObjectRef; readonly partial?: true }
  /** Positions inside an object, for kinds whose list does not show them. */
  | { readonly type: 'places'; readonly kind: string; readonly of: ObjectRef }
  | { readonly type: 'single'; readonly kind: string; readonly of: ObjectRef }
  | { readonly type: 'object'; readonly kind: string; readonly id: string }
  | {
      readonly type: 'search';
      readonly kind: string;
      readonly value: string;
      /** Also copies, whose names have a few words more. */
      readonly copies?: true;
    }
  /** Example: all members with role admin. */
  | { readonly type: 'having'; readonly kind: string; readonly field: string; readonly value: string }
  | { readonly type: 'field'; readonly of: ObjectRef; readonly field: string }
  | { readonly type: 'openWork'; readonly of: ObjectRef }
  /** What a person may do with each object that the service lists for them. */
  | { readonly type: 'reach'; readonly of: ObjectRef }
  /** Whose token this is. */
  | { readonly type: 'owner' }
  /**
   * For a view of the plan, into `LiveTree.aside`: nothing is planned from it, and a plan goes on without what the token may not
   * read.
   */
  | { readonly type: 'aside'; readonly read: Read };

/** Yields the reads of one round, in no order; continues once the live tree has their results. */
export type Stage<T> = Generator<readonly Read[], T, void>;

export function runKnown<T>(stage: Stage<T>): T {
  for (;;) {
    const step = stage.next();
    if (step.done === true) return step.value;
  }
}
