/**
 * A resource kind: one file of data and pure functions. All other layers work from this interface and know no kind by
 * name. `defineKind` adds the defaults, so that a kind's file has only what is special to it. A property of one or two kinds
 * names them, and what they need it for.
 */
import type { z } from 'zod';
import type { Form } from '../contract/form.ts';
import type { OperationId } from '../contract/index.ts';
import { once } from '../contract/once.ts';
import { isRecord } from '../util/json.ts';
import type { Field, Included, ValueField } from './field.ts';
import { body, bodyField, pick } from './fields.ts';
import type { Call, Fields, Id, Payload } from './payload.ts';

/** Where objects of a kind are in a manifest. */
export interface Place {
  readonly parent: string;
  readonly key: string;
  /** `map`: a mapping from keys to objects; `single`: the object itself. */
  readonly shape: 'map' | 'single';
  /** The order as written is the desired one. Kinds that share a place share one order. */
  readonly ordered: boolean;
  /** Another key of the parent; if it is declared and this one is not, this one is to be empty. `siteSpace`: `sections`. */
  readonly emptyWith?: string;
  /** The most levels of objects of the kind inside each other. `sectionGroup`: services refuse a third. */
  readonly levels?: number;
  /** Absent: at every service. `sectionGroup`: only newer ones have groups in groups. */
  readonly needs?: Form;
}

/** A natural identity: live and desired objects with the same value of this field are the same object. */
export interface Identity {
  readonly field: string;
  /** Makes values comparable. `member`: services store addresses in lower case; `section`: a create call takes short titles only. */
  readonly fold?: (value: string) => string;
  /** Only desired values are folded: the live value is the result of folding. `section`: its update failed. */
  readonly foldsDesiredOnly?: true;
  /** Counts only if the identities that only a new object can have otherwise agree as well. `siteSpace`: its space. */
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
  /** The direct parent, if it is not the scope that was listed. */
  readonly container?: ContainerRef<string>;
  readonly includes?: readonly Included[];
  /** This object is the value of a field of the container, or of the scope. */
  readonly defaultOf?: { readonly on: 'container' | 'scope'; readonly field: string };
  /** ISO 8601; a deleted object can still be restored. */
  readonly deletedAt?: string;
  /** The object exists but is disabled, such as a member. */
  readonly inactive?: true;
  /** The service still works on it: details (`onceSettled`) may be as they were before the last change. */
  readonly unsettled?: true;
  readonly otherWriter?: OtherWriter;
  /** Nobody ever changed it: exports leave it out. */
  readonly initial?: true;
}

/** Somebody else who writes an object, and objects inside it. */
export interface OtherWriter {
  /** For people: of a repository. */
  readonly name: string;
  /** The fields, by kind. Of kinds inside the object, also which objects there are, and where. */
  readonly owns: Readonly<Record<string, readonly string[]>>;
  /** For people: `its title and structure`. */
  readonly what: string;
}

interface Reads {
  /** One request (with its pages) lists all objects inside an object of kind `per`. */
  readonly list?: {
    readonly operation: OperationId;
    readonly per: string;
    /** `collection`: those in collections as well; `draftRedirect`: redirects that are drafts. */
    readonly query?: Fields;
    /** The response has objects of several kinds: those with this `object` are of this one. */
    readonly object?: string;
    /** Position among siblings: by list order, or that of the first child. `sectionGroup`: its list does not have the sections. */
    readonly order?: 'listed' | 'firstChild';
    /** A read of positions inside an object of kind `per`, where the list has none. `space`: one list for all of an organization. */
    readonly places?: { readonly operation: OperationId; readonly per: string };
  };
  /** Reads one object: by its id, or the only one inside its parent. 404: there is none. */
  readonly get?: { readonly operation: OperationId };
  /** Finds objects by an identity field's value; results are compared again. `member`: lists are long; `space`: no list has all. */
  readonly search?: {
    readonly operation: OperationId;
    readonly field: string;
    readonly parameter: string;
    /** The hits are not whole objects and each must be read with `get`. */
    readonly thenGet: boolean;
  };
  /** A read of what a person may do with objects of another kind, from any source. `member`: for reviews of access. */
  readonly reach?: {
    readonly operation: OperationId;
    readonly kind: string;
    read(items: readonly unknown[]): readonly { readonly remote: unknown; readonly level: string | null }[];
  };
}

