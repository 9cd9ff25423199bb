/**
 * A field of a resource kind: how manifests write it, how live values are read and when two values are equal. The rest follows from the
 * type.
 */
import * as z from 'zod';
import type { Form } from '../../contract/form.ts';
import type { OperationId } from '../../contract/index.ts';
import type { FileText } from '../../util/file-text.ts';
import type { Fields, Value } from './payload.ts';

type Within = 'organization' | 'descendants' | 'parent';

/** How a name in a manifest refers to another object. */
export interface Reference {
  readonly kinds: readonly string[];
  /** Keys are looked up in the whole organization, among the object's own descendants, or among its parent's. */
  readonly within: Within;
  /**
   * The meaning of an undeclared key: `refused`: an error; `lookup`: an existing object, found by its natural identity;
   * `allowed`: sent as is; the service decides.
   */
  readonly undeclared: 'refused' | 'lookup' | 'allowed';
}

/** How a manifest names an object that no manifest declares. */
export function undeclaredName({ within }: Pick<Reference, 'within'>): string {
  return within === 'organization' ? '{ id: … } or { title: … }' : '{ id: … }';
}

/** All forms of a reference, after `key`. Example: `key of a space, its address, or { id: … }`. */
export function referenceForms(key: string, reference: Pick<Reference, 'within'>): string {
  const name = undeclaredName(reference);
  return `${key}, its address, ${name.includes(' or ') ? '' : 'or '}${name}`;
}

/** A value that is probably a mistake: a clause, and the probable value. */
export interface Remark {
  readonly message: string;
  readonly instead?: string | undefined;
}

/** The meaning of a field, for layers that know no kind or field by name. */
export type FieldTrait =
  | {
      readonly is: 'condition';
      /** Prefix of attribute names. */
      readonly attributes: string;
      readonly describedBy: string;
    }
  /** The display name. */
  | { readonly is: 'title' }
  | { readonly is: 'certificate' }
  /** Audience of the published object. `open`: values without sign-in; `everyone`: audiences of values that need no link either. */
  | {
      readonly is: 'audience';
      readonly open: readonly string[];
      readonly everyone: Readonly<Record<string, string>>;
    }
  /** The last part of a site's address, which all of its addresses share. */
  | { readonly is: 'base' }
  /** The host or proxy of the site; addresses there are not predicted. */
  | { readonly is: 'host' }
  /** Whether the object is visible at all; a new object is not live. */
  | { readonly is: 'live' }
  /** True if visitors see neither the object nor its children. */
  | { readonly is: 'draft' }
  /** Irrelevant to visitors. */
  | { readonly is: 'internal' }
  /** The child that visitors see first. */
  | { readonly is: 'first' }
  | { readonly is: 'level' }
  /** Role in the whole organization. `all`: the role that needs no level. */
  | { readonly is: 'role'; readonly all: string }
  /** Levels granted on the object itself. A higher rank means more rights. */
  | { readonly is: 'grants'; readonly rank: (level: unknown) => number }
  /** A part of the address on a site. `keptBy`: kind of object that keeps a former address working. */
  | { readonly is: 'path'; readonly keptBy: string }
  /** A new container creates the object along with itself if `field` of its only entry names it; the value is sent for it. */
  | { readonly is: 'madeWith'; readonly entry: string; readonly field: string }
  /** Destination of a redirect, whose key is the source address. */
  | { readonly is: 'target' };

