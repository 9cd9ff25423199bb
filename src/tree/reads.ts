/**
 * Reads of live state that a plan may request, as data. The planner yields them; the live layer sends the requests and adds the
 * responses to the live tree. Neither depends on the other.
 */
import type { ObjectRef } from './refs.ts';

/** A missing object is not an error, but is absent from the tree. */
export type Read =
  /** Reads all objects of a kind in an object. `partial`: the list need not be complete. `again`: an earlier response may be incomplete. */
  | {
      readonly type: 'list';
      readonly kind: string;
      readonly of: ObjectRef;
      readonly partial?: true;
      readonly again?: true;
    }
  /** Reads positions inside an object, for kinds whose list does not show them. */
  | { readonly type: 'places'; readonly kind: string; readonly of: ObjectRef }
  | { readonly type: 'single'; readonly kind: string; readonly of: ObjectRef }
  | { readonly type: 'object'; readonly kind: string; readonly id: string }
  | {
      readonly type: 'search';
      readonly kind: string;
      readonly value: string;
      /** Includes copies, whose names have additional words. */
      readonly copies?: true;
    }
  /** Example: all members with role admin. */
  | { readonly type: 'having'; readonly kind: string; readonly field: string; readonly value: string }
  | { readonly type: 'field'; readonly of: ObjectRef; readonly field: string }
  | { readonly type: 'openWork'; readonly of: ObjectRef }
  /** Reads a person's level on each object that the service lists for them. */
  | { readonly type: 'reach'; readonly of: ObjectRef }
  /** Reads the links in the content of an object. A plan continues without them if the read fails. */
  | { readonly type: 'links'; readonly of: ObjectRef }
  /** Reads the owner of the token. */
  | { readonly type: 'owner' }
  /**
   * Reads for a view of the plan, into `LiveTree.aside`: no step depends on it, and a plan continues without data that the token may not
   * read.
   */
  | { readonly type: 'aside'; readonly read: Read };

/** Yields the reads of a round, in any order; continues when the live tree has their results. */
export type Stage<T> = Generator<readonly Read[], T, void>;