/** Whether an item of a list is of the kind that is listed. */
export function isListed({ object }: NonNullable<Reads['list']>, item: unknown): boolean {
  return object === undefined || (isRecord(item) && item.object === object);
}

/** A desired child, for the calls of its parent. */
export interface ChildView {
  readonly kind: string;
  readonly address: string;
  readonly id: Id;
  readonly fields: Readonly<Record<string, Payload>>;
}

/** The input of a kind's calls. */
export interface CallContext {
  readonly address: string;
  readonly key: string;
  /** Ids by parameter name: the object's own (if it has one) and those of its ancestors. */
  readonly params: Readonly<Record<string, Id>>;
  readonly id: Id;
  /** All desired fields, references as ids. */
  readonly fields: Readonly<Record<string, Payload>>;
  /** The current values: as read, or as created. References are ids. */
  readonly before: Readonly<Record<string, Payload>>;
  readonly container: ContainerRef;
  /** Desired children under a manifest key, in order. */
  readonly children: (key: string) => readonly ChildView[];
  /** The kind of the object that a reference field of `fields` names. */
  readonly targetKind: (field: string) => string | undefined;
  readonly resolve: (kind: string, key: string) => Id | undefined;
  /** What the object makes along with itself (the trait `madeWith`). */
  readonly makes?: Payload;
}

/** What a create call makes. */
export interface Creation {
  readonly call: Call;
  /** The fields after the call; other desired values follow as an update. */
  readonly fields: Readonly<Record<string, Payload>>;
  /** A child that the same call creates, with the read that finds its id. */
  readonly alsoCreates?: {
    readonly address: string;
    readonly fields: Readonly<Record<string, Payload>>;
    readonly find: Call;
  };
  /** Addresses of existing children that the call moves into the object; they must exist before it. */
  readonly adoptsChildren?: readonly string[];
}

/** The API cannot create or change an object this way, and how to proceed. */
export interface Unsupported {
  readonly unsupported: string;
  readonly suggestion: string;
  /**
   * The missing object: the object itself, or one that it refers to. Only its step is refused, and the rest can be
   * planned.
   */
  readonly missing?: 'object' | 'reference';
}

/** Whether a call cannot be made. */
export function isUnsupported(value: object): value is Unsupported {
  return 'unsupported' in value;
}

/** A place next to a sibling. Exactly one of the two is given. */
export type Anchor =
  | { readonly before: ContainerRef; readonly after?: never }
  | { readonly after: ContainerRef; readonly before?: never };

/** A request as it was sent, with ids. */
interface SentCall {
  readonly operation: OperationId;
  readonly body: unknown;
}

/** Requests of a kind. Each function is pure; an operation that a kind does not have is absent. */
interface Calls {
  readonly create: (context: CallContext) => Creation | Unsupported;
  /** Brings the named fields from `before` to `fields`; one PATCH if the API allows it. */
  readonly update?: (context: CallContext, changed: readonly string[]) => readonly Call[] | Unsupported;
  readonly delete?: (context: CallContext) => Call;
  /** Brings a soft-deleted object back; see `restorableDays`. `space` alone. */
  readonly restore?: (context: CallContext) => Call;
  readonly move?: (context: CallContext, anchor: Anchor | undefined) => Call;
  /** Kinds of siblings that `move` accepts as anchors. */
  readonly anchors?: readonly string[];
  /** Takes the object out of its container, if that is a call of its own. */
  readonly detach?: (context: CallContext, from: ContainerRef<string>) => Call | undefined;
  /** Puts an existing object into its desired container; next to the anchor only with `attachAnchored`. */
  readonly attach?: (context: CallContext, anchor: Anchor | undefined) => Call | undefined;
  /** `space`: its move into a collection has a position. */
  readonly attachAnchored?: true;
  /** Where `attach` puts an object among its new siblings is not known. */
  readonly attachedAnywhere?: true;
  /** The service takes new ones only once there are others. `link`: sections. */
  readonly arrivesLast?: true;
  /** New objects do not appear in their container and must be moved into it. `section`: a group; `space`: a collection. */
  readonly createdOutside?: true;
  /** Creating only asks for the object, and `reads.search` looks for it: it may come later, or never. `member`: invitations. */
  readonly comesLater?: true;
  /** Why nothing was done although the service says that it took the request, or undefined. */
  readonly notDone?: (answer: unknown, sent: SentCall) => string | undefined;
  /** New objects are copies of the one that `field` names, and have about its `name` until they get their own. `space` alone. */
  readonly copies?: { readonly field: string; readonly name: string };
}

