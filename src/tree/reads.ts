/**
 * What a plan may ask to see of the live state, as data. The planner says what it must know, the live layer sends the
 * requests and puts the answers into the live tree; neither knows the other.
 */
import type { ObjectRef } from './refs.ts';

/** One thing to be read. An object that is not there is no error: the tree then has no such object. */
export type Read =
  /** All objects of a kind that an object lists. `partial`: they need not be all that matters there. */
  | { readonly type: 'list'; readonly kind: string; readonly of: ObjectRef; readonly partial?: true }
  /** The only object of a kind inside an object. */
  | { readonly type: 'single'; readonly kind: string; readonly of: ObjectRef }
  /** One object by its id. */
  | { readonly type: 'object'; readonly kind: string; readonly id: string }
  /** The objects that the kind's search finds for a value of its search field. */
  | {
      readonly type: 'search';
      readonly kind: string;
      readonly value: string;
      /** Also copies, whose names have a few words more. */
      readonly copies?: true;
    }
  /** All objects of a kind that have a value in a field, for example all members with role admin. */
  | { readonly type: 'having'; readonly kind: string; readonly field: string; readonly value: string }
  /** A field that takes a request of its own, for example the members of a team. */
  | { readonly type: 'field'; readonly of: ObjectRef; readonly field: string }
  /** How much work others have pending inside an object, for example open change requests. */
  | { readonly type: 'openWork'; readonly of: ObjectRef };

/**
 * A stage that may ask for reads. It yields those of one round, which have no order among themselves, and goes on once
 * the live tree has their answers.
 */
export type Stage<T> = Generator<readonly Read[], T, void>;

/** Runs a stage on what is known already, whatever it asks for. */
export function runKnown<T>(stage: Stage<T>): T {
  for (;;) {
    const step = stage.next();
    if (step.done === true) return step.value;
  }
}
