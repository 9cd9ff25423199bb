/**
 * What a resource kind is: one file of data and pure functions that says where the kind is in manifests, which
 * fields it has, how a live object is recognised and read, and which calls create, change, move and delete it. All
 * other layers work from this interface and know no kind by name.
 */
import type { z } from 'zod';
import type { OperationId } from '../contract/index.ts';
import type { Field, Included } from './field.ts';
import type { Call, Fields, Id, Payload } from './payload.ts';

/** Where objects of a kind are in a manifest. */
export interface Place {
  /** Name of the parent kind. */
  readonly parent: string;
  /** The key in the parent's mapping that holds them. */
  readonly key: string;
  /** `map`: a mapping from keys to objects; `single`: the object itself. */
  readonly shape: 'map' | 'single';
  /** True when the order as written is the desired one. Kinds that share a place share one order. */
  readonly ordered: boolean;
  /** Another key of the parent; where it is declared and this one is not, this one is to be empty. */
  readonly emptyWith?: string;
}

/** A natural identity: live and desired objects with the same value of this field are the same object. */
export interface Identity {
  readonly field: string;
  /** Makes values comparable, for example by folding case. */
  readonly fold?: (value: string) => string;
  /** True when only desired values are folded: the live value is what the folded one would have become. */
  readonly foldsDesiredOnly?: true;
  /** Counts only where the identities that only a new object can have otherwise agree as well. */
  readonly unlessReplaced?: true;
}

/** The parent of an object. */
export interface ContainerRef<I extends Id = Id> {
  readonly kind: string;
  readonly id: I;
}

/** A live object as one response shows it. */
export interface Remote {
  readonly id: string;
  readonly fields: Fields;
  /** The direct parent, where it is not the scope that was listed. */
  readonly container?: ContainerRef<string>;
  readonly includes?: readonly Included[];
  /** Says that a field of the container, or of the scope, has this object as its value. */
  readonly defaultOf?: { readonly on: 'container' | 'scope'; readonly field: string };
  /** When the object was deleted, as an ISO 8601 date-time; it can still be restored. */
  readonly deletedAt?: string;
  /** True when the object exists and takes no part, such as a disabled member. */
  readonly inactive?: true;
  /** When it was created, as ISO 8601, where that matters for recognising it. */
  readonly createdAt?: string;
}

/** How live objects of a kind are read. */
interface Reads {
  /** One request (with its pages) lists all objects inside an object of kind `per`. */
  readonly list?: {
    readonly operation: OperationId;
    readonly per: string;
    readonly query?: Fields;
    /** Position among siblings: by list order, or that of the first child. */
    readonly order?: 'listed' | 'firstChild';
  };
  /** Reads one object: by its id, or the only one inside its parent. 404 means that there is none. */
  readonly get?: { readonly operation: OperationId };
  /** Finds objects by an identity field's value, where a list is impossible or too long; candidates are compared again. */
  readonly search?: {
    readonly operation: OperationId;
    readonly field: string;
    readonly parameter: string;
    /** True when the hits are not whole objects and each must be read with `get`. */
    readonly thenGet: boolean;
  };
}

/** A desired child, as the calls of its parent may need it. */
export interface ChildView {
  readonly address: string;
  readonly id: Id;
  readonly fields: Readonly<Record<string, Payload>>;
}

/** What a kind's calls are made from. */
export interface CallContext {
  readonly address: string;
  readonly key: string;
  /** Ids by parameter name: the object's own (once it has one) and those of its ancestors. */
  readonly params: Readonly<Record<string, Id>>;
  readonly id: Id;
  /** All desired fields, references as ids. */
  readonly fields: Readonly<Record<string, Payload>>;
  /** What the object has now: as read, or as its create made it. References as ids. */
  readonly before: Readonly<Record<string, Payload>>;
  /** The desired direct parent. */
  readonly container: ContainerRef;
  /** Desired children under a manifest key, in order. */
  readonly children: (key: string) => readonly ChildView[];
  /** The kind of the object that a reference field of `fields` names. */
  readonly targetKind: (field: string) => string | undefined;
  /** The id of an object that a mapping names by kind and key; undefined when there is none. */
  readonly resolve: (kind: string, key: string) => Id | undefined;
}

/** What a create call makes. */
export interface Creation {
  readonly call: Call;
  /** The fields as they will be after the call; other desired values follow as an update. */
  readonly fields: Readonly<Record<string, Payload>>;
  /** A child that the same call makes, with the read that finds its id. */
  readonly alsoCreates?: {
    readonly address: string;
    readonly fields: Readonly<Record<string, Payload>>;
    readonly find: Call;
  };
  /** Addresses of existing children that the call takes in; they must exist before it. */
  readonly adoptsChildren?: readonly string[];
}

/** Says that the API cannot make or change an object so, and what to do. */
export interface Unsupported {
  readonly unsupported: string;
  readonly suggestion: string;
  /**
   * What should have been there and is not: the object itself, or one that it refers to. It is refused alone, and the rest
   * can be planned.
   */
  readonly missing?: 'object' | 'reference';
}

