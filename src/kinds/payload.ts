/** Values of fields, and requests as data: what manifests and live objects are turned into, and what plans hold. */
import type { OperationId } from '../contract/index.ts';
import type { Secret } from '../util/secret.ts';

/** A field's value in normal form: the same for manifests and live objects, so that one differ serves all kinds. */
export type Value =
  | null
  | boolean
  | number
  | string
  | Secret
  | readonly Value[]
  | { readonly [key: string]: Value };

/** Field values by field name. An absent field is not managed (want) or not known (live). */
export type Fields = Readonly<Record<string, Value>>;

/** An id that is known, or that of the object which an earlier step makes or finds at this address. */
export type Id = string | IdReference;

/** Stands for the id of the object at an address, until the step that makes the object has run. */
interface IdReference {
  readonly $id: string;
}

/** A JSON value of a request that may hold ids not yet known and secrets not shown. */
export type Payload =
  | null
  | boolean
  | number
  | string
  | Secret
  | IdReference
  | readonly Payload[]
  | { readonly [key: string]: Payload };

/**
 * One request as data. With `find` it is a read of a list: the item whose values at these dotted paths equal the given
 * ones is the object that the step is about, and its `id` becomes the address's id.
 */
export interface Call {
  readonly operation: OperationId;
  readonly params: Readonly<Record<string, Id>>;
  readonly query?: Readonly<Record<string, Payload>>;
  readonly body?: Readonly<Record<string, Payload>>;
  readonly find?: Readonly<Record<string, Id>>;
}
