/** Checks a whole tree without a service: contradictions, ids pinned twice, unique values, and objects that cannot be distinguished. */
import { formOf } from '../../contract/form.ts';
import { hasAnyOwner, type Kind } from '../../kinds/kind.ts';
import type { Field } from '../../kinds/parts/field.ts';
import { type Fields, mapOf, type Value } from '../../kinds/parts/payload.ts';
import type { Registry } from '../../kinds/registry.ts';
import { keyOf } from '../../tree/addressing.ts';
import type { DesiredNode } from '../../tree/desired.ts';
import type { DesiredTree } from '../../tree/desired-tree.ts';
import { pinnedId } from '../../tree/identity.ts';
import { lackingIn } from '../../tree/lacking.ts';
import { resolveField } from '../../tree/references.ts';
import { pruneOf } from '../../tree/settings.ts';
import type { SourceRange } from '../../util/diagnostic.ts';
import { nearest } from '../../util/nearest.ts';
import { Secret } from '../../util/secret.ts';
import type { Problems } from '../../yaml/problems.ts';
import { metaOf } from '../schema/schema-part.ts';
import { repeatsIn } from './repeats.ts';

export interface TreeCheck {
  readonly tree: DesiredTree;
  readonly registry: Registry;
  readonly problems: Problems;
  /** True if no live state will show whether an undeclared object exists. */
  readonly isOffline: boolean;
  /** Pinned objects of all trees so far. */
  readonly pinned: Map<string, { readonly node: DesiredNode; readonly label: string }>;
}

export function checkTree(check: TreeCheck): void {
  const { tree, registry } = check;
  checkMatch(check);
  checkProfile(check);
  for (const kind of registry.kinds) {
    const nodes = tree.ofKind(kind.name);
    checkUnique(check, kind, nodes);
    checkUsuallyUnique(check, kind, nodes);
    checkPins(check, kind, nodes);
    checkDuplicates(check, kind, nodes);
    checkExclusive(check, kind);
    checkLevels(check, kind, nodes);
    for (const node of nodes) checkNames(check, kind, node);
  }
}

/** Checks support for the declared profile. Without a profile, the planner detects it from the service. */
function checkProfile({ tree, registry, problems }: TreeCheck): void {
  const { profile } = tree.settings.service ?? {};
  if (profile === undefined) return;
  for (const { code, message, at, ...details } of lackingIn(tree, registry, formOf({ profile })))
    problems.error(code, message, at, details);
}

function placeOf(node: DesiredNode, field: string, key?: string) {
  const { fieldAt } = node;
  const name = key === undefined ? field : `${field}.${key}`;
  const other = Object.keys(fieldAt).find((one) => one.toLowerCase() === name.toLowerCase());
  return fieldAt[name] ?? (other === undefined ? undefined : fieldAt[other]) ?? fieldAt[field] ?? node.at;
}

function withOther(node: DesiredNode, at: SourceRange, suggestion: string) {
  return { address: node.address, suggestion, related: [{ message: 'the other one', at }] };
}

function checkUnique({ tree, problems }: TreeCheck, kind: Kind, nodes: readonly DesiredNode[]): void {
  for (const { field, within } of kind.identity.unique ?? []) {
    const slotOf = (node: DesiredNode) => {
      const value = node.fields[field];
      if (typeof value !== 'string' || node.lifecycle.release === true) return undefined;
      return JSON.stringify([tree.closest(node, within)?.address, value]);
    };
    for (const [node, other] of repeatsIn(nodes, slotOf))
      problems.error(
        'value-wanted-twice',
        `${field} ${JSON.stringify(node.fields[field])} is already used by ${other.address}`,
        placeOf(node, field),
        withOther(node, placeOf(other, field), `choose another ${field} for one of the two`),
      );
  }
}

function checkUsuallyUnique({ tree, problems }: TreeCheck, kind: Kind, nodes: readonly DesiredNode[]): void {
  for (const name of kind.identity.usuallyUnique ?? []) {
    const taken = new Map<string, DesiredNode>();
    for (const node of nodes) {
      const target = resolveField(tree, node, { field: kind.fields[name], value: node.fields[name] });
      if (target === undefined || node.lifecycle.release === true) continue;
      if (target.type !== 'id' && target.type !== 'title' && target.type !== 'node') continue;
      const pin = target.type === 'node' ? tree.get(target.address)?.id : undefined;
      const slot = JSON.stringify([node.parent, target.type === 'id' ? target.id : (pin ?? target)]);
      const other = taken.get(slot);
      taken.set(slot, node);
      // Objects without another name cannot be distinguished, which is already reported.
      if (other === undefined || !isNamedOtherwise(kind, node, name)) continue;
      problems.warn(
        'value-wanted-twice',
        `${other.address} has the same ${name}: the service may refuse the second one`,
        placeOf(node, name),
        withOther(node, placeOf(other, name), `remove one of the two, unless both are live already`),
      );
    }
  }
}