/** A place next to a sibling. Exactly one of the two is given. */
export type Anchor =
  | { readonly before: ContainerRef; readonly after?: never }
  | { readonly after: ContainerRef; readonly before?: never };

/** The calls of a kind. Each function is pure; what a kind cannot do is absent. */
interface Calls {
  readonly create: (context: CallContext) => Creation | Unsupported;
  /** The calls that bring the named fields from `before` to `fields`; one PATCH where the API allows it. */
  readonly update?: (context: CallContext, changed: readonly string[]) => readonly Call[] | Unsupported;
  readonly delete?: (context: CallContext) => Call;
  /** Brings a soft-deleted object back; see `restorableDays`. */
  readonly restore?: (context: CallContext) => Call;
  /** Changes the place among siblings. */
  readonly move?: (context: CallContext, anchor: Anchor | undefined) => Call;
  /** Kinds of siblings that `move` accepts as anchors. */
  readonly anchors?: readonly string[];
  /** Takes the object out of its container, where that is a call of its own. */
  readonly detach?: (context: CallContext, from: ContainerRef<string>) => Call | undefined;
  /** Puts an existing object into its desired container, at an anchor where `attachAnchored` says so. */
  readonly attach?: (context: CallContext, anchor: Anchor | undefined) => Call | undefined;
  readonly attachAnchored?: true;
}

/** A resource kind. */
export interface Kind {
  /** Name in camelCase, singular: `siteSpace`. */
  readonly name: string;
  /** For people: `site-space`. */
  readonly noun: string;
  readonly description: string;
  readonly places: readonly Place[];
  /** An entry of a shared place is of this kind when it has this key. */
  readonly marker?: string;
  /** What the key in the manifest is, where it is more than a name: a field's value, or the object's id. */
  readonly key?: { readonly is: 'field'; readonly field: string } | { readonly is: 'id' };
  /** Schema of keys, where the API limits them. */
  readonly keySchema?: () => z.ZodType;
  /** The whole manifest value is this field, for objects that are one value. */
  readonly whole?: string;
  readonly fields: Readonly<Record<string, Field>>;
  /** Strongest first. A kind without any is one object per parent. */
  readonly identities: readonly Identity[];
  /** The kind of the ancestor inside which identities are looked for; `parent` for the direct parent only. */
  readonly scope: string;
  /** Fields whose values no two objects inside the scope (or the parent) may share. */
  readonly unique?: readonly { readonly field: string; readonly within: string }[];
  /** True when new objects do not appear in their container and must enter it. */
  readonly createdOutside?: true;
  /** Name of the path parameter that carries the object's id. */
  readonly idParam?: string;
  /** How many days a deleted object can be restored. */
  readonly restorableDays?: number;
  /** True when a delete must be asked for by lifting the protection. */
  readonly protected?: true;
  /** Kinds that a delete of this one takes along. */
  readonly cascadesTo?: readonly string[];
  /** What others have pending inside an object and lose with it; counted before a delete. */
  readonly openWork?: {
    readonly operation: OperationId;
    readonly query?: Fields;
    /** One of them, for people: `open change request`. */
    readonly noun: string;
  };
  /** At least one object must keep this value of this field: the last one is neither changed nor deleted. */
  readonly atLeastOne?: { readonly field: string; readonly value: string };
  /** New objects are copies of the one that `field` names, and have its `name` or nearly so until they get their own. */
  readonly copies?: { readonly field: string; readonly name: string };
  /** True when the last object of a list is deleted only once another one has arrived, where one is to arrive. */
  readonly lastNeedsSuccessor?: true;
  /** True where visitors see a navigation: what has an order in it, at every level. */
  readonly navigation?: true;
  /** True for the kind of which one object is whoever the token belongs to (`settings.self`). */
  readonly ownsToken?: true;
  /**
   * To whom or what an object gives access: unlisted ones are shown first, by rank (0 for the most dangerous kind), each
   * with this in words.
   */
  readonly givesAccess?: (fields: Fields) => { readonly rank: number; readonly risk: string } | undefined;
  /** What a reviewer should weigh when one is created, beside what `givesAccess` says. */
  readonly createRisk?: (fields: Fields) => string | undefined;
  /** Which objects of the kind nothing shows that can be read, for people: an export cannot have them. */
  readonly unseen?: string;
  /** What to do where a manifest names an object that is not there, for kinds that are looked up by name. */
  readonly ifMissing?: string;
  /** What a delete costs, for people; or a replace. */
  readonly cost?: string;
  /** What making a deleted object again does not bring back. */
  readonly again?: {
    /** For people, as one clause. */
    readonly lost?: string;
    /** Why an object with these fields cannot be made again; undefined where it can. */
    readonly impossible?: (fields: Fields) => string | undefined;
  };
  readonly reads: Reads;
  /**
   * A live object as a response shows it. A method, so that each kind can name the type of its own responses; whoever
   * calls it passes only responses of the kind's operations, which the client has checked.
   */
  fromRemote(remote: unknown): Remote;
  readonly calls: Calls;
}
