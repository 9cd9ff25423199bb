/**
 * What a field of a resource kind is: how manifests write it, how live values are read and when two values are the same.
 * The type of a field says what its value is; everything else follows from the type.
 */
import type { z } from 'zod';
import type { OperationId } from '../contract/index.ts';
import type { Fields, Value } from './payload.ts';

/** How a name in a manifest leads to another object. */
export interface Reference {
  /** Names of the kinds that may be meant. */
  readonly kinds: readonly string[];
  /** Where keys are looked for: in the whole organization, or among the object's own descendants. */
  readonly within: 'organization' | 'descendants';
  /**
   * What a key that no manifest declares means: `refused` an error; `lookup` an existing object, found by its natural
   * identity; `allowed` whatever the service takes it for.
   */
  readonly undeclared: 'refused' | 'lookup' | 'allowed';
}

/** Says that a value is probably not what was meant: a clause, and what could be meant instead. */
export interface Remark {
  readonly message: string;
  readonly instead?: string | undefined;
}

/** What a field means to rules about manifests, which know no kind by name. */
export type FieldTrait =
  /** An expression that decides who sees the object. */
  | {
      readonly is: 'condition';
      /** What stands before the names of attributes. */
      readonly attributes: string;
      /** The kind beside the object, or beside one around it, whose value describes the attributes. */
      readonly describedBy: string;
    }
  /** What people read in a navigation, and tell entries apart by. */
  | { readonly is: 'label' }
  /** Who sees the published object. `open`: values with which people see it who sign in nowhere. */
  | { readonly is: 'audience'; readonly open: readonly string[] }
  /** What everyone in the organization may do with an object; null for nothing. */
  | { readonly is: 'level' };

/** What fields of all types have in common. */
interface FieldBasics {
  /** Schema of a manifest value other than null, with limits as documented; the same one each time. */
  readonly schema: () => z.ZodType;
  /** One sentence for editors and reference pages. */
  readonly description: string;
  /** A value as manifests write it. */
  readonly example: unknown;
  /** Set when the field should no longer be used: what to use instead, as a sentence. */
  readonly deprecated?: string;
  /** Set when `null` in a manifest is allowed: it removes the value, or is a value itself (a guest's role). */
  readonly nullable?: 'removes' | 'value';
  /**
   * `update` (default): a call changes it; `replace`: only a new object can have another value; `create`: it says how
   * the object is made and is never compared.
   */
  readonly change?: 'update' | 'replace' | 'create';
  /** What it means when the service leaves the field out. */
  readonly absent?: Value;
  /** Manifest form → normal form, where they differ. Called after `schema` accepted the value. */
  readonly normalize?: (value: Value) => Value;
  /** Normal form → manifest form, where `normalize` does not take the normal form as it is. */
  readonly spell?: (value: Value) => Value;
  /** False where an undeclared value of a replaced object means nothing beside the declared values of the new one. */
  readonly carriedIf?: (declared: Fields) => boolean;
  /** A read of its own that the field needs; made only for objects whose manifests declare the field. */
  readonly detail?: Detail;
  /** What is odd about a text that the API does not forbid; for each entry of a list. */
  readonly remark?: (text: string) => Remark | undefined;
  /**
   * What a reviewer should weigh when it changes, for example access given or taken away. `before` is undefined where
   * nothing is known of it, as for new objects; of a replaced object, it is what the former one has.
   */
  readonly risk?: (before: Value | undefined, after: Value, situation: RiskSituation) => string | undefined;
  /** Why no request brings a value back once it was left, where that is so: a clause. */
  readonly oneWay?: (to: Value) => string | undefined;
  /** The value that means "as the container has it": a move changes what it comes to. */
  readonly inherits?: string;
  /** What the field means to rules about manifests; absent where none is about it. */
  readonly trait?: FieldTrait;
  /** How the values read: a role is a word, and null a guest; a word needs no quotes. */
  readonly reads?: 'role' | 'word';
}

/** What is around an object whose field changes. */
export interface RiskSituation {
  /** True when the object does not exist before, nor another one that it replaces. */
  readonly isNew: boolean;
  /** What an inherited value of this field comes to, before and after; undefined where that is not known. */
  readonly inherited: { readonly before: Value | undefined; readonly after: Value | undefined };
  /** What the object is inside of afterwards, for people. */
  readonly container: string;
  /** True when an object inside this one has a value of that field. */
  readonly isSetBelow: (field: string) => boolean;
}

/** One value of any JSON type, compared as it is spelled or by meaning. */
interface ValueField extends FieldBasics {
  readonly type: 'value';
  /** Equality by meaning, where equal spelling is too strict. Both values are present and not null. */
  readonly same?: (desired: Value, live: Value) => boolean;
  /** What a true value requires. */
  readonly requires?: Requirement;
}

/**
 * Objects that must exist while a value is true: they are made before it becomes true, deleted after it became false,
 * and the last one stays as long as it is true.
 */
interface Requirement {
  readonly kind: string;
  /** What happens without, for people: `nobody could sign in`. */
  readonly otherwise: string;
}

/** A list whose order does not matter. */
interface SetField extends FieldBasics {
  readonly type: 'set';
}

/** A mapping of which only the desired keys count; a key is the key or name of an object of a kind, declared or not. */
interface MapField extends FieldBasics {
  readonly type: 'map';
  readonly keysOf: string;
  /** What a value must be by the fields of the object that its key names; undefined for one that fits. */
  readonly misfit?: (value: Value, named: Fields) => string | undefined;
}

/** The key (or address, or `{ id }`) of one other object. */
export interface ReferenceField extends FieldBasics {
  readonly type: 'reference';
  readonly kinds: readonly string[];
  readonly within: 'organization' | 'descendants';
}

/**
 * A mapping whose keys are objects of a kind, exactly these: an entry that goes is somebody taken away. The objects
 * exist, whether a manifest declares them or not, and are found by their natural identity.
 */
interface MembersField extends FieldBasics {
  readonly type: 'members';
  readonly of: string;
}

/** One field of a kind, as manifests write it and as plans compare it. */
export type Field = ValueField | SetField | MapField | ReferenceField | MembersField;

/** The objects that a field's value is or names by its keys, and how; undefined for fields that name none. */
export function referenceOf(field: Field | undefined): Reference | undefined {
  switch (field?.type) {
    case 'reference':
      return { kinds: field.kinds, within: field.within, undeclared: 'refused' };
    case 'members':
      return { kinds: [field.of], within: 'organization', undeclared: 'lookup' };
    case 'map':
      return { kinds: [field.keysOf], within: 'organization', undeclared: 'allowed' };
    default:
      return undefined;
  }
}

/** An extra read for one field of one object. */
interface Detail {
  readonly operation: OperationId;
  /** The response (all items of all pages for a paged operation) as the field's value, and objects met on the way. */
  read(response: unknown): { readonly value: Value; readonly includes?: readonly Included[] };
}

/** A live object of another kind that was inside a response. */
export interface Included {
  readonly kind: string;
  readonly remote: unknown;
}
