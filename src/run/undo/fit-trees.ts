/**
 * Fits the two trees of a run to today's live state: people who are no longer members are not restored, steps that never ran are not
 * undone, and values that no request can restore are omitted and reported.
 */
import { type Form, isLacking } from '../../contract/form.ts';
import { isKeyField, type Kind } from '../../kinds/kind.ts';
import type { Field } from '../../kinds/parts/field.ts';
import { type Fields, mapOf, type Value } from '../../kinds/parts/payload.ts';
import type { Registry } from '../../kinds/registry.ts';
import type { LiveReader } from '../../live/live-reader.ts';
import { withArticle } from '../../manifest/build/issue-text.ts';
import type { AsStored } from '../../plan/past.ts';
import { reverted } from '../../tree/additive.ts';
import { inside, unlistedKey } from '../../tree/addressing.ts';
import { type DesiredNode, rootAddress } from '../../tree/desired.ts';
import type { DesiredTree } from '../../tree/desired-tree.ts';
import { differingFields, sameField } from '../../tree/difference.ts';
import { identityValue, isLike } from '../../tree/identity.ts';
import type { LiveNode, LiveTree } from '../../tree/live.ts';
import { RefMap, RefSet } from '../../tree/refs.ts';
import type { Diagnostic } from '../../util/diagnostic.ts';
import { isRecord, sameJson } from '../../util/json.ts';
import { holdsUnfilled, Secret } from '../../util/secret.ts';
import type { UndoTrees } from './undo-trees.ts';

export type Fitted = ReturnType<Fitting['fit']>;

export function wasCreatedSince({ createdAt }: LiveNode, time: number | undefined): boolean {
  return time === undefined || (createdAt !== undefined && Date.parse(createdAt) >= time);
}

export class Fitting {
  readonly #trees: UndoTrees;
  readonly #live: LiveTree;
  readonly #registry: Registry;
  readonly #after = new Map<string, DesiredNode>();
  readonly #before = new Map<string, DesiredNode>();
  readonly #kept = new RefMap<DesiredNode>();
  readonly #notes: Diagnostic[] = [];
  readonly #form: Form;
  readonly #asStored: AsStored | undefined;
  #keptRefs: RefSet | undefined;

  constructor(trees: UndoTrees, { tree, registry, form }: LiveReader, asStored: AsStored | undefined) {
    this.#trees = trees;
    this.#asStored = asStored;
    this.#live = tree;
    this.#registry = registry;
    this.#form = form;
  }

