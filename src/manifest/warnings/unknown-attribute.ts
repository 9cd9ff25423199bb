/** Reports conditions on attributes that the declared schema lacks. */
import { fieldWith } from '../../kinds/parts/field.ts';
import type { Value } from '../../kinds/parts/payload.ts';
import type { Registry } from '../../kinds/registry.ts';
import type { DesiredNode } from '../../tree/desired.ts';
import type { DesiredTree } from '../../tree/desired-tree.ts';
import { isRecord } from '../../util/json.ts';
import { nearest } from '../../util/nearest.ts';
import { Secret } from '../../util/secret.ts';
import { attributesIn } from './conditions.ts';
import { placeOfField, textIn, type Warning, type WarningInput } from './warning.ts';

export function* unknownAttribute({ trees, registry }: WarningInput): Generator<Warning> {
  for (const tree of trees) for (const node of tree.nodes.values()) yield* unknownIn(tree, node, registry);
}

function* unknownIn(tree: DesiredTree, node: DesiredNode, registry: Registry): Generator<Warning> {
  const condition = fieldWith(registry.byName(node.kind), 'condition');
  const text = condition && textIn(node, condition.name);
  if (condition === undefined || text === undefined) return;
  const { attributes, describedBy } = condition.trait;
  const described = descriptionFor(tree, node, describedBy);
  const schema = described?.fields[registry.byName(describedBy).manifest.whole ?? ''];
  if (described === undefined || schema === undefined) return;
  const seen = new Set<string>();
  for (const named of attributesIn(text, attributes)) {
    const lack = lackIn(schema, named.path);
    if (lack === undefined || seen.has(named.text)) continue;
    seen.add(named.text);
    yield {
      code: 'unknown-condition-attribute',
      message: `${described.address} has no attribute ${named.text}`,
      at: placeOfField(node, condition.name),
      address: node.address,
      suggestion: suggestionFor({ ...lack, prefix: attributes }),
      related: [{ message: 'the schema of the attributes', at: described.at }],
    };
  }
}

/** The nearest schema: a sibling of the node or of one of its ancestors. */
function descriptionFor(tree: DesiredTree, node: DesiredNode, kind: string): DesiredNode | undefined {
  for (const above of tree.ancestorsOf(node)) {
    const found = tree.childrenOf(above.address).find((child) => child.kind === kind);
    if (found !== undefined) return found;
  }
  return undefined;
}

interface Lack {
  readonly word: string;
  readonly before: readonly string[];
  readonly known: readonly string[];
}

function lackIn(schema: Value, path: readonly string[]): Lack | undefined {
  let part: unknown = schema;
  for (const [at, word] of path.entries()) {
    if (!isRecord(part) || part instanceof Secret || isOpen(part) || !isRecord(part.properties))
      return undefined;
    const { properties } = part;
    if (!Object.hasOwn(properties, word))
      return { word, before: path.slice(0, at), known: Object.keys(properties) };
    part = properties[word];
  }
  return undefined;
}

/** True if other keywords may describe further attributes. */
function isOpen(part: Readonly<Record<string, unknown>>): boolean {
  const { additionalProperties: more } = part;
  if (more === true || isRecord(more)) return true;
  return ['$ref', 'allOf', 'anyOf', 'oneOf', 'if', 'patternProperties'].some((key) => key in part);
}

function suggestionFor({ word, before, known, prefix }: Lack & { readonly prefix: string }): string {
  const near = nearest(word, known);
  if (near !== undefined) return `did you mean ${[prefix, ...before, near].join('.')}?`;
  const names = known.length === 0 ? 'none' : known.join(', ');
  return `fix the name, or add it to the schema, which has ${names}`;
}
