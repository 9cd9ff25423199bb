/**
 * Access of people to objects, as far as roles, levels and grants show it. The API does not define how these combine, so each question
 * is answered under all readings. An answer is certain only if they agree and all relevant data was read.
 */
import { inherited, rankOfGrant } from '../../kinds/parts/access.ts';
import { rememberedIn } from '../../util/remembered.ts';

/** A role, or `none`. */
export type AccessLevel = string;

export const none = 'none';

export interface Person {
  /** Name in grants. */
  readonly name: string;
  /** Null for a guest; absent without membership. */
  readonly role: AccessLevel | null | undefined;
  readonly groups: ReadonlySet<string>;
}

export interface LevelledObject {
  readonly level: AccessLevel | null | undefined;
  readonly grants: Grants;
  readonly container: string | undefined;
  /** Sites whose levels may also apply; undefined if not all are known. */
  readonly shownOn: readonly string[] | undefined;
}

export interface Grants {
  /** True if all grants and the members of their groups were read. */
  readonly isKnown: boolean;
  /** Keyed by id. */
  readonly groups: ReadonlyMap<string, AccessLevel>;
  readonly people: ReadonlyMap<string, AccessLevel>;
}

interface LevelReading {
  /** The innermost object with a level applies; otherwise, the highest level of all. */
  readonly isNearest: boolean;
  /** A person's own grants take precedence over group grants; otherwise, the highest applies. */
  readonly isOwnFirst: boolean;
  /** Levels of sites that show the object apply after its own; otherwise, they do not apply. */
  readonly isShownCounted: boolean;
}

const ways = [true, false];
const readings: readonly LevelReading[] = ways.flatMap((isShownCounted) =>
  ways.flatMap((isNearest) => ways.map((isOwnFirst) => ({ isNearest, isOwnFirst, isShownCounted }))),
);

export interface LevelAnswer {
  /** One level for each reading. */
  readonly levels: readonly AccessLevel[];
  readonly isKnown: boolean;
}

export class AccessState {
  readonly #people: ReadonlyMap<string, Person>;
  readonly #contents: ReadonlyMap<string, LevelledObject>;
  readonly #all: AccessLevel;

  constructor(
    people: ReadonlyMap<string, Person>,
    contents: ReadonlyMap<string, LevelledObject>,
    all: AccessLevel,
  ) {
    this.#people = people;
    this.#contents = contents;
    this.#all = all;
  }

  person(id: string): Person | undefined {
    return this.#people.get(id);
  }

  /** The object and its containers, innermost first. */
  chain(id: string): readonly string[] {
    const ids = new Set<string>();
    // A service may show containers that contain each other.
    for (let at: string | undefined = id; at !== undefined && !ids.has(at); ) {
      ids.add(at);
      at = this.#contents.get(at)?.container;
    }
    return [...ids];
  }