interface InManifests {
  readonly places: readonly Place[];
  /** An entry of a shared place is of this kind if it has this key. `sectionGroup`, `link`: both are among `sections`. */
  readonly marker?: string;
  /** For keys that are more than a name: a field's value, or the object's id. */
  readonly key?:
    | {
        readonly is: 'field';
        readonly field: string;
        /** Begins with a slash and may have others, and has no colon. */
        readonly isPath?: true;
      }
    | { readonly is: 'id' };
  /** Schema of keys, if the API limits them. */
  readonly keySchema?: () => z.ZodType;
  /** The field whose value is all of the entry. `adaptiveSchema`: it is a schema of whoever writes it. */
  readonly whole?: string;
}

/** How desired and live objects are recognised as the same. */
interface Identification {
  /** Strongest first. A kind without any is one object per parent. */
  readonly by: readonly Identity[];
  /** The kind of the ancestor inside which identities are unique; `parent` for the direct parent only. */
  readonly scope: string;
  /** Fields whose values no two objects inside the scope (or the parent) may share. */
  readonly unique?: readonly { readonly field: string; readonly within: string }[];
  /** Fields whose values services usually refuse twice inside the parent, although the API does not promise it. `siteSpace`: its space. */
  readonly usuallyUnique?: readonly string[];
  readonly idParam?: string;
}

interface KindDeletion {
  /** A delete must be allowed by lifting the protection. */
  readonly protected?: true;
  /** `space`: services keep deleted ones. */
  readonly restorableDays?: number;
  /** Kinds that a delete of this one also deletes. `site`, `section`: all that is in them. */
  readonly cascadesTo?: readonly string[];
  /** Pending work of others inside an object, which is lost with it; counted before a delete. `space`: change requests. */
  readonly openWork?: {
    readonly operation: OperationId;
    readonly query?: Fields;
    /** One of them, for people: `open change request`. */
    readonly noun: string;
  };
  /** At least one object must keep this value of this field: the last one is neither changed nor deleted. `member`: administrators. */
  readonly atLeastOne?: { readonly field: string; readonly value: string };
  /** If another object is to arrive in the list, the last one is deleted only afterwards. `section`, `siteSpace`: a site keeps one. */
  readonly lastNeedsSuccessor?: true;
  readonly cost?: string;
  /** What creating a deleted object again does not bring back. */
  readonly again?: {
    /** For people, as one clause. */
    readonly lost?: string;
    /** Why an object with these fields cannot be created again, or undefined. */
    readonly impossible?: (fields: Fields) => string | undefined;
  };
}

interface Display {
  /** Visitors see a navigation: everything in it that has an order, at every level. `site` alone. */
  readonly navigation?: true;
  /** The token belongs to one object of this kind (`settings.self`). `member`: nobody removes themselves. */
  readonly ownsToken?: true;
  /** To whom an object gives access. Unlisted ones are shown first, by rank (0 is the most dangerous), with the risk. */
  readonly givesAccess?: (fields: Fields) => { readonly rank: number; readonly risk: string } | undefined;
  /** A further risk of creating one, besides `givesAccess`. `member`: access; `site`: no visibility is set. */
  readonly createRisk?: (fields: Fields) => string | undefined;
  /** Objects of the kind that no read shows, for people: an export cannot contain them. */
  readonly unseen?: string;
  /** What to do if a manifest names an object that does not exist, for kinds that are looked up by name. `member` alone. */
  readonly ifMissing?: string;
}

/** A resource kind. */
export interface Kind {
  /** Name in camelCase, singular: `siteSpace`. */
  readonly name: string;
  /** For people: `site-space`. */
  readonly noun: string;
  readonly description: string;
  readonly manifest: InManifests;
  readonly fields: Readonly<Record<string, Field>>;
  readonly identity: Identification;
  readonly reads: Reads;
  /**
   * A live object as a response shows it. A method, so that each kind can name the type of its own responses; the caller
   * passes only responses of the kind's operations, which the client has checked.
   */
  fromRemote(remote: unknown): Remote;
  readonly calls: Calls;
  /** A repository may write objects as well: `lifecycle: { ignore: synced }`. `site`, `space`: git sync. */
  readonly mayBeSynced?: true;
  readonly deletion: KindDeletion;
  readonly display: Display;
  /** Absent: every service has it. */
  readonly needs?: Form;
  /** The same kind at a service of the newer form. */
  readonly newer?: () => Kind;
}

