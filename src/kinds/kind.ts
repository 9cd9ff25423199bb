/**
 * A resource kind: one file of data and pure functions. All other layers work from this interface and know no kind by
 * name. `defineKind` adds the defaults, so a kind's file contains only its peculiarities. If one or two kinds need a
 * property, its comment names them and the reason.
 */
import type { z } from 'zod';
import type { Form } from '../contract/form.ts';
import { type OperationId, operationOf } from '../contract/index.ts';
import { once } from '../contract/once.ts';
import { defined } from '../util/defined.ts';
import { isRecord } from '../util/json.ts';
import type { Field, FieldInBody, Included, ValueField } from './parts/field.ts';
import { body, bodyField, pick } from './parts/fields.ts';
import type { Call, Fields, Id, Payload } from './parts/payload.ts';

/** Location of objects of a kind in a manifest. */
export interface Place {
  readonly parent: string;
  readonly key: string;
  /** `map`: a mapping from keys to objects; `single`: the object itself. */
  readonly shape: 'map' | 'single';
  /** True if the written order is the desired one. Kinds that share a place share one order. */
  readonly ordered: boolean;
  /** Another key of the parent. If that key is declared and this one is not, this one must be empty. `siteSpace`: `sections`. */
  readonly emptyWith?: string;
  /** Maximum nesting of objects of the kind. `sectionGroup`: services reject a third level. */
  readonly levels?: number;
  /** The only form of service that has the place. Absent if every service has it. `sectionGroup`: only newer ones nest groups. */
  readonly needs?: Form;
}

/** A natural identity: a live and a desired object with the same value of this field are the same object. */
export interface Identity {
  readonly field: string;
  /** Makes values comparable. `member`: services store addresses in lower case; `section`: a create call accepts only short titles. */
  readonly fold?: (value: string) => string;
  /** True if only desired values are folded, because the live value may already be folded. `section`: its update failed. */
  readonly foldsDesiredOnly?: true;
  /** Counts only if identities in immutable fields (`change: replace`) agree too. `siteSpace`: its space. */
  readonly unlessReplaced?: true;
}

/** The parent of an object. */
export interface ContainerRef<I extends Id = Id> {
  readonly kind: string;
  readonly id: I;
}

/** A live object as a response shows it. */
export interface Remote {
  readonly id: string;
  readonly fields: Fields;
  /** The direct parent, unless it is the listed scope. */
  readonly container?: ContainerRef<string>;
  readonly includes?: readonly Included[];
  /** The field of the container, or of the scope, whose value is this object. */
  readonly defaultOf?: { readonly on: 'container' | 'scope'; readonly field: string };
  /** Format: ISO 8601. Set if the object is deleted but can still be restored. */
  readonly deletedAt?: string;
  /** True if the object exists but is disabled, such as a member. */
  readonly inactive?: true;
  /** The service is still processing the object: details (`onceSettled`) may predate the last change. */
  readonly unsettled?: true;
  readonly otherWriter?: OtherWriter;
  /** No one ever changed the object, so exports omit it. */
  readonly initial?: true;
}

/** Another writer of an object and of objects inside it. */
export interface OtherWriter {
  /** Name of the repository, for messages. */
  readonly name: string;
  /** Owned fields, by kind. For kinds inside the object, the writer also owns existence and position. */
  readonly owns: Readonly<Record<string, readonly string[]>>;
  /** Description of the owned parts, for messages: `its title and structure`. */
  readonly what: string;
}

