/** A lint rule: a pure function over the desired trees that reports probable mistakes. */
import type { Registry } from '../../kinds/registry.ts';
import type { DesiredNode } from '../../tree/desired.ts';
import type { DesiredTree } from '../../tree/desired-tree.ts';
import type { SourceRange } from '../../util/diagnostic.ts';
import type { LintRuleId } from '../../util/diagnostic-codes.ts';

/** The place of a finding determines which comments disable it. */
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
  /** First place of each included file, keyed by absolute path. */
  readonly included: ReadonlyMap<string, SourceRange>;
  readonly folders: ReadonlyMap<string, readonly string[]>;
  readonly manifests: ReadonlySet<string>;
  /** Paths of files with a private key that no manifest includes. */
  readonly privateKeys: ReadonlySet<string>;
  readonly nameOf: (file: string) => string;
  /** `name`: the file name in source ranges. */
  readonly textOf: (name: string) => string | undefined;
}

/** A new rule needs a file, a line in `rules.ts` and its texts in `util/diagnostic-codes.ts`. */
export type LintRule = (input: LintInput) => Iterable<LintFinding>;

export function placeOfField(node: DesiredNode, name: string): SourceRange {
  return node.fieldAt[name] ?? node.at;
}

export function textIn(node: DesiredNode, name: string): string | undefined {
  const value = node.fields[name];
  return typeof value === 'string' ? value : undefined;
}
