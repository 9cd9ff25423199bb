/** Which live objects refer to which, by field. Looked up only where it is asked for. */
import type { Field } from '../kinds/field.ts';
import type { Registry } from '../kinds/registry.ts';
import { identityValue } from '../tree/identity.ts';
import type { LiveNode, LiveTree } from '../tree/live.ts';
import { push } from '../util/group.ts';
import { isRecord } from '../util/json.ts';

/** A field of a live object that names another one. */
export interface Referral {
  readonly by: LiveNode;
  readonly field: string;
}

interface Index {
  readonly byId: ReadonlyMap<string, readonly LiveNode[]>;
  /** By the kind and the id or key that the field has. */
  readonly named: ReadonlyMap<string, readonly Referral[]>;
}

/** The references of a live tree. */
export class Referrers {
  readonly #live: LiveTree;
  readonly #registry: Registry;
  #index: Index | undefined;

  constructor(live: LiveTree, registry: Registry) {
    this.#live = live;
    this.#registry = registry;
  }

  /** The live objects with an id; ids are unique within a kind only. */
  withId(id: string): readonly LiveNode[] {
    return this.#indexed().byId.get(id) ?? [];
  }

  /** The fields that name an object, by its id or by its key. */
  of({ kind, id, fields }: LiveNode): readonly Referral[] {
    const [identity] = this.#registry.byName(kind).identities;
    const key = identity && identityValue(fields, identity);
    const names = key === undefined || key === id ? [id] : [id, key];
    return names.flatMap((name) => this.#indexed().named.get(`${kind} ${name}`) ?? []);
  }

  #indexed(): Index {
    this.#index ??= this.#read();
    return this.#index;
  }

  #read(): Index {
    const byId = new Map<string, LiveNode[]>();
    const named = new Map<string, Referral[]>();
    for (const by of this.#live.nodes()) {
      push(byId, by.id, by);
      for (const [field, definition] of Object.entries(this.#registry.byName(by.kind).fields)) {
        for (const name of namesIn(definition, by.fields[field])) push(named, name, { by, field });
      }
    }
    return { byId, named };
  }
}

/** What a value of a field names: each kind with the id or the key. */
function namesIn(field: Field, value: unknown): readonly string[] {
  if (field.type === 'reference') {
    return typeof value === 'string' ? field.kinds.map((kind) => `${kind} ${value}`) : [];
  }
  const kind = field.type === 'members' ? field.of : field.type === 'map' ? field.keysOf : undefined;
  return kind === undefined || !isRecord(value) ? [] : Object.keys(value).map((key) => `${kind} ${key}`);
}