interface Reads {
  /** A request (with its pages) that lists all objects inside an object of kind `per`. */
  readonly list?: {
    readonly operation: OperationId;
    readonly per: string;
    /** Query parameters. `collection`: includes nested ones; `draftRedirect`: redirects that are drafts. */
    readonly query?: Fields;
    /** Value of `object` for this kind, if the response has objects of several kinds. */
    readonly object?: string;
    /** Position among siblings: by list order, or by the first child. `sectionGroup`: its list does not contain the sections. */
    readonly order?: 'listed' | 'firstChild';
    /** A read of positions inside an object of kind `per`, if the list lacks them. `space`: one list for the whole organization. */
    readonly places?: { readonly operation: OperationId; readonly per: string };
  };
  /** Reads one object, by its id or as the only one inside its parent. A 404 means that it does not exist. */
  readonly get?: { readonly operation: OperationId };
  /** Finds objects by an identity field's value; results are compared again. `member`: lists are long; `space`: no list is complete. */
  readonly search?: {
    readonly operation: OperationId;
    readonly field: string;
    readonly parameter: string;
    /** True if hits are incomplete and each must be read with `get`. */
    readonly thenGet: boolean;
  };
  /** Reads the effective access of a person to objects of another kind. `member`: for reviews of access. */
  readonly reach?: {
    readonly operation: OperationId;
    readonly kind: string;
    read(items: readonly unknown[]): readonly { readonly remote: unknown; readonly level: string | null }[];
  };
  /** Lists the links in the content of an object. `targets`: ids of objects of this kind that they lead to. `space`: for reviews. */
  readonly links?: {
    readonly operation: OperationId;
    targets(items: readonly unknown[]): readonly string[];
  };
}

/** True if an item of a list has the listed kind. */
export function isListed({ object }: NonNullable<Reads['list']>, item: unknown): boolean {
  return object === undefined || (isRecord(item) && item.object === object);
}

/** True if a request by id finds objects of any organization. */
export function hasAnyOwner({ reads: { get }, identity: { idParam } }: Kind): boolean {
  const [param, ...others] = get === undefined ? [] : operationOf(get.operation).params;
  return param !== undefined && param === idParam && others.length === 0;
}

/** A desired child, passed to the calls of its parent. */
export interface ChildView {
  readonly kind: string;
  readonly address: string;
  readonly id: Id;
  readonly fields: Readonly<Record<string, Payload>>;
}

/** Input of a kind's calls. */
export interface CallContext {
  readonly address: string;
  readonly key: string;
  /** Ids, keyed by parameter name: the object's own (if it has one) and its ancestors'. */
  readonly params: Readonly<Record<string, Id>>;
  readonly id: Id;
  /** All desired fields, with references as ids. */
  readonly fields: Readonly<Record<string, Payload>>;
  /** The current values, as read or as created, with references as ids. */
  readonly before: Readonly<Record<string, Payload>>;
  readonly container: ContainerRef;
  /** Desired children at a manifest key, in order. */
  readonly children: (key: string) => readonly ChildView[];
  /** The kind of the object that a reference field of `fields` names. */
  readonly targetKind: (field: string) => string | undefined;
  readonly resolve: (kind: string, key: string) => Id | undefined;
  /** The part of the request for an object created along with this one (the trait `madeWith`). */
  readonly makes?: Payload;
}

/** Effects of a create call. */
export interface Creation {
  readonly call: Call;
  /** Values of the fields after the call. Other desired values follow as an update. */
  readonly fields: Readonly<Record<string, Payload>>;
  /** A child that the same call creates, and the read that finds its id. */
  readonly alsoCreates?: {
    readonly address: string;
    readonly fields: Readonly<Record<string, Payload>>;
    readonly find: Call;
  };
  /** Addresses of children that the call moves into the object; they must exist before it. */
  readonly adoptsChildren?: readonly string[];
}

/** Why the API cannot create or change an object this way, and how to proceed. */
export interface Unsupported {
  readonly unsupported: string;
  readonly suggestion: string;
  /** The missing object: this object, or one that it refers to. Only its step is refused; the rest can be planned. */
  readonly missing?: 'object' | 'reference';
}

/** True if a call cannot be made. */
export function isUnsupported(value: object): value is Unsupported {
  return 'unsupported' in value;
}

/** A position next to a sibling. Exactly one of the two is set. */
export type Anchor =
  | { readonly before: ContainerRef; readonly after?: never }
  | { readonly after: ContainerRef; readonly before?: never };

/** A sent request, with ids filled in. */
interface SentCall {
  readonly operation: OperationId;
  readonly body: unknown;
}

