/**
 * Gained and lost access in a plan: a view of the live state and the steps. Makes additional reads only if steps touch access, and
 * skips reads that the token may not make.
 */
import { rankOfGrant } from '../../kinds/parts/access.ts';
import type { PlanContext } from '../../plan/context.ts';
import type { ReadsMade } from '../../plan/match/declared-reads.ts';
import { isUpdate, type Step } from '../../plan/plan.ts';
import { titleOf } from '../../plan/title-of.ts';
import type { LiveNode } from '../../tree/live.ts';
import type { Read, Stage } from '../../tree/reads.ts';
import { refText } from '../../tree/refs.ts';
import { defined } from '../../util/defined.ts';
import { grouped } from '../../util/group.ts';
import { compareTexts } from '../../util/lists.ts';
import { rememberedIn } from '../../util/remembered.ts';
import type { Access } from '../reviewed-plan.ts';
import { type AccessKinds, accessKinds } from './access-kinds.ts';
import { AccessStates } from './access-states.ts';
import { type AccessLevel, none, type Person, type Shift, type ShiftOf, shiftsBetween } from './levels.ts';

/** Maximum of people whose objects are read one by one; of objects whose grants are read, and sites whose contents are. */
const peopleAtMost = 20;
const objectsAtMost = 40;

/** `readsMade`: reads of the plan, which are not repeated. */
export function* accessOf(
  context: PlanContext,
  steps: readonly Step[],
  readsMade: ReadsMade,
): Stage<Access | undefined> {
  const audiences = audiencesIn(context, steps);
  const kinds = accessKinds(context.registry);
  const view = kinds && new AccessReader(context, kinds, steps);
  const changes = view === undefined ? undefined : yield* view.read(readsMade);
  if (audiences.length === 0 && (changes === undefined || changes.changes.length === 0)) return undefined;
  return { changes: [], ...changes, ...(audiences.length === 0 ? {} : { audiences }) };
}

/** Objects whose audience or live status changes, so that they become visible to everyone, or stop being so. */
function audiencesIn(
  { registry, live }: PlanContext,
  steps: readonly Step[],
): NonNullable<Access['audiences']> {
  const own = steps.filter((step) => step.phase === 'create' || isUpdate(step));
  const replaced = new Map(steps.map(({ phase, address, liveId }) => [`${phase} ${address}`, liveId]));
  return [...grouped(own, ({ address }) => address).values()].flatMap((about) => {
    const [{ address, kind: name, action, liveId }] = about;
    const kind = registry.byName(name);
    const find = (id = '') => live.get({ kind: name, id });
    const kept = find(liveId);
    // A replacement has the audience of the replaced object before, and nothing of it afterwards.
    const known = action === 'replace' ? (find(replaced.get(`delete ${address}`)) ?? kept) : kept;
    const changes = about.flatMap(({ fields }) => fields);
    const values = { before: { isLive: known !== undefined, open: '' }, after: { isLive: true, open: '' } };
    for (const [field, { trait }] of Object.entries(kind.fields)) {
      const was = known?.fields[field];
      const is = changes.find((change) => change.field === field)?.after ?? kept?.fields[field];
      if (trait?.is === 'live') {
        values.before.isLive &&= was !== false;
        values.after.isLive = is === true || (kept !== undefined && is !== false);
      }
      if (trait?.is !== 'audience') continue;
      values.before.open = trait.everyone[String(was)] ?? '';
      values.after.open = trait.everyone[String(is)] ?? '';
    }
    const [was, is] = [values.before, values.after].map(({ isLive, open }) => isLive && open !== '');
    const to = values[is === true ? 'after' : 'before'].open;
    return was === is || is === undefined ? [] : [{ kind: kind.noun, address, opens: is, to }];
  });
}

class AccessReader {
  readonly #context: PlanContext;
  readonly #states: AccessStates;

  constructor(context: PlanContext, kinds: AccessKinds, steps: readonly Step[]) {
    this.#context = context;
    this.#states = new AccessStates(context, kinds, { steps, sitesAtMost: objectsAtMost });
  }

