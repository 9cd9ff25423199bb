/** What manifests declare: objects with their fields and lifecycle, each with its place in the files. */
import type { Fields } from '../kinds/payload.ts';
import type { SourceRange } from '../util/diagnostic.ts';
import type { Lifecycle } from './lifecycle.ts';

/** One object that the manifests declare. */
export interface DesiredNode {
  readonly kind: string;
  /** Path of keys: `sites/developer-hub/sections/guides`; `organization` for the root. */
  readonly address: string;
  readonly key: string;
  /** Address of the parent; absent for the organization. */
  readonly parent?: string;
  /** The key under which the parent holds it; empty for the organization. */
  readonly collection: string;
  /** Place among its siblings, as written. */
  readonly index: number;
  /** The id that the manifest pins. */
  readonly id?: string;
  /** Former keys, titles or paths. */
  readonly was: readonly string[];
  /** True when the manifest says (`was: []`) that it is no live object under another name. */
  readonly isNew?: true;
  readonly lifecycle: Lifecycle;
  /** Declared fields in normal form; references still as written. */
  readonly fields: Fields;
  /** Child collections that are declared, also empty ones. */
  readonly declares: readonly string[];
  readonly at: SourceRange;
  readonly fieldAt: Readonly<Record<string, SourceRange>>;
}

/** True when the manifest itself says which live object it is, or that it is none: there is nothing to guess. */
export function isToldApart({ id, was, isNew }: DesiredNode): boolean {
  return id !== undefined || was.length > 0 || isNew === true;
}

/** Address of the organization itself. */
export const rootAddress = 'organization';