/** Requests of a kind. Each function is pure; an unsupported operation is absent. */
interface Calls {
  readonly create: (context: CallContext) => Creation | Unsupported;
  /** Changes the named fields from `before` to `fields`, with one PATCH if the API allows it. */
  readonly update?: (context: CallContext, changed: readonly string[]) => readonly Call[] | Unsupported;
  readonly delete?: (context: CallContext) => Call;
  /** Restores a soft-deleted object; see `restorableDays`. Only `space`. */
  readonly restore?: (context: CallContext) => Call;
  readonly move?: (context: CallContext, anchor: Anchor | undefined) => Call;
  /** Kinds of siblings that `move` accepts as anchors. */
  readonly anchors?: readonly string[];
  /** Moves the object out of its container, if that needs a separate call. */
  readonly detach?: (context: CallContext, from: ContainerRef<string>) => Call | undefined;
  /** Moves an existing object into its desired container; next to the anchor only with `attachAnchored`. */
  readonly attach?: (context: CallContext, anchor: Anchor | undefined) => Call | undefined;
  /** `attach` accepts an anchor. `space`: its move into a collection has a position. */
  readonly attachAnchored?: true;
  /** The position among new siblings after `attach` is not known. */
  readonly attachedAnywhere?: true;
  /** The service accepts new objects only after their siblings exist. `link`: sections. */
  readonly arrivesLast?: true;
  /** New objects do not appear in their container and must be moved there. `section`: a group; `space`: a collection. */
  readonly createdOutside?: true;
  /** Create only requests the object, and `reads.search` looks for it: it may appear later, or never. `member`: invitations. */
  readonly createIsAsync?: true;
  /** Why an accepted request had no effect, or undefined. */
  readonly notDone?: (answer: unknown, sent: SentCall) => string | undefined;
  /** New objects are copies of the object in `field`, and have roughly its `name` until they get their own. Only `space`. */
  readonly copies?: { readonly field: string; readonly name: string };
}

interface InManifests {
  readonly places: readonly Place[];
  /** An entry of a shared place belongs to this kind if it has this key. `sectionGroup`, `link`: both are among `sections`. */
  readonly marker?: string;
  /** The meaning of keys that are more than a name: a field's value, or the object's id. */
  readonly key?:
    | {
        readonly is: 'field';
        readonly field: string;
        /** The key begins with a slash, may contain more, and contains no colon. */
        readonly isPath?: true;
      }
    | { readonly is: 'id' };
  /** Schema of keys, if the API limits them. */
  readonly keySchema?: () => z.ZodType;
  /** True if an entry may have a last day, `until`. `shareLink`: it gives access. */
  readonly ends?: true;
  /** The field that forms the whole entry. `adaptiveSchema`: the entry is the user's schema. */
  readonly whole?: string;
}

/** How matching desired and live objects are recognized. */
interface Identification {
  /** Ordered by strength, strongest first. A kind without identities has one object per parent. */
  readonly by: readonly Identity[];
  /** Kind of the ancestor inside which identities are unique; `parent` means only the direct parent. */
  readonly scope: string;
  /** Fields whose values must be unique inside the scope (or the parent). */
  readonly unique?: readonly { readonly field: string; readonly within: string }[];
  /** Fields whose values services usually require to be unique inside the parent, without a promise of the API. `siteSpace`: its space. */
  readonly usuallyUnique?: readonly string[];
  readonly idParam?: string;
}

interface KindDeletion {
  /** True if a delete is refused until the protection is lifted. */
  readonly protected?: true;
  /** `space`: services keep deleted spaces this long. */
  readonly restorableDays?: number;
  /** Kinds that a delete also deletes. `site`, `section`: all of their contents. */
  readonly cascadesTo?: readonly string[];
  /** Pending work of others inside an object, which is lost with it and counted before a delete. `space`: change requests. */
  readonly openWork?: {
    readonly operation: OperationId;
    readonly query?: Fields;
    /** Singular, for messages: `open change request`. */
    readonly noun: string;
  };
  /** The last object with this value of this field is neither changed nor deleted. `member`: administrators. */
  readonly atLeastOne?: { readonly field: string; readonly value: string };
  /** The last object of a list is deleted only after its successor arrives, if one is planned. `section`, `siteSpace`: a site keeps one. */
  readonly lastNeedsSuccessor?: true;
  readonly cost?: string;
  /** Losses when a deleted object is created again. */
  readonly again?: {
    /** A clause for messages. */
    readonly lost?: string;
    /** Why an object with these fields cannot be created again, or undefined. */
    readonly impossible?: (fields: Fields) => string | undefined;
  };
}