interface FieldBasics {
  /** Schema of a manifest value other than null, with the documented limits. Returns the same schema each time. */
  readonly schema: () => z.ZodType;
  readonly description: string;
  readonly example: unknown;
  /** Permits `null` in manifests: it removes the value, or is a value itself (a guest's role). */
  readonly nullable?: 'removes' | 'value';
  /**
   * Absent: a call changes the value; `replace`: only a new object can have another value; `create`: the value only affects
   * creation and is never compared.
   */
  readonly change?: 'replace' | 'create';
  /** The value to assume if the service omits the field. */
  readonly absent?: Value;
  /** Converts the manifest form to the normal form, if they differ. Called after `schema` accepted the value. */
  readonly normalize?: (value: Value) => Value;
  /** Converts the normal form to the manifest form, if `normalize` does not accept it. `organization`: `{ site: … }` for a site. */
  readonly spell?: (value: Value) => Value;
  /** Becomes true only once all contents of the object exist. `site`: it is published complete. */
  readonly afterContents?: true;
  /** True if a replacement keeps the value. `site`: it starts unpublished; `customField`: only some types have options. */
  readonly carriedIf?: (declared: Fields) => boolean;
  /** The field of the same object with whose value the service drops this one. `siteSpace`: the page is one of its space. */
  readonly dropsWith?: string;
  /** A separate read for the field. Only sent for objects whose manifests declare the field. */
  readonly detail?: Detail;
  /** Detects a text that the API permits but that is probably a mistake. Called for each entry of a list. */
  readonly remark?: (text: string) => Remark | undefined;
  /**
   * A risk for a reviewer, for example access granted or revoked. `before` is undefined if it is not known, as for
   * new objects; for a replacement, it is the value of the former object.
   */
  readonly risk?: (before: Value | undefined, after: Value, situation: RiskSituation) => RiskText | undefined;
  /** Why no request can restore a changed value: a clause. `member`: single sign-on; `openapiSpec`: former texts. */
  readonly oneWay?: (to: Value) => string | undefined;
  /** The value that means "inherit from the container": a move changes its effect. */
  readonly inherits?: string;
  /** The only form of service that has the field. Absent if every service has it. */
  readonly needs?: Form;
  readonly trait?: FieldTrait;
  /** Display of values: a role is a word, and null a guest; a word needs no quotes. */
  readonly reads?: 'role' | 'word' | 'parts';
  /** Permits a value to name a file. `openapiSpec`: a document is too long for a manifest. */
  readonly file?: NamedFile;
}

/** How the contents of a file become the value of `{ file: path }`. */
export interface NamedFile {
  /** Returns undefined if the parsed file, YAML or JSON, does not fit the field. */
  readonly read: (text: FileText, document: unknown) => Value | undefined;
  /** Required content, for messages. */
  readonly is: string;
}

/**
 * A clause that is true of the change and afterwards, such as `everyone can see it`. With `past`, also the form for a change that
 * someone made: `opens the site to everyone`, `was opened to everyone`. `severe`: shown before all other risks.
 */
export type RiskText =
  | string
  | { readonly text: string; readonly past?: string | undefined; readonly severe?: true | undefined };

/** Context of an object whose field changes. */
export interface RiskSituation {
  /** True if the object is new and replaces no other. */
  readonly isNew: boolean;
  /** The effective inherited value, before and after; undefined if it is not known. */
  readonly inherited: { readonly before: Value | undefined; readonly after: Value | undefined };
  /** The container after the change, for messages. */
  readonly container: string;
  readonly isSetBelow: (field: string) => boolean;
  /** Address of the object that has the given unique value of the field after the change. */
  readonly takerOf?: (value: Value) => string | undefined;
}

/** A single JSON value of any type, compared as written or by meaning. */
export interface ValueField extends FieldBasics {
  readonly type: 'value';
  /** Equality by meaning, if equality as written is too strict. Both values are present and not null. */
  readonly same?: (desired: Value, live: Value) => boolean;
  /** `organization`: single sign-on needs a SAML provider. */
  readonly requires?: Requirement;
  /** Kind whose new objects come before the value becomes true, unless they themselves need this object. `member`: SAML providers. */
  readonly follows?: string;
}

/** A value whose schema is that of the operation's body, unless it has its own. */
export type FieldInBody = Omit<ValueField, 'type' | 'schema'> & {
  readonly type?: never;
  readonly schema?: ValueField['schema'];
};

/**
 * Objects that must exist while a value is true. They are created before it becomes true and deleted after it became
 * false; the last one is kept while it is true.
 */
interface Requirement {
  readonly kind: string;
  /** The consequence if none exists, for messages: `no one could sign in`. */
  readonly otherwise: string;
}

/** A list whose order does not matter. */
interface SetField extends FieldBasics {
  readonly type: 'set';
}

/** A mapping of which only the desired keys count. A key is the key or name of an object of a kind, declared or undeclared. */
interface MapField extends FieldBasics {
  readonly type: 'map';
  /** Kind of object that the keys name. `space`: custom fields. */
  readonly keysOf: string;
  /** Why a value does not fit the object that its key names. `space`: type of the custom field. */
  readonly misfit?: (value: Value, named: Fields) => Misfit | undefined;
}

