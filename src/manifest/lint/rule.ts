/** A lint rule: a pure function over the desired trees that reports probable mistakes. */
import type { Registry } from '../../kinds/registry.ts';
import type { DesiredNode } from '../../tree/desired.ts';
import type { DesiredTree } from '../../tree/desired-tree.ts';
import type { SourceRange } from '../../util/diagnostic.ts';
import type { LintRuleId } from '../../util/diagnostic-codes.ts';

/** Its place decides which comments turn it off. */
export interface LintFinding {
  readonly rule: LintRuleId;
  readonly message: string;
  readonly at: SourceRange;
  readonly address?: string | undefined;
  readonly suggestion?: string | undefined;
  readonly related?: readonly { readonly message: string; readonly at?: SourceRange }[];
}

export interface LintInput {
  readonly trees: readonly DesiredTree[];
  readonly registry: Registry;
  /** By absolute path, with the first place of each. */
  readonly included: ReadonlyMap<string, SourceRange>;
  readonly folders: ReadonlyMap<string, readonly string[]>;
  readonly manifests: ReadonlySet<string>;
  /** Of the files that nothing includes. */
  readonly privateKeys: ReadonlySet<string>;
  readonly nameOf: (file: string) => string;
  /** By the name in places. */
  readonly textOf: (name: string) => string | undefined;
}

/** A rule. Adding one takes a file, a line in `rules.ts` and its texts in `util/diagnostic-codes.ts`. */
export type LintRule = (input: LintInput) => Iterable<LintFinding>;

export function placeOfField(node: DesiredNode, name: string): SourceRange {
  return node.fieldAt[name] ?? node.at;
}

export function textIn(node: DesiredNode, name: string): string | undefined {
  const value = node.fields[name];
  return typeof value === 'string' ? value : undefined;
}
