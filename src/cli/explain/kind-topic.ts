import { kindFacts } from '../../kinds/describe-kind.ts';
import type { Kind } from '../../kinds/kind.ts';
import { neededToCreate, operationsOfKind, whyNotCreated } from '../../kinds/probe.ts';
import type { Registry } from '../../kinds/registry.ts';

import type { ExplainedPart, Explanation } from '../../report/results/explanation.ts';
import { nested } from '../../util/nested.ts';
import { anchorOf, fact, facts, operationLine, placed, plain, yamlText } from './example.ts';
import { valueText } from './field-topic.ts';
import { fieldsOf } from './walk.ts';

export interface TopicOptions {
  /** Includes all levels of nested objects. */
  readonly isRecursive: boolean;
}

/** All kinds if several share the path. */
export function explainKinds(
  registry: Registry,
  { kinds, path }: { readonly kinds: readonly Kind[]; readonly path: string },
  options: TopicOptions,
): Explanation {
  const [kind] = kinds;
  if (kind !== undefined && kinds.length === 1) return explainKind(registry, { kind, path }, options);
  const rows = kinds.flatMap((one): readonly ExplainedPart[] => [
    {
      name: one.noun,
      depth: 0,
      value: '',
      description:
        one.manifest.marker === undefined
          ? one.description
          : `${one.description} An entry with the key ${one.manifest.marker}.`,
    },
    ...treeOf(registry, one, { ...options, depth: 1, above: [] }),
  ]);
  return {
    topic: path,
    what: kinds.map(({ noun }) => noun).join(' or '),
    description: 'Objects of several kinds, in one order.',
    facts: facts(fact('More', ...kinds.map(({ noun }) => `octavo explain ${anchorOf(noun)}`))),
    parts: { title: 'Objects', rows },
    reference: `docs/reference/kinds.md#${anchorOf(kind?.noun ?? '')}`,
  };
}

function explainKind(
  registry: Registry,
  { kind, path }: { readonly kind: Kind; readonly path: string },
  options: TopicOptions,
): Explanation {
  const refusal = whyNotCreated(registry, kind);
  const needed = neededToCreate(registry, kind);
  return {
    topic: path,
    what: `kind: ${kind.noun}`,
    description: plain(kind.description),
    facts: facts(
      fact('Facts', ...kindFacts(kind, registry.kinds)),
      fact(
        'Created',
        refusal === undefined ? undefined : `never: ${refusal.unsupported}; ${refusal.suggestion}`,
      ),
      fact('Needs', needed.length === 0 ? undefined : `${needed.join(', ')}, for new objects`),
      fact(
        'Restore',
        kind.deletion.restorableDays === undefined
          ? undefined
          : `for ${kind.deletion.restorableDays} days after a delete`,
      ),
      ...operationsOfKind(registry, kind).map(([what, operations]) =>
        fact(capital(what), ...operations.map(operationLine)),
      ),
    ),
    parts: {
      title:
        registry.collectionsOf(kind.name).length === 0 || kind === registry.root
          ? 'Fields'
          : 'Fields and objects inside',
      rows: treeOf(registry, kind, { ...options, depth: 0, above: [] }),
    },
    example: yamlText(placed(registry, kind, exampleObject(kind, needed))),
    reference: `docs/reference/kinds.md#${anchorOf(kind.noun)}`,
  };
}

/** Required fields, or the first one. */
function exampleObject(kind: Kind, needed: readonly string[]): unknown {
  const whole = kind.manifest.whole === undefined ? undefined : kind.fields[kind.manifest.whole];
  if (whole !== undefined) return whole.example;
  const isKey = (name: string) => kind.manifest.key?.is === 'field' && kind.manifest.key.field === name;
  const own = fieldsOf(kind).filter((name) => !isKey(name));
  const wanted = own.filter((name) => needed.includes(name) || name === own[0]);
  return nested(
    wanted.flatMap((name) => {
      const field = kind.fields[name];
      return field === undefined ? [] : [[name, field.example] as const];
    }),
  );
}

interface TopicBranch extends TopicOptions {
  readonly depth: number;
  /** Ancestors, so that collections in collections end. */
  readonly above: readonly Kind[];
}

/** Child kinds are listed without their fields, unless the tree is recursive. */
export function treeOf(registry: Registry, kind: Kind, branch: TopicBranch): readonly ExplainedPart[] {
  const { depth, isRecursive, above } = branch;
  const needed = neededToCreate(registry, kind);
  const fields = fieldsOf(kind).flatMap((name): readonly ExplainedPart[] => {
    const field = kind.fields[name];
    if (field === undefined) return [];
    const isKey = kind.manifest.key?.is === 'field' && kind.manifest.key.field === name;
    return [
      {
        name: isKey ? `${name} (the key)` : name,
        depth,
        value: valueText(registry, field),
        description: plain(field.description),
        ...(needed.includes(name) && !isKey ? { required: true as const } : {}),
      },
    ];
  });
  const collections = kind === registry.root && depth === 0 ? [] : registry.collectionsOf(kind.name);
  const inside = collections.flatMap((key): readonly ExplainedPart[] => {
    const places = registry.at(kind.name, key);
    const next = places.map((one) => one.kind).filter((one) => ![kind, ...above].includes(one));
    return [
      {
        name: places[0]?.place.shape === 'map' ? `${key}: …` : key,
        depth,
        value: '',
        description: places.map((one) => plain(one.kind.description)).join(' '),
        ...(needed.includes(key) ? { required: true as const } : {}),
      },
      ...(isRecursive
        ? next.flatMap((one) =>
            treeOf(registry, one, { ...branch, depth: depth + 1, above: [...above, kind] }),
          )
        : []),
    ];
  });
  return [...fields, ...inside];
}

function capital(word: string): string {
  return word.slice(0, 1).toUpperCase() + word.slice(1);
}