/** Why a value does not fit, as the end of a sentence about it. */
export interface Misfit {
  readonly message: string;
  readonly suggestion: string | undefined;
}

/** The key (or address, or `{ id }`) of another object. */
export interface ReferenceField extends FieldBasics {
  readonly type: 'reference';
  readonly kinds: readonly string[];
  readonly within: Within;
  /** True for a text that is itself the value and names no object. `redirect`, `draftRedirect`: a URL. */
  readonly literal?: (text: string) => boolean;
}

/**
 * A mapping whose keys name objects of a kind; the list is exact. The objects exist, declared or undeclared, and are found
 * by their natural identity.
 */
interface MembersField extends FieldBasics {
  readonly type: 'members';
  readonly of: string;
  /** Key of the value in an entry that ends: `{ role: owner, until: 2027-01-31 }`. Absent if entries cannot end. */
  readonly valueKey?: 'role' | 'level';
}

/** A field of a kind, as manifests write it and as plans compare it. */
export type Field = ValueField | SetField | MapField | ReferenceField | MembersField;

/** The field of the kind with the given trait. */
export function fieldWith<T extends FieldTrait['is']>(
  { fields }: Fielded,
  is: T,
):
  | { readonly name: string; readonly field: Field; readonly trait: Extract<FieldTrait, { is: T }> }
  | undefined {
  for (const name in fields) {
    const field = fields[name];
    if (field?.trait !== undefined && isOf(field.trait, is)) return { name, field, trait: field.trait };
  }
  return undefined;
}

interface Fielded {
  readonly fields: Readonly<Record<string, Field>>;
}

function isOf<T extends FieldTrait['is']>(trait: FieldTrait, is: T): trait is Extract<FieldTrait, { is: T }> {
  return trait.is === is;
}

/** Value of the field with the given trait. */
export function valueWith(kind: Fielded, values: Fields, is: FieldTrait['is']): Value | undefined {
  const field = fieldWith(kind, is);
  return field && values[field.name];
}

/** True for a list or mapping whose live elements all count. Manifests may then add to it instead. */
export function isExactList(field: Field): boolean {
  if (field.type === 'set' || field.type === 'members') return true;
  if (field.type !== 'value') return false;
  const schema = field.schema();
  return (
    schema instanceof z.ZodArray || (schema instanceof z.ZodRecord && schema.valueType instanceof z.ZodString)
  );
}

/** True if entries of the field may have a last day. */
export function canEnd(field: Field): field is MembersField & { readonly valueKey: string } {
  return field.type === 'members' && field.valueKey !== undefined;
}

/** How the field refers to other objects, by its value or its keys; undefined if it does not. */
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

/** True if the value is an address, which has several spellings. */
export function isUrl(field: Field, value: unknown): boolean {
  if (field.type === 'reference') return typeof value === 'string' && field.literal?.(value) === true;
  return field.type === 'value' && field.schema() instanceof z.ZodURL;
}

interface Detail {
  readonly operation: OperationId;
  /**
   * Extracts the field's value and other objects from the response (all items of all pages for a paged operation). Returns
   * undefined for an unknown format.
   */
  read(
    response: unknown,
    value: Value | undefined,
  ): { readonly value: Value; readonly includes?: readonly Included[] } | undefined;
  /** True if a value from a list needs this read as well. `organization`, `space`: lists show reviewers by id. */
  readonly isNeeded?: (value: Value | undefined) => boolean;
  /** Selects the declared values that are compared with the response. Default: all. `openapiSpec`: texts, not URLs. */
  readonly isFor?: (desired: Value) => boolean;
  /** The object is polled first, until the service has processed it. `openapiSpec`: sources are processed. */
  readonly onceSettled?: true;
  /** The read may return 404 for an object that exists; the value is then unknown. `openapiSpec`: without a source. */
  readonly mayBeMissing?: true;
}

/** `desired`: undefined for an undeclared object. */
export function needsDetail({ detail }: Field, desired: Value | undefined): boolean {
  if (detail?.isFor === undefined) return detail !== undefined;
  return desired !== undefined && detail.isFor(desired);
}

/** A live object of another kind inside a response. */
export interface Included {
  readonly kind: string;
  readonly remote: unknown;
  /** True if only the names of the object are known. */
  readonly isPart?: true;
}