function isNamedOtherwise({ identity }: Kind, { id, fields }: DesiredNode, name: string): boolean {
  return id !== undefined || identity.by.some(({ field }) => field !== name && fields[field] !== undefined);
}

function checkPins(
  { problems, pinned, tree: { label } }: TreeCheck,
  kind: Kind,
  nodes: readonly DesiredNode[],
): void {
  for (const node of nodes) {
    const { id } = node;
    if (id === undefined) continue;
    const slot = JSON.stringify([kind.name, id, hasAnyOwner(kind) ? '' : label]);
    const { node: other, label: owner } = pinned.get(slot) ?? {};
    if (other === undefined) pinned.set(slot, { node, label });
    else {
      const address = owner === label ? other.address : `${owner}/${other.address}`;
      problems.error(
        'id-claimed-twice',
        `id ${id} is pinned twice, also by ${address}`,
        placeOf(node, 'id'),
        withOther(
          node,
          placeOf(other, 'id'),
          `remove one of the two entries, or pin the id of another ${kind.noun}`,
        ),
      );
    }
  }
}

function checkDuplicates({ problems }: TreeCheck, kind: Kind, nodes: readonly DesiredNode[]): void {
  const names = [...new Set(kind.identity.by.map(({ field }) => field))];
  const unique = new Set((kind.identity.unique ?? []).map(({ field }) => field));
  const slotOf = (node: DesiredNode) => {
    const values = names.map((name) => node.fields[name] ?? null);
    const isNamed = values.some((value) => value !== null && !(value instanceof Secret));
    // Unique values are already reported.
    const isReported = names.some((name) => unique.has(name) && node.fields[name] !== undefined);
    if (!isNamed || isReported || node.isNew === true || pinnedId(kind, node) !== undefined) return undefined;
    return JSON.stringify([node.parent, values]);
  };
  for (const [node, duplicate] of repeatsIn(nodes, slotOf)) {
    const shared = names.filter((name) => typeof node.fields[name] === 'string');
    problems.warn(
      'indistinguishable',
      `this ${kind.noun} has the same ${shared.join(' and ')} as ${duplicate.address}: only ids distinguish them`,
      placeOf(node, shared[0] ?? 'id'),
      withOther(
        node,
        placeOf(duplicate, shared[0] ?? 'id'),
        `give one of them another ${shared[0] ?? 'name'}; if both are meant, add was: [] here and apply with --record, which keeps their ids`,
      ),
    );
  }
}

/** Reports a parent with entries in two lists that exclude each other. */
function checkExclusive({ tree, problems }: TreeCheck, kind: Kind): void {
  for (const { parent, key, emptyWith } of kind.manifest.places) {
    if (emptyWith === undefined) continue;
    for (const owner of tree.ofKind(parent)) {
      const [first] = tree.childrenOf(owner.address, key);
      const [other] = tree.childrenOf(owner.address, emptyWith);
      if (first === undefined || other === undefined) continue;
      problems.error(
        'exclusive-keys',
        `${key} and ${emptyWith} of one ${parent} exclude each other`,
        first.at,
        {
          address: owner.address,
          suggestion: `put what is under ${key} into one of the ${emptyWith}, or remove the ${emptyWith}`,
          related: [{ message: `the first of the ${emptyWith}`, at: other.at }],
        },
      );
    }
  }
}

function checkLevels({ tree, problems }: TreeCheck, kind: Kind, nodes: readonly DesiredNode[]): void {
  const { levels } = kind.manifest.places.find(({ parent }) => parent === kind.name) ?? {};
  if (levels === undefined) return;
  for (const node of nodes) {
    const above = tree.ancestorsOf(node).filter((one) => one.kind === kind.name);
    if (above.length !== levels) continue;
    problems.error('levels', `${kind.noun}s nest ${levels} levels deep at most`, node.at, {
      address: node.address,
      suggestion: `move it out of ${keyOf(above[0]?.address ?? '')}`,
    });
  }
}

