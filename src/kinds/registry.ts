/** Look-ups over a list of kinds. The list is a parameter, so a new kind needs no change here. */
import { type Form, isLacking } from '../contract/form.ts';
import { rememberedIn } from '../util/remembered.ts';
import type { Kind, Place } from './kind.ts';
import type { Field } from './parts/field.ts';

/** Kinds by name, by place, and the root. */
export interface Registry {
  readonly kinds: readonly Kind[];
  readonly root: Kind;
  /** Absent if the service may have any form. */
  readonly form?: Form;
  /** Throws for an unknown name, which only a defect can cause. */
  byName(name: string): Kind;
  /** The kinds at a place, marked ones first. */
  at(parent: string, key: string): readonly { readonly kind: Kind; readonly place: Place }[];
  collectionsOf(parent: string): readonly string[];
  /** The kinds at a service of that form. Parts that it lacks are never read. */
  under(form: Form): Registry;
}

/** Makes the look-ups for a list of kinds. The first kind is the root. */
export function createRegistry(kinds: readonly Kind[], form?: Form): Registry {
  const names = new Map(kinds.map((kind) => [kind.name, kind]));
  const places = new Map<string, { kind: Kind; place: Place }[]>();
  for (const kind of kinds) {
    for (const place of kind.manifest.places) {
      const list = rememberedIn(places, `${place.parent}.${place.key}`, () => []);
      if (kind.manifest.marker === undefined) list.push({ kind, place });
      else
        list.splice(list.filter((one) => one.kind.manifest.marker !== undefined).length, 0, { kind, place });
    }
  }
  const collections = new Map(
    kinds.map(({ name }) => {
      const inside = kinds.flatMap(({ manifest: { places: all } }) =>
        all.filter(({ parent }) => parent === name),
      );
      return [name, [...new Set(inside.map(({ key }) => key))]] as const;
    }),
  );
  const [root] = kinds;
  if (root === undefined) throw new Error('There are no kinds');
  const others = new Map<string, Registry>();
  return {
    kinds,
    root,
    ...(form === undefined ? {} : { form }),
    under: (own) => {
      const all = () => kinds.map((kind) => kindUnder(kind, own));
      return rememberedIn(others, own, () => createRegistry(all(), own));
    },
    byName: (name) => {
      const kind = names.get(name);
      if (kind === undefined) throw new Error(`No kind is named ${name}`);
      return kind;
    },
    at: (parent, key) => places.get(`${parent}.${key}`) ?? [],
    collectionsOf: (parent) => collections.get(parent) ?? [],
  };
}

/** The kind whose marker an entry has, else the kind without a marker. */
export function kindWith(kinds: readonly Kind[], hasKey: (key: string) => boolean): Kind | undefined {
  const marked = kinds.find(({ manifest: { marker } }) => marker !== undefined && hasKey(marker));
  return marked ?? kinds.find(({ manifest: { marker } }) => marker === undefined);
}

function kindUnder(kind: Kind, form: Form): Kind {
  if (isLacking(form, kind.needs)) return { ...kind, reads: {} };
  const own = (form === '2026' ? kind.newer?.() : undefined) ?? kind;
  const fields = Object.entries(own.fields).map(([name, field]): [string, Field] => {
    if (!isLacking(form, field.needs)) return [name, field];
    const { detail: _detail, trait: _trait, ...rest } = field;
    return [name, rest];
  });
  const lacking = fields.flatMap(([name, { needs }]) => (isLacking(form, needs) ? [name] : []));
  return {
    ...own,
    fields: Object.fromEntries(fields),
    ...(lacking.length === 0 ? {} : withoutFields(own, lacking)),
  };
}

/** Hides fields that the service cannot change. */
function withoutFields({ fromRemote }: Kind, names: readonly string[]): Pick<Kind, 'fromRemote'> {
  return {
    fromRemote: (remote) => {
      const { fields, ...rest } = fromRemote(remote);
      return {
        ...rest,
        fields: Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name))),
      };
    },
  };
}
