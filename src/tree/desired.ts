/** The desired tree: what the manifests of one organization ask for, with the place in the files where each part stands. */
import type { Fields } from '../kinds/payload.ts';
import type { SourceRange } from '../util/diagnostic.ts';
import type { Lifecycle } from './lifecycle.ts';
import type { Settings } from './settings.ts';

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

/** True when the manifest itself says which live object it is, or that it is none: nothing is to be suspected. */
export function isToldApart({ id, was, isNew }: DesiredNode): boolean {
  return id !== undefined || was.length > 0 || isNew === true;
}

/** Everything that the manifests say of one organization. */
export interface DesiredTree {
  /** Name of the organization in messages and, where a run has several, in addresses: its id or what it is matched by. */
  readonly label: string;
  /** How the organization is found: exactly one of the two. */
  readonly id?: string;
  readonly match?: { readonly hostname?: string; readonly title?: string };
  readonly settings: Settings;
  /** All nodes by address, parents before children, in the order of the files; the first is the organization. */
  readonly nodes: ReadonlyMap<string, DesiredNode>;
}

/** Address of the organization itself. */
export const rootAddress = 'organization';
