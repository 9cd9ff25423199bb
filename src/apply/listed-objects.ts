/**
 * The objects of one list as a watch over creates asks for them: those that are somebody else's, and those that are like another
 * one. Read once, so that a thousand creates into one list do not cost a million comparisons.
 */
import type { Kind, Remote } from '../kinds/kind.ts';
import type { Fields } from '../kinds/payload.ts';
import { desiredIdentity, identityValue } from '../tree/identity.ts';
import { push } from '../util/group.ts';

/** The objects of one list. */
export class ListedObjects {
  readonly #kind: Kind;
  readonly #top: string | undefined;
  readonly #byMark = new Map<string, Remote[]>();
  #foreign: readonly Remote[];

  /** `top`: where an object is that is in no other one. */
  constructor(kind: Kind, items: readonly unknown[], top: string | undefined) {
    this.#kind = kind;
    this.#top = top;
    const remotes = items.map((item) => kind.fromRemote(item));
    for (const remote of remotes)
      for (const mark of this.#marksOf(remote.fields)) push(this.#byMark, mark, remote);
    this.#foreign = remotes;
  }

  /** Those that are not known, inside an object where one is named. Who is known stays known. */
  foreign(isKnown: (remote: Remote) => boolean, parent: string | undefined): readonly Remote[] {
    this.#foreign = this.#foreign.filter((remote) => !isKnown(remote));
    return this.#in(parent, this.#foreign);
  }

  /** Those that have an identity in common with an object of these fields. */
  like(fields: Fields, parent: string | undefined): readonly Remote[] {
    const candidates = new Set(this.#marksOf(fields).flatMap((mark) => this.#byMark.get(mark) ?? []));
    return this.#in(parent, [...candidates]);
  }

  #in(parent: string | undefined, remotes: readonly Remote[]): readonly Remote[] {
    if (parent === undefined) return remotes;
    return remotes.filter(({ container }) => (container?.id ?? this.#top) === parent);
  }

  /** What like objects have in common: values as they are, and as they are looked for. */
  #marksOf(fields: Fields): readonly string[] {
    const marks = this.#kind.identities.flatMap((identity, at) =>
      [identityValue(fields, identity), desiredIdentity(fields, identity)].flatMap((value) =>
        value === undefined ? [] : [`${at} ${value}`],
      ),
    );
    return [...new Set(marks)];
  }
}

/** True when an object of these fields would be taken for a live one. */
export function isLike(kind: Kind, desired: Fields, live: Fields): boolean {
  return kind.identities.some((identity) => {
    const value = desiredIdentity(desired, identity);
    return value !== undefined && value === identityValue(live, identity);
  });
}