function checkNames(check: TreeCheck, kind: Kind, node: DesiredNode): void {
  for (const [name, field] of Object.entries(kind.fields)) {
    for (const [key, inner] of Object.entries(mapOf(node.fields[name]) ?? {})) {
      if (field.type === 'members') checkMember(check, node, { field: name, key, of: field.of });
      if (field.type === 'map') checkValueOf(check, { field, name, node }, [key, inner]);
    }
  }
}

interface MapSource {
  readonly field: Extract<Field, { type: 'map' }>;
  readonly name: string;
  readonly node: DesiredNode;
}

function checkValueOf(check: TreeCheck, source: MapSource, [key, value]: readonly [string, Value]): void {
  const { field, name, node } = source;
  const [named] = check.tree.keyed(field.keysOf, key);
  if (named === undefined) {
    if (check.problems.hasLost(field.keysOf)) return;
    checkUndeclared(check, node, { field: name, key, of: field.keysOf });
    return;
  }
  const misfit = value instanceof Secret ? undefined : field.misfit?.(value, knownWhole(named));
  if (misfit === undefined) return;
  check.problems.error(
    'value',
    `${name}.${key} ${misfit.message}, is ${JSON.stringify(value)}`,
    placeOf(node, name, key),
    {
      address: node.address,
      suggestion: misfit.suggestion,
      related: [{ message: 'declared here', at: named.at }],
    },
  );
}

/** Omits lists that may have other elements. */
function knownWhole({ fields, additive = [] }: DesiredNode): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !additive.includes(name)));
}

interface NamedEntry {
  readonly field: string;
  readonly key: string;
  readonly of: string;
}

function checkMember(check: TreeCheck, node: DesiredNode, entry: NamedEntry): void {
  const { tree, registry, problems } = check;
  const { field, key, of } = entry;
  const {
    manifest: { keySchema: schemaOfKeys },
    noun,
  } = registry.byName(of);
  const keySchema = schemaOfKeys?.();
  if (keySchema === undefined) {
    if (!problems.hasLost(of) && tree.keyed(of, key).length === 0) checkUndeclared(check, node, entry);
    return;
  }
  if (keySchema.safeParse(key).success || tree.get(key)?.kind === of) return;
  const known = [...tree.keysOf(of)];
  const squeezed = key.replace(/\s+/g, '');
  const meant =
    known.find((one) => one.startsWith(`${key}@`)) ??
    (keySchema.safeParse(squeezed).success ? squeezed : nearest(key, known));
  problems.error(
    'key',
    `${field}: ${JSON.stringify(key)} is not the e-mail address of a ${noun}`,
    placeOf(node, field, key),
    {
      address: node.address,
      suggestion: meant === undefined ? metaOf(keySchema, 'help') : `did you mean ${meant}?`,
    },
  );
}

function checkUndeclared(
  { tree, registry, problems, isOffline }: TreeCheck,
  node: DesiredNode,
  entry: NamedEntry,
): void {
  const { field, key, of } = entry;
  const kind = registry.byName(of);
  const [place] = kind.manifest.places;
  if (place === undefined || tree.root?.declares.includes(place.key) !== true) return;
  const known = [...tree.keysOf(of)];
  const near = nearest(key, known);
  const isComplete = pruneOf(tree.settings, of) === 'unlisted';
  if (near === undefined && !isComplete) return;
  const message = `${field}: ${kind.noun} ${JSON.stringify(key)} is not declared`;
  const meant = near === undefined ? `declare it under ${place.key}` : `did you mean ${near}?`;
  const details = { address: node.address, suggestion: meant };
  const report = isComplete ? problems.error : isOffline ? problems.warn : undefined;
  report?.('unknown-reference', message, placeOf(node, field, key), details);
}

/** Reports a `match` by a value that the manifests change: the organization would not be found afterwards. */
function checkMatch({ tree, problems }: TreeCheck): void {
  const { root } = tree;
  for (const [field, value] of Object.entries(tree.match ?? {})) {
    const wanted = root?.fields[field];
    if (root === undefined || wanted === undefined || wanted === null || wanted === value) continue;
    problems.error(
      'match-invalidated',
      `match: ${field} ${JSON.stringify(value)} finds the organization until its ${field} is ${JSON.stringify(wanted)}`,
      placeOf(root, field),
      { address: root.address, suggestion: 'name the organization by its id: organization: { id: org_… }' },
    );
  }
}
