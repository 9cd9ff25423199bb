/** What a rule about manifests is: a pure function over the desired trees that finds what is probably not meant. */
import type { Field, FieldTrait } from '../../kinds/field.ts';
import type { Registry } from '../../kinds/registry.ts';
import type { DesiredNode } from '../../tree/desired.ts';
import type { DesiredTree } from '../../tree/desired-tree.ts';
import type { LintRuleId } from '../../util/codes/lint.ts';
import type { SourceRange } from '../../util/diagnostic.ts';

/** What a rule found. Its place decides which comments turn it off. */
export interface LintFinding {
  readonly rule: LintRuleId;
  /** One clause without a final period. */
  readonly message: string;
  readonly at: SourceRange;
  readonly address?: string | undefined;
  readonly suggestion?: string | undefined;
  readonly related?: readonly { readonly message: string; readonly at?: SourceRange }[];
}

/** What rules look at. The manifests have no errors. */
export interface LintInput {
  readonly trees: readonly DesiredTree[];
  readonly registry: Registry;
  /** Files that others include, by absolute path, with the first place of each. */
  readonly included: ReadonlyMap<string, SourceRange>;
  /** Names of the files in each folder that has included ones, by absolute path. */
  readonly folders: ReadonlyMap<string, readonly string[]>;
  /** Absolute paths of the manifests and overlays. */
  readonly manifests: ReadonlySet<string>;
  /** A path as messages show it. */
  readonly nameOf: (file: string) => string;
}

/** A rule. Adding one takes a file, a line in `rules.ts` and its texts in `util/codes/lint.ts`. */
export type LintRule = (input: LintInput) => Iterable<LintFinding>;

/** The field of a kind that has a trait, and its name; undefined where none has. */
export function fieldWith<T extends FieldTrait['is']>(
  registry: Registry,
  kind: string,
  is: T,
):
  | { readonly name: string; readonly field: Field; readonly trait: Extract<FieldTrait, { is: T }> }
  | undefined {
  for (const [name, field] of Object.entries(registry.byName(kind).fields)) {
    const { trait } = field;
    if (trait !== undefined && isOf(trait, is)) return { name, field, trait };
  }
  return undefined;
}

function isOf<T extends FieldTrait['is']>(trait: FieldTrait, is: T): trait is Extract<FieldTrait, { is: T }> {
  return trait.is === is;
}

/** Where a field is written, or the object that takes it from elsewhere. */
export function placeOfField(node: DesiredNode, name: string): SourceRange {
  return node.fieldAt[name] ?? node.at;
}

/** A text of a field; undefined where it is not declared, is null or is a secret. */
export function textIn(node: DesiredNode, name: string): string | undefined {
  const value = node.fields[name];
  return typeof value === 'string' ? value : undefined;
}