  /** Undefined if the steps do not touch access. */
  *read(readsMade: ReadsMade): Stage<Pick<Access, 'changes' | 'lost'> | undefined> {
    if (!this.#states.isTouched) return undefined;
    for (;;) {
      const more = yield* readsMade.ask(this.#reads(), (read) => ({ type: 'aside', read }));
      if (!more) return this.#changes();
      this.#states.reset();
    }
  }

  #reads(): readonly Read[] {
    const affected = this.#states.affected();
    const chain = affected.flatMap((node) => this.#states.chainOf(node));
    const levelled = [...new Map(chain.map((node) => [refText(node), node])).values()];
    const isMuch = levelled.length > objectsAtMost;
    return [
      ...this.#peopleReads(),
      ...affected.flatMap((node) => this.#insideReads(node)),
      ...(affected.length === 0 ? [] : this.#states.showingReads()),
      ...(isMuch ? [] : this.#states.grantReads(levelled)),
      ...this.#states.groupReads(levelled),
    ];
  }

  #peopleReads(): readonly Read[] {
    const { person, contents } = this.#states.kinds;
    const { moved, touchedPeople } = this.#states;
    const isLevelled = moved.length > 0 || this.#states.groupsWithGrants().length > 0;
    const containers = moved.length + touchedPeople.length === 0 ? [] : contents;
    const listed = [
      ...(isLevelled ? [person] : []),
      ...containers.filter(({ isContainer }) => isContainer).map(({ kind }) => kind),
    ].filter(({ reads }) => reads.list?.per === this.#states.root.kind);
    const people = touchedPeople.length > peopleAtMost ? [] : touchedPeople;
    return [
      ...listed.map(({ name }): Read => ({ type: 'list', kind: name, of: this.#states.root })),
      ...people.map(({ kind, id }): Read => ({ type: 'reach', of: { kind, id } })),
    ];
  }

  /** Reads objects with levels inside of one. */
  #insideReads(node: LiveNode): readonly Read[] {
    return this.#states.kinds.contents.flatMap(({ kind }): readonly Read[] => {
      const { list } = kind.reads;
      if (list === undefined || !kind.manifest.places.some(({ parent }) => parent === node.kind)) return [];
      const of = [this.#states.root, { kind: node.kind, id: node.id }].find((one) => one.kind === list.per);
      return of === undefined ? [] : [{ type: 'list', kind: kind.name, of }];
    });
  }

  #changes(): Pick<Access, 'changes' | 'lost'> {
    const [before, after] = [this.#states.state('before'), this.#states.state('after')];
    const shiftOf = shiftsBetween(before, after);
    // Deleted objects are reported as deletes: no one gains access to them.
    const isShown = (node: LiveNode) =>
      this.#states.levelled(node.kind)?.isContainer === false && !this.#states.gone.has(node);
    const affected = this.#states.affected().filter(isShown);
    const all = this.#states.contentNodes().filter(isShown);
    const touched = new Set(this.#states.touchedPeople.map(refText));
    const root: AccessObject = {
      kind: this.#context.registry.root.noun,
      title: this.#context.desired.label,
      whole: true,
    };
    const found = new Shifts();
    const lost: string[] = [];
    for (const [id, name] of this.#states.people()) {
      const [was, is] = [before.person(id), after.person(id)];
      if (was?.role !== is?.role)
        found.note(name, root, { before: roleName(was), after: roleName(is), isCertain: true });
      if (touched.has(id)) {
        const isGone = is?.role === undefined;
        const keepsAccess = this.#noteTouched({ id, name, isGone, nodes: all }, shiftOf, found);
        if (isGone || !keepsAccess) lost.push(name);
      } else {
        for (const node of affected) found.note(name, this.#shown(node), shiftOf(id, refText(node)));
      }
    }
    return { changes: found.joined(), ...(lost.length === 0 ? {} : { lost: lost.sort(compareTexts) }) };
  }

  /** Notes changes of someone who leaves or gets another role. False if they had access before, and certainly have none afterwards. */
  #noteTouched({ id, name, isGone, nodes }: TouchedPerson, shiftOf: ShiftOf, found: Shifts): boolean {
    const listed = this.#states.reachOf(id);
    const reach = listed ?? {};
    let keepsAccess = false;
    for (const node of nodes) {
      const level = reach[node.id] ?? undefined;
      const all = level === undefined ? undefined : { before: level, after: none, isCertain: true };
      // People who leave lose everything that the service lists.
      const shift = isGone ? all : shiftOf(id, refText(node), level);
      const isCertain = shift?.isCertain === true && listed !== undefined;
      keepsAccess ||= shift === undefined ? level !== undefined : !shift.isCertain || shift.after !== none;
      found.note(name, this.#shown(node), shift && { ...shift, isCertain });
    }
    return keepsAccess || Object.values(reach).every((level) => level === null);
  }

  #shown(node: LiveNode): AccessObject {
    const address = this.#context.matching.addressOf(node);
    const { noun } = this.#context.kindOf(node);
    return { kind: noun, title: titleOf(this.#context, node), ...defined({ address }) };
  }
}

interface TouchedPerson {
  readonly id: string;
  readonly name: string;
  readonly isGone: boolean;
  readonly nodes: readonly LiveNode[];
}

type AccessObject = Access['changes'][number]['on'][number];

interface Shifted extends Shift {
  readonly on: AccessObject;
  readonly people: string[];
}

class Shifts {
  readonly #shifts = new Map<string, Shifted>();

  note(person: string, on: AccessObject, shift: Shift | undefined): void {
    if (shift === undefined) return;
    const { before, after, isCertain } = shift;
    const key = JSON.stringify([on, before, after, isCertain]);
    const make = (): Shifted => ({ on, before, after, isCertain, people: [] });
    rememberedIn(this.#shifts, key, make).people.push(person);
  }

  /** Merges the same change of the same people on several objects. */
  joined(): Access['changes'] {
    const groups = grouped(this.#shifts.values(), ({ people, before, after, isCertain, on }) =>
      JSON.stringify([people.sort(compareTexts), before, after, isCertain, on.kind]),
    );
    const entries = [...groups.values()].flatMap((own): Access['changes'] => {
      const [{ people, before, after, isCertain }] = own;
      const on = own.map((one) => one.on).sort(byName);
      return [{ people, on, before, after, ...(isCertain ? { certain: true as const } : {}) }];
    });
    return entries.sort(byWeight);
  }
}

function byName(left: AccessObject, right: AccessObject): number {
  return compareTexts(left.address ?? left.title, right.address ?? right.title);
}

function byWeight(left: Access['changes'][number], right: Access['changes'][number]): number {
  const text = (one: typeof left) => JSON.stringify([one.on, one.people, one.before, one.after]);
  return (
    rankOfGrant(right.after) - rankOfGrant(left.after) ||
    rankOfGrant(right.before) - rankOfGrant(left.before) ||
    right.people.length - left.people.length ||
    compareTexts(text(left), text(right))
  );
}

function roleName(person: Person | undefined): AccessLevel {
  return person?.role === undefined ? none : (person.role ?? 'guest');
}