/** An operation whose request is the path parameters and the changed fields; or a function for any other request. */
type Usual<T> = OperationId | T;

type FieldInBody = Omit<ValueField, 'type' | 'schema'> & {
  readonly type?: never;
  readonly schema?: ValueField['schema'];
};

/** A kind as its file declares it: without what is usual. */
export interface KindSpec {
  readonly name: string;
  readonly noun: string;
  readonly description: string;
  /** A place is an unordered map unless it says otherwise. */
  readonly manifest: Omit<InManifests, 'places'> & {
    readonly places: readonly (Pick<Place, 'parent' | 'key'> & Partial<Place>)[];
  };
  /** The operation whose body has the fields. A field that gives no type is a value, with the schema that it has there. */
  readonly body?: OperationId;
  readonly fields: Readonly<Record<string, Field | FieldInBody>>;
  /** Objects are matched within the organization unless another scope is given. */
  readonly identity?: Partial<Identification>;
  readonly reads: Reads;
  /** Absent: the response has an `id`, and the fields by their names. */
  fromRemote?(remote: unknown): Remote;
  readonly calls: Omit<Calls, 'create' | 'update' | 'delete' | 'restore'> & {
    readonly create:
      | { readonly operation: OperationId; readonly fields: readonly string[] }
      | Calls['create'];
    readonly update?: Usual<NonNullable<Calls['update']>>;
    readonly delete?: Usual<NonNullable<Calls['delete']>>;
    readonly restore?: Usual<NonNullable<Calls['restore']>>;
  };
  readonly mayBeSynced?: true;
  readonly deletion?: KindDeletion;
  readonly display?: Display;
  readonly needs?: Form;
  /** What differs at a service of the newer form. */
  readonly newer?: Partial<
    Pick<KindSpec, 'calls' | 'reads' | 'fields' | 'deletion' | 'display' | 'identity'>
  >;
}

/** A kind with everything that its file leaves out. */
export function defineKind(spec: KindSpec): Kind {
  const { body: operation, newer, ...parts } = spec;
  const { create, update, delete: remove, restore, ...calls } = spec.calls;
  const names = Object.keys(spec.fields);
  const fields = Object.entries(spec.fields).map(([name, field]): [string, Field] => [
    name,
    field.type === undefined ? fieldInBody(operation, name, field) : field,
  ]);
  return {
    deletion: {},
    display: {},
    fromRemote: (remote: { readonly id: string }) => ({
      id: remote.id,
      fields: pick(remote, names as 'id'[]),
    }),
    ...parts,
    fields: Object.fromEntries(fields),
    manifest: {
      ...spec.manifest,
      places: spec.manifest.places.map((place) => ({ shape: 'map', ordered: false, ...place })),
    },
    identity: { by: [], scope: 'organization', ...spec.identity },
    ...(newer === undefined
      ? {}
      : { newer: once(() => defineKind({ body: operation, ...parts, ...newer } as KindSpec)) }),
    calls: {
      ...calls,
      create: typeof create === 'function' ? create : usualCreate(create.operation, create.fields),
      ...(update === undefined
        ? {}
        : { update: typeof update === 'function' ? update : usualUpdate(update) }),
      ...(remove === undefined
        ? {}
        : { delete: typeof remove === 'function' ? remove : withoutBody(remove) }),
      ...(restore === undefined
        ? {}
        : { restore: typeof restore === 'function' ? restore : withoutBody(restore) }),
    },
  };
}

function fieldInBody(operation: OperationId | undefined, name: string, field: FieldInBody): ValueField {
  if (field.schema !== undefined) return { ...field, type: 'value', schema: field.schema };
  if (operation === undefined) throw new Error(`The field ${name} has no schema`);
  return { ...field, type: 'value', schema: bodyField(operation, name) };
}

function usualCreate(operation: OperationId, names: readonly string[]): Calls['create'] {
  return ({ fields, params }) => {
    const all = body(fields, names);
    return { call: { operation, params, body: all }, fields: all };
  };
}

function usualUpdate(operation: OperationId): NonNullable<Calls['update']> {
  return ({ fields, params }, changed) => [{ operation, params, body: body(fields, changed) }];
}

function withoutBody(operation: OperationId): (context: CallContext) => Call {
  return ({ params }) => ({ operation, params });
}