interface Display {
  /** Visitors see the ordered children as navigation, at every level. Only `site`. */
  readonly navigation?: true;
  /** The token belongs to one object of this kind (`settings.self`). `member`: users must not remove themselves. */
  readonly ownsToken?: true;
  /** Access that an object gives. Unlisted objects are shown first, ordered by rank (0 is the most dangerous), with the risk. */
  readonly givesAccess?: (fields: Fields) => { readonly rank: number; readonly risk: string } | undefined;
  /** A risk of creating an object, in addition to `givesAccess`. `member`: access; `site`: no visibility is set. */
  readonly createRisk?: (fields: Fields) => string | undefined;
  /** Objects of the kind that no read shows, for messages: an export cannot contain them. */
  readonly unseen?: string;
  /** Advice if a manifest names an object that does not exist, for kinds that are looked up by name. Only `member`. */
  readonly ifMissing?: string;
}

/** A resource kind. */
export interface Kind {
  /** Name in camelCase, singular. Example: `siteSpace`. */
  readonly name: string;
  /** Display name. Example: `site-space`. */
  readonly noun: string;
  readonly description: string;
  readonly manifest: InManifests;
  readonly fields: Readonly<Record<string, Field>>;
  readonly identity: Identification;
  readonly reads: Reads;
  /**
   * Converts a response to a live object. A method, so that each kind can name the type of its own responses; the caller
   * passes only responses of the kind's operations, which the client has checked.
   */
  fromRemote(remote: unknown): Remote;
  readonly calls: Calls;
  /** A repository may also write objects: `lifecycle: { ignore: synced }`. `site`, `space`: git sync. */
  readonly mayBeSynced?: true;
  readonly deletion: KindDeletion;
  readonly display: Display;
  /** The only form of service that has the kind. Absent if every service has it. */
  readonly needs?: Form;
  /** The variant of the kind at a service of the newer form. */
  readonly newer?: () => Kind;
}

/** An operation whose request has the path parameters and the changed fields, or a function for any other request. */
type Usual<T> = OperationId | T;

/** A kind as its file declares it, without the defaults. */
export interface KindSpec {
  readonly name: string;
  readonly noun: string;
  readonly description: string;
  /** A place is an unordered map by default. */
  readonly manifest: Omit<InManifests, 'places'> & {
    readonly places: readonly (Pick<Place, 'parent' | 'key'> & Partial<Place>)[];
  };
  /** The operation whose body contains the fields. A field without a type is a value, with its schema from there. */
  readonly body?: OperationId;
  readonly fields: Readonly<Record<string, Field | FieldInBody>>;
  /** Default: objects are matched within the organization. */
  readonly identity?: Partial<Identification>;
  readonly reads: Reads;
  /** Absent if the response has an `id`, and the fields by their names. */
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
  /** Differences at a service of the newer form. */
  readonly newer?: Partial<
    Pick<KindSpec, 'calls' | 'reads' | 'fields' | 'deletion' | 'display' | 'identity'>
  >;
}

/** Adds the defaults to a kind. */
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
      ...defined({
        update: typeof update === 'string' ? usualUpdate(update) : update,
        delete: typeof remove === 'string' ? withoutBody(remove) : remove,
        restore: typeof restore === 'string' ? withoutBody(restore) : restore,
      }),
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

/** True if manifests write the field as the key of the object, not inside it. */
export function isKeyField({ manifest: { key } }: Kind, name: string): boolean {
  return key?.is === 'field' && key.field === name;
}