  fit() {
    const { before, after } = this.#trees;
    for (const node of topDown(after)) this.#fitAfter(node);
    for (const node of topDown(before)) this.#fitBefore(node);
    for (const node of [...this.#after.values()]) this.#planDeletion(node);
    return {
      ...this.#trees,
      before: before.with({ nodes: this.#before }),
      after: after.with({ nodes: this.#after }),
      live: this.#live,
      registry: this.#registry,
      notes: this.#notes as readonly Diagnostic[],
    };
  }

  #kindOf({ kind }: Pick<DesiredNode, 'kind'>): Kind {
    return this.#registry.byName(kind);
  }

  #note(node: DesiredNode, message: string): void {
    this.#notes.push({ severity: 'warning', code: 'not-undone', message, address: node.address });
  }

  #liveOf(node: DesiredNode, parents: ReadonlyMap<string, DesiredNode>): LiveNode | undefined {
    if (node.parent === undefined)
      return this.#live.get({ kind: this.#registry.root.name, id: this.#live.organizationId });
    if (node.id !== undefined) return this.#live.get({ kind: node.kind, id: node.id });
    if (this.#kindOf(node).identity.idParam !== undefined) return undefined;
    const id = parents.get(node.parent)?.id;
    return id === undefined ? undefined : this.#live.get({ kind: node.kind, id });
  }

  #fitAfter(planned: DesiredNode): void {
    const node = this.#withParent(planned);
    if (node === undefined) return;
    const pinned = this.#madeUnderName(this.#madeWithParent(node));
    const live = this.#liveOf(pinned, this.#after);
    if (pinned.id === undefined && this.#trees.inDoubt?.has(node.address) === true)
      this.#note(
        node,
        'may have been created, under an id that the run never learned: look for it in the app',
      );
    if (live === undefined || live.deleted === true) return;
    const fields = Object.entries(pinned.fields).flatMap(([name, value]): [string, Value][] => {
      const stored = live.fields[name];
      const one = { address: pinned.address, name, id: live.id };
      const known = (this.#asStored?.(one, value, stored) as Value | undefined) ?? value;
      return holdsUnfilled(known) ? [] : [[name, known]];
    });
    this.#after.set(pinned.address, { ...pinned, fields: Object.fromEntries(fields) });
    this.#kept.set(live, pinned);
  }

  /** An object that the run created before the parent that was to get it is in the nearest parent that exists. */
  #withParent(node: DesiredNode): DesiredNode | undefined {
    let { parent } = node;
    if (parent === undefined || this.#after.has(parent)) return node;
    if (node.isNew !== true || node.id === undefined) return undefined;
    while (parent !== undefined && !this.#after.has(parent)) parent = this.#trees.after.get(parent)?.parent;
    return parent === undefined ? undefined : { ...node, parent };
  }

  /** Deletes objects that the run created; reports changes that are lost with them. */
  #planDeletion(node: DesiredNode): void {
    const live = this.#liveOf(node, this.#after);
    if (live === undefined || node.parent === undefined || this.#isKept(node)) return;
    const why = this.#whyNotDeleted(node, live);
    if (why !== undefined) {
      this.#after.delete(node.address);
      this.#note(node, why);
      return;
    }
    const { applied } = this.#trees;
    const changed = differingFields(this.#kindOf(node), node, live)
      .map(({ field = '' }) => field)
      .filter((field) => applied?.has(`${node.address} ${field}`) !== false);
    if (changed.length > 0) this.#note(node, `was changed since the run created it: ${changed.join(', ')}`);
  }

  #whyNotDeleted(node: DesiredNode, live: LiveNode): string | undefined {
    const { noun, calls } = this.#kindOf(node);
    // Objects that the run did not create are never deleted, regardless of the trees.
    if (node.isNew !== true) return 'is not moved: the journal does not show where it was before the run';
    if (!this.#isMadeSince(node, live))
      return `is kept: the service does not show that ${noun} was created by the run, and the journal comes from git`;
    const above = this.#after.get(node.parent ?? '');
    const isInKept = above !== undefined && this.#isKept(above);
    return calls.delete === undefined && isInKept
      ? `is kept: the API cannot delete ${withArticle(noun)}`
      : undefined;
  }

  /** An object without a creation time counts as new if its container is deleted, too. */
  #isMadeSince({ parent = '' }: DesiredNode, live: LiveNode): boolean {
    const { madeSince } = this.#trees;
    if (madeSince === undefined || live.createdAt !== undefined) return wasCreatedSince(live, madeSince);
    const above = this.#after.get(parent);
    const { kind, id } = live.container;
    return above !== undefined && above.kind === kind && above.id === id && !this.#isKept(above);
  }

  #isKept({ address, kind, id }: DesiredNode): boolean {
    this.#keptRefs ??= new RefSet(
      [...this.#before.values()].flatMap((one) =>
        one.id === undefined ? [] : [{ kind: one.kind, id: one.id }],
      ),
    );
    return this.#before.has(address) || (id !== undefined && this.#keptRefs.has({ kind, id }));
  }

  /** A child that was created in its parent's request has no response of its own: inside a created object, it is matched by its values. */
  #madeWithParent(node: DesiredNode): DesiredNode {
    const { id, parent } = node;
    const kind = this.#kindOf(node);
    const above = parent === undefined ? undefined : this.#after.get(parent);
    const isNew = above !== undefined && this.#trees.before.get(above.address)?.id !== above.id;
    if (id !== undefined || above?.id === undefined || !isNew || kind.identity.idParam === undefined)
      return node;
    const [child, ...others] = this.#live
      .childrenOf({ kind: above.kind, id: above.id })
      .filter((live) => live.kind === node.kind && isLike(kind, node.fields, live.fields));
    return child === undefined || others.length > 0 ? node : { ...node, id: child.id };
  }

  /** The replacement of an object whose response was lost: only this object can have the name. */
  #madeUnderName(node: DesiredNode): DesiredNode {
    const isReplaced = this.#trees.before.get(node.address)?.whole === true;
    const isInDoubt = node.id === undefined && this.#trees.inDoubt?.has(node.address) === true;
    if (!isReplaced || !isInDoubt || this.#kindOf(node).manifest.key?.is !== 'field') return node;
    return this.#live.has({ kind: node.kind, id: node.key }) ? { ...node, id: node.key } : node;
  }

  #fitBefore(node: DesiredNode): void {
    if (node.parent !== undefined && !this.#before.has(node.parent)) return;
    const live = this.#liveOf(node, this.#trees.before.nodes);
    const kept = live && this.#kept.get(live);
    if (live === undefined || (live.deleted === true && node.whole !== true)) this.#restoreMissing(node);
    else if (live.deleted === true) this.#before.set(node.address, node);
    else if (kept !== undefined && this.#isElsewhere(node, live)) {
      // The service moved the object into one that the run created, and it is declared there now.
      this.#restoreMissing(node);
      this.#after.set(kept.address, { ...kept, isNew: true });
    } else if (kept !== undefined) {
      this.#before.set(node.address, { ...node, fields: this.#fieldsOf(node, live, kept) });
    } else if (this.#isElsewhere(node, live)) this.#recreateElsewhere(node, live);
    else {
      // The run did not delete it, or someone restored it, so it is kept unchanged.
      const { whole: _whole, ...rest } = node;
      this.#before.set(node.address, { ...rest, fields: {} });
    }
  }

  #restoreMissing(node: DesiredNode): void {
    if (node.whole === true) {
      this.#recreate(node);
      return;
    }
    const kind = this.#kindOf(node);
    const names = Object.keys(node.fields).filter((name) => !isKeyField(kind, name));
    const owner = this.#live.foreignOwner({ kind: kind.name, id: node.id ?? '' });
    const why = owner === undefined ? 'was deleted since' : `belongs to ${owner} now`;
    if (names.length > 0) this.#note(node, `${why}: ${names.join(', ')} cannot be restored`);
  }

  /** The run deleted the object, and it can only be created again. */
  #recreate(node: DesiredNode): void {
    const kind = this.#kindOf(node);
    const { id: _gone, ...rest } = node;
    // Declare missing values, too: a service may move another object to this place, with other values.
    const none = Object.entries(kind.fields).flatMap(([name, { nullable, needs }]) =>
      nullable === 'removes' && !isLacking(this.#form, needs) ? [[name, null] as const] : [],
    );
    const fields = this.#withoutMissing(node, { ...Object.fromEntries(none), ...node.fields });
    const known = kind.manifest.key?.is === 'field' && existsByKey(kind, this.#live, node.key);
    const cannot = known ? undefined : kind.deletion.again?.impossible?.(fields);
    if (cannot !== undefined) this.#note(node, `cannot be restored: ${cannot}`);
    else this.#before.set(node.address, { ...rest, isNew: true, fields: this.#withPeople(node, fields) });
  }

  /** No request can move the object back, so it is deleted and created again. */
  #recreateElsewhere(node: DesiredNode, live: LiveNode): void {
    this.#recreate(node);
    const above = this.#kept.get(live.container);
    if (above === undefined) return;
    const key = unlistedKey(live);
    const address = inside(above.address, node.collection, key);
    const { whole: _whole, ...rest } = node;
    this.#after.set(address, { ...rest, address, key, parent: above.address, isNew: true, fields: {} });
  }

  #isElsewhere(node: DesiredNode, live: LiveNode): boolean {
    const { identity, calls } = this.#kindOf(node);
    const parent = node.parent === undefined ? undefined : this.#before.get(node.parent);
    const above = parent && this.#liveOf(parent, this.#before);
    const canMove = calls.attach !== undefined || calls.detach !== undefined;
    return identity.scope === 'parent' && !canMove && above !== undefined && above.id !== live.container.id;
  }

  #fieldsOf(node: DesiredNode, live: LiveNode, made: DesiredNode): Fields {
    const kind = this.#kindOf(node);
    const values: Record<string, Value> = {};
    const given = this.#withPeople(node, this.#withoutMissing(node, node.fields, live));
    const left: Record<string, Value> = { ...made.fields };
    for (const [name, before] of Object.entries(given)) {
      const field = kind.fields[name];
      const present = live.fields[name] ?? field?.absent;
      const after = this.#byId(field, made.fields[name]);
      let value = before;
      if (field !== undefined && after !== undefined && !sameField(field, after, present))
        [value, left[name] = after] = withOthers(present, before, after);
      const isSame = field !== undefined && sameField(field, value, present);
      const never = isSame ? undefined : field?.oneWay?.(value);
      if (never !== undefined)
        this.#note(node, `${name} remains ${isRecord(present) ? 'as it is' : String(present)}: ${never}`);
      else values[name] = value;
    }
    this.#after.set(made.address, { ...made, fields: left });
    const kept = Object.keys(made.fields).flatMap((name) => unsettable(kind, name, { node, live, made }));
    for (const name of kept) {
      const isText = kind.fields[name]?.file !== undefined;
      const why = 'had no value before the run, and the API cannot unset it';
      const text = 'remains as it is: no journal has its value from before the run';
      this.#note(node, `${name} ${isText ? text : why}`);
    }
    return values;
  }