  /** Equal for people with the same access to the object. */
  signature(person: string, content: string): string {
    const { name = '', role, groups = new Set<string>() } = this.#people.get(person) ?? {};
    const own = [...this.chain(content), ...this.#shownOn(content)].map((id) => {
      const { grants } = this.#contents.get(id) ?? {};
      const given = [...(grants?.groups ?? [])].filter(([group]) => groups.has(group));
      return [grants?.people.get(name) ?? '', ...given.map(([, level]) => level)];
    });
    return JSON.stringify([role, own]);
  }

  /** The innermost known object that gives this level; undefined if unknown. */
  sourceOf(person: string, content: string, level: AccessLevel): LevelSource | undefined {
    const who = this.#people.get(person);
    if (who === undefined || who.role === this.#all) return who && { type: 'role' };
    const sourcesOn = (ids: readonly string[]) => ids.flatMap((on) => this.#sourceOn(on, who, level) ?? []);
    const [own, ...containers] = this.chain(content);
    const [here] = sourcesOn(own === undefined ? [] : [own]);
    if (here !== undefined || this.#contents.get(content)?.shownOn === undefined) return here;
    const [shown] = sourcesOn(this.#shownOn(content));
    const role: LevelSource | undefined = who.role === level ? { type: 'role' } : undefined;
    const above = sourcesOn(containers)[0] ?? role;
    // It is unknown whether the levels of a site apply.
    return shown === undefined || above === undefined ? (shown ?? above) : undefined;
  }

  #sourceOn(on: string, who: Person, level: AccessLevel): LevelSource | undefined {
    const { grants, level: everyones } = this.#contents.get(on) ?? {};
    if (grants?.people.get(who.name) === level) return { type: 'person', on };
    const group = [...who.groups].find((one) => grants?.groups.get(one) === level);
    if (group !== undefined) return { type: 'group', on, group };
    return everyones === level && who.role !== null ? { type: 'level', on } : undefined;
  }

  #shownOn(content: string): readonly string[] {
    return this.#contents.get(content)?.shownOn ?? [];
  }

  answer(person: string, content: string): LevelAnswer {
    const who = this.#people.get(person);
    const same = (level: AccessLevel) => ({ levels: readings.map(() => level), isKnown: true });
    if (who?.role === undefined) return same(none);
    if (who.role === this.#all) return same(this.#all);
    const chain = this.chain(content).map((id) => this.#contents.get(id));
    const sites = this.#shownOn(content).map((id) => this.#contents.get(id));
    const saidBySites = (reading: LevelReading) =>
      sites.flatMap((one) => levelsFrom(one, who, reading) ?? []).sort(byRankDown);
    // The API does not define whether the level for everyone includes guests, and which of several sites applies.
    const isKnown =
      who.role !== null &&
      chain[0]?.shownOn !== undefined &&
      [...chain, ...sites].every((one) => one?.grants.isKnown === true) &&
      readings.every((reading) => new Set(saidBySites(reading)).size < 2);
    const levels = readings.map((reading) => {
      const said = chain.map((one) => levelsFrom(one, who, reading));
      if (reading.isShownCounted) said.splice(1, 0, saidBySites(reading)[0]);
      if (reading.isNearest) return said.find((level) => level !== undefined) ?? who.role ?? none;
      return [...said, who.role ?? undefined].reduce<AccessLevel>(
        (best, level) => (rankOfGrant(level) > rankOfGrant(best) ? (level ?? best) : best),
        none,
      );
    });
    return { levels, isKnown };
  }
}

/** Possible sources of a level: the role, or an object's level for everyone, a person or a group. */
export type LevelSource =
  | { readonly type: 'role' }
  | { readonly type: 'level' | 'person'; readonly on: string }
  | { readonly type: 'group'; readonly on: string; readonly group: string };

function levelsFrom(
  content: LevelledObject | undefined,
  { name, role, groups }: Person,
  { isOwnFirst }: LevelReading,
): AccessLevel | undefined {
  const { grants, level } = content ?? {};
  const own = grants?.people.get(name);
  const given = [...(grants?.groups ?? [])].flatMap(([group, one]) => (groups.has(group) ? [one] : []));
  const best = [...given, ...(own === undefined ? [] : [own])].sort(byRankDown)[0];
  const granted = isOwnFirst ? (own ?? best) : best;
  if (granted !== undefined) return granted;
  if (role === null || level === undefined || level === inherited) return undefined;
  return level ?? none;
}

function byRankDown(left: AccessLevel, right: AccessLevel): number {
  return rankOfGrant(right) - rankOfGrant(left);
}

export interface Shift {
  readonly before: AccessLevel;
  readonly after: AccessLevel;
  readonly isCertain: boolean;
}

/** Undefined without a difference. `shown`: level that the service lists for the person, which excludes readings. */
export type ShiftOf = (person: string, content: string, shown?: AccessLevel) => Shift | undefined;

/** Shares results between people with the same known data. */
export function shiftsBetween(...states: readonly [before: AccessState, after: AccessState]): ShiftOf {
  const known = new Map<string, Shift | undefined>();
  return (person, content, shown) => {
    const signatures = states.map((state) => state.signature(person, content));
    return rememberedIn(known, [content, shown ?? '', ...signatures].join(' '), () => {
      const [before, after] = states.map((state) => state.answer(person, content));
      return before && after && shiftBetween(before, after, shown);
    });
  };
}

/** The change of a reading that has one; certain if all readings agree. */
function shiftBetween(
  before: LevelAnswer,
  after: LevelAnswer,
  shown: AccessLevel | undefined,
): Shift | undefined {
  const all = before.levels.map((level, at) => ({ before: level, after: after.levels[at] ?? none }));
  const fitting = shown === undefined ? all : all.filter((one) => one.before === shown);
  const isExplained = fitting.length > 0;
  const shifts = isExplained ? fitting : all.map((one) => ({ ...one, before: shown ?? one.before }));
  const changed = shifts.find((one) => one.before !== one.after);
  if (changed === undefined) return undefined;
  const isSame = shifts.every((one) => one.before === changed.before && one.after === changed.after);
  const isKnown = (shown !== undefined || before.isKnown) && after.isKnown;
  return { ...changed, isCertain: isExplained && isSame && isKnown };
}
