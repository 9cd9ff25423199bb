/** Finds the kinds and fields that determine access, without naming any kind. */
import type { Kind } from '../../kinds/kind.ts';
import { referenceOf } from '../../kinds/parts/field.ts';
import type { Registry } from '../../kinds/registry.ts';
import type { AccessLevel } from './levels.ts';

export interface AccessKinds {
  readonly person: Kind;
  readonly role: string;
  /** Role with full access, which needs no level. */
  readonly all: AccessLevel;
  readonly groups: readonly { readonly kind: Kind; readonly field: string }[];
  readonly contents: readonly Levelled[];
  /** Kinds that show contents on an object with its own levels. */
  readonly showing: readonly Showing[];
}

export interface Showing {
  readonly kind: Kind;
  /** Reference to the shown object. */
  readonly field: string;
  readonly of: readonly string[];
  readonly on: Kind;
}

export interface Levelled {
  readonly kind: Kind;
  readonly level: string;
  /** Fields of grants by the kind of their recipients. */
  readonly grants: readonly { readonly field: string; readonly to: string }[];
  readonly isContainer: boolean;
}

export function accessKinds(registry: Registry): AccessKinds | undefined {
  for (const person of registry.kinds) {
    for (const [role, { trait }] of Object.entries(person.fields)) {
      if (trait?.is !== 'role') continue;
      const groups = registry.kinds.flatMap((kind) =>
        Object.entries(kind.fields).flatMap(([field, one]) =>
          one.type === 'members' && one.of === person.name && one.trait?.is !== 'grants'
            ? [{ kind, field }]
            : [],
        ),
      );
      const contents = levelledKinds(registry);
      return { person, role, all: trait.all, groups, contents, showing: showingKinds(registry, contents) };
    }
  }
  return undefined;
}

function showingKinds({ kinds }: Registry, contents: readonly Levelled[]): readonly Showing[] {
  const levelled = new Map(contents.map(({ kind }) => [kind.name, kind]));
  return kinds.flatMap((kind) => {
    const on = levelled.get(kind.reads.list?.per ?? '');
    if (on === undefined || levelled.has(kind.name)) return [];
    return Object.entries(kind.fields).flatMap(([field, one]) => {
      const of = (referenceOf(one)?.kinds ?? []).filter((name) => levelled.has(name));
      return one.type === 'reference' && of.length > 0 ? [{ kind, field, of, on }] : [];
    });
  });
}

function levelledKinds(registry: Registry): readonly Levelled[] {
  const own = registry.kinds.flatMap((kind) => {
    const fields = Object.entries(kind.fields);
    const level = fields.find(([, one]) => one.inherits !== undefined);
    // A service without grants returns no such field.
    const grants = fields.flatMap(([field, one]) =>
      one.type === 'members' && one.trait?.is === 'grants' ? [{ field, to: one.of }] : [],
    );
    const isLevelled = level?.[1].trait?.is === 'level' || grants.length > 0;
    return level === undefined || !isLevelled ? [] : [{ kind, level: level[0], grants }];
  });
  return own.map((one) => ({
    ...one,
    isContainer: own.some(({ kind: { manifest } }) =>
      manifest.places.some(({ parent }) => parent === one.kind.name),
    ),
  }));
}
