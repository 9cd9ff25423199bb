/** References by title: `{ title }` names an object that no manifest declares. Its id replaces it before anything is matched. */
import type { Kind } from '../../kinds/kind.ts';
import type { Value } from '../../kinds/parts/payload.ts';
import type { Registry } from '../../kinds/registry.ts';
import type { DesiredNode } from '../../tree/desired.ts';
import type { DesiredTree } from '../../tree/desired-tree.ts';
import { desiredIdentity, identityValue } from '../../tree/identity.ts';
import type { LiveNode, LiveTree } from '../../tree/live.ts';
import type { Read, Stage } from '../../tree/reads.ts';
import { referencesOf } from '../../tree/references.ts';
import type { Diagnostic } from '../../util/diagnostic.ts';
import { nearest } from '../../util/nearest.ts';
import type { PlanContext } from '../context.ts';
import { problemOf } from '../problem.ts';
import { titleOf } from '../title-of.ts';
import type { ReadsMade } from './declared-reads.ts';

interface Titled {
  readonly node: DesiredNode;
  readonly field: string;
  readonly kinds: readonly Kind[];
  readonly title: string;
}

/** The trees with an id for each title that exactly one object has. */
export function* withTitlesFound(
  trees: readonly DesiredTree[],
  { live, registry, readsMade }: { live: LiveTree; registry: Registry; readsMade: ReadsMade },
): Stage<readonly DesiredTree[]> {
  const titled = trees.map((tree) => titledIn(tree, registry));
  const of = { kind: registry.root.name, id: live.organizationId };
  const reads = titled.flat().flatMap(({ kinds, title }) =>
    kinds.map(({ name: kind, reads: { search } }): Read => {
      return search === undefined ? { type: 'list', kind, of } : { type: 'search', kind, value: title };
    }),
  );
  yield* readsMade.ask(reads);
  return trees.map((tree, index) => {
    const found = new Map<DesiredNode, Record<string, Value>>();
    for (const one of titled[index] ?? []) {
      const [only, ...more] = liveNamed(one, live);
      if (only !== undefined && more.length === 0)
        found.set(one.node, { ...found.get(one.node), [one.field]: { id: only.id } });
    }
    if (found.size === 0) return tree;
    return tree.mapped((node) => {
      const fields = found.get(node);
      return fields === undefined ? node : { ...node, fields: { ...node.fields, ...fields } };
    });
  });
}

/** Titles that are left, since no object or several objects have them. */
export function titleProblems(context: PlanContext): readonly Diagnostic[] {
  const { desired, live, registry } = context;
  return titledIn(desired, registry).map((one) => {
    const { node, field, kinds, title } = one;
    const noun = kinds.map((kind) => kind.noun).join(' or ');
    const [named, found] = [JSON.stringify(title), liveNamed(one, live)];
    if (found.length > 1) {
      const message = `${field}: ${found.length} ${noun}s have the title ${named}: ${found.map(({ id }) => id).join(', ')}`;
      const suggestion = `name the right one by its id, for example { id: ${found[0]?.id} }`;
      return problemOf(node, { code: 'ambiguous-reference', message, suggestion }, field);
    }
    const declared = kinds.flatMap(({ name }) => desired.ofKind(name)).find((other) => isTitled(other, one));
    const titles = kinds.flatMap(({ name }) => live.ofKind(name)).map((other) => titleOf(context, other));
    const [searched] = kinds.flatMap(({ reads: { search } }) => search ?? []);
    const look =
      searched &&
      `octavo api ${searched.operation} organizationId=${live.organizationId} ${searched.parameter}=…`;
    const message = `${field}: no ${noun} that this token sees has the title ${named}`;
    const suggestion =
      declared === undefined
        ? helpWith(title, [...new Set(titles)], look)
        : `write its key: ${declared.address} has it`;
    return problemOf(node, { code: 'unknown-reference', message, suggestion }, field);
  });
}

function helpWith(title: string, titles: readonly string[], look = ''): string {
  const near = nearest(title, titles);
  if (near !== undefined) return `did you mean { title: ${JSON.stringify(near)} }?`;
  const shown = titles.slice(0, 8).map((one) => JSON.stringify(one));
  const help = 'correct the title, or name the object by { id: … }';
  if (shown.length > 0) return `${help}; found: ${shown.join(', ')}${titles.length > 8 ? ', …' : ''}`;
  return look === '' ? help : `${help}: ${look} shows what there is`;
}

function titledIn(tree: DesiredTree, registry: Registry): readonly Titled[] {
  return [...tree.nodes.values()].flatMap((node) =>
    referencesOf(tree, node, registry).flatMap(({ field, reference, target }) => {
      if (target.type !== 'title') return [];
      const kinds = reference.kinds.map((kind) => registry.byName(kind));
      return [{ node, field, kinds, title: target.title.trim() }];
    }),
  );
}

function liveNamed(titled: Titled, live: LiveTree): readonly LiveNode[] {
  const all = titled.kinds.flatMap((kind) => live.ofKind(kind.name));
  return all.filter((node) => node.deleted !== true && isTitled(node, titled));
}

function isTitled({ kind, fields }: LiveNode | DesiredNode, { kinds, title }: Titled): boolean {
  const by = kinds.find(({ name }) => name === kind)?.identity.by ?? [];
  return by.some((identity) => {
    const value = identityValue(fields, identity);
    return value !== undefined && value === desiredIdentity({ [identity.field]: title }, identity);
  });
}
