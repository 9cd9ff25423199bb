/** A check: a pure function over the desired trees that reports mistakes in valid manifests. */
import type { Registry } from '../../kinds/registry.ts';
import type { DesiredNode } from '../../tree/desired.ts';
import type { DesiredTree } from '../../tree/desired-tree.ts';
import type { SourceRange } from '../../util/diagnostic.ts';
import type { DiagnosticCode } from '../../util/diagnostic-codes.ts';
import type { ProblemDetails } from '../../yaml/problems.ts';

export interface Warning extends ProblemDetails {
  readonly code: DiagnosticCode;
  readonly message: string;
  readonly at: SourceRange;
}

export interface WarningInput {
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

/** A new check needs a file, a line in `workspace-warnings.ts` and a code in `util/diagnostic-codes.ts`. */
export type Check = (input: WarningInput) => Iterable<Warning>;

export function placeOfField(node: DesiredNode, name: string): SourceRange {
  return node.fieldAt[name] ?? node.at;
}

export function textIn(node: DesiredNode, name: string): string | undefined {
  const value = node.fields[name];
  return typeof value === 'string' ? value : undefined;
}
