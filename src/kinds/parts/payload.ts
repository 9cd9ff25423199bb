/** Values of fields, and requests as data. */
import * as z from 'zod';
import { isOperationId, type OperationId } from '../../contract/index.ts';
import { once } from '../../contract/once.ts';
import { byName, object, typed } from '../../util/data-schema.ts';
import { FileText } from '../../util/file-text.ts';
import { isRecord } from '../../util/json.ts';
import { Secret } from '../../util/secret.ts';

/** A field's value in normal form, equal for manifests and live objects, so that one differ serves all kinds. */
export type Value =
  | null
  | boolean
  | number
  | string
  | Secret
  | FileText
  | readonly Value[]
  | { readonly [key: string]: Value };

/** Field values, keyed by field name. An absent field is not managed (desired) or not known (live). */
export type Fields = Readonly<Record<string, Value>>;

/** A known id, or the address of an object that an earlier step creates or finds. */
export type Id = string | IdReference;

interface IdReference {
  readonly $id: string;
}

/** A JSON value of a request that may contain pending ids and hidden secrets. */
export type Payload =
  | null
  | boolean
  | number
  | string
  | Secret
  | FileText
  | IdReference
  | readonly Payload[]
  | { readonly [key: string]: Payload };

/** The address in a reference to an object whose id is not known yet. */
export function referredAddress(value: unknown): string | undefined {
  return isRecord(value) && typeof value.$id === 'string' ? value.$id : undefined;
}

type Mapping<T> = Extract<T, { readonly [key: string]: unknown }>;

/** Returns undefined for all but mappings. Secrets and file texts are records too, so `isRecord` does not narrow a value. */
export function mapOf<T extends Payload>(value: T | undefined): Mapping<T> | undefined {
  const isMap = isRecord(value) && !(value instanceof Secret) && !(value instanceof FileText);
  return isMap ? (value as Mapping<T>) : undefined;
}

const sibling = once(() => object({ kind: z.string(), id: typed<Id>() }));

const operationName = once(() =>
  z.custom<OperationId>(
    (name) => typeof name === 'string' && isOperationId(name),
    'no operation of the service',
  ),
);

/**
 * One request as data. With `find` it reads a list: the item whose values at these dotted paths equal the given
 * ones is the object of the step, and its `id` becomes the address's id.
 */
export const callSchema = once(() =>
  object({
    operation: operationName().meta({
      type: 'string',
      description: 'Name of the operation, for example sites.update',
    }),
    params: byName(typed<Id>()).describe('Parameters of the path'),
    query: byName(typed<Payload>()).exactOptional(),
    body: byName(typed<Payload>()).exactOptional(),
    mergedInto: operationName()
      .meta({
        type: 'string',
        description:
          'A read sent right before: the body is merged into its response (null removes a key, a list is replaced), and the result is sent',
      })
      .exactOptional(),
    find: byName(typed<Id>())
      .exactOptional()
      .describe(
        'Only for reads: selects the list item with these values; without values, the object that is read',
      ),
    part: z.string().exactOptional().describe('With find: the object is under this key of the item'),
    except: z
      .array(z.string())
      .readonly()
      .exactOptional()
      .describe('With find: ids of items that existed before, which count only if no other item matches'),
    unlessPlaced: object({
      container: sibling().describe('The object that contains it'),
      before: sibling().exactOptional(),
      after: sibling().exactOptional(),
    })
      .exactOptional()
      .describe(
        'Only sent if the list shows the object elsewhere: not next to this sibling, or not last if none is named',
      ),
  }).describe('One request, in full'),
);

export type Call = z.infer<ReturnType<typeof callSchema>>;