  /** Secrets that are not stored are reported, and not changed. */
  #withoutMissing(node: DesiredNode, fields: Fields, live?: LiveNode): Fields {
    return Object.fromEntries(
      Object.entries(fields).filter(([name, value]) => {
        if (!holdsUnfilled(value)) return true;
        const why = missingText(value);
        this.#note(
          node,
          live === undefined ? `is restored without ${name}: ${why}` : `${name} remains as it is: ${why}`,
        );
        return false;
      }),
    );
  }

  /** Objects that the run created have names in its journal, but ids in live values. */
  #byId(field: Field | undefined, value: Value | undefined): Value | undefined {
    const entries = mapOf(value);
    if (field?.type !== 'members' || entries === undefined) return value;
    if (this.#registry.byName(field.of).manifest.key !== undefined) return value;
    const idOf = (key: string) => this.#trees.after.keyed(field.of, key)[0]?.id ?? key;
    return Object.fromEntries(Object.entries(entries).map(([key, inner]) => [idOf(key), inner]));
  }

  /** Former members are not restored in any team. */
  #withPeople(node: DesiredNode, fields: Fields): Fields {
    const entries = Object.entries(fields).map(([name, value]): readonly [string, Value] => {
      const field = this.#kindOf(node).fields[name];
      const people = mapOf(value);
      if (field?.type !== 'members' || people === undefined) return [name, value];
      const kind = this.#registry.byName(field.of);
      const gone = Object.keys(people).filter((key) => !existsByKey(kind, this.#live, key));
      if (gone.length > 0) this.#note(node, `${name}: ${gone.join(', ')} is no longer a ${kind.noun}`);
      const rest = Object.entries(people).filter(([key]) => !gone.includes(key));
      return [name, Object.fromEntries(rest)];
    });
    return Object.fromEntries(entries);
  }
}

/** The values to undo to and from. Others' changes to other entries of a list are kept and are not a conflict. */
function withOthers(
  present: Value | undefined,
  before: Value,
  after: Value,
): readonly [value: Value, left: Value] {
  // A run that ended between the requests of a step left each entry as it was or as it was to be.
  if (isBetween(present, before, after)) return [before, present ?? null];
  return [reverted(present, before, after) ?? before, reverted(present, after, before) ?? after];
}

/** True for a mapping of which each entry is as before the run or as after it. */
function isBetween(present: Value | undefined, before: Value, after: Value): boolean {
  const [is, was, wanted] = [present, before, after].map((value) => mapOf(value));
  if (is === undefined || was === undefined || wanted === undefined) return false;
  return Object.keys({ ...is, ...was, ...wanted }).every((key) =>
    [was[key], wanted[key]].some((value) => sameJson(value ?? null, is[key] ?? null)),
  );
}

/** Not by the order of the nodes, which a journal may have changed. */
function topDown(tree: DesiredTree): readonly DesiredNode[] {
  return tree.root === undefined ? [] : [tree.root, ...tree.inside(rootAddress)];
}

function missingText(value: Value): string {
  if (!(value instanceof Secret) || !value.template.includes('${'))
    return 'it was secret, and journals contain no secrets';
  return `it was filled in from ${value.template}, which has no value here`;
}

function existsByKey(kind: Kind, live: LiveTree, key: string): boolean {
  const [identity] = kind.identity.by;
  return live
    .ofKind(kind.name)
    .some(
      ({ id, fields }) => id === key || (identity !== undefined && identityValue(fields, identity) === key),
    );
}

/** Fields or keys that had no value before the run, and whose value no request can remove now. */
function unsettable(
  kind: Kind,
  name: string,
  { node, live, made }: { readonly node: DesiredNode; readonly live: LiveNode; readonly made: DesiredNode },
): readonly string[] {
  if (isKeyField(kind, name)) return [];
  const [prior, present, value] = [node.fields[name], live.fields[name], made.fields[name]];
  if (kind.fields[name]?.type !== 'map' || !isRecord(value))
    return prior === undefined && present !== undefined && present !== null ? [name] : [];
  const [former, now] = [mapOf(prior) ?? {}, mapOf(present) ?? {}];
  return Object.keys(value).flatMap((key) => (!(key in former) && key in now ? [`${name}.${key}`] : []));
}
