/**
 * A field of a resource kind: how manifests write it, how live values are read and when two values are equal.
 * Everything else follows from the type.
 */
import * as z from 'zod';
import type { Form } from '../contract/form.ts';
import type { OperationId } from '../contract/index.ts';
import type { FileText } from '../util/file-text.ts';
import type { Fields, Value } from './payload.ts';

type Within = 'organization' | 'descendants' | 'parent';

/** How a name in a manifest leads to another object. */
export interface Reference {
  readonly kinds: readonly string[];
  /** Keys are looked up in the whole organization, among the object's own descendants, or among those of its parent. */
  readonly within: Within;
  /**
   * The meaning of an undeclared key: `refused` an error; `lookup` an existing object, found by its natural identity;
   * `allowed` is left to the service.
   */
  readonly undeclared: 'refused' | 'lookup' | 'allowed';
}

/** A value that is probably a mistake: a clause, and the probable value. */
export interface Remark {
  readonly message: string;
  readonly instead?: string | undefined;
}

/** The meaning of a field for layers that know no kind and no field by name. */
export type FieldTrait =
  | {
      readonly is: 'condition';
      /** The prefix of names of attributes. */
      readonly attributes: string;
      readonly describedBy: string;
    }
  /** The name that people read. `inNavigation`: visitors see it next to those of its siblings. */
  | { readonly is: 'title'; readonly inNavigation?: true }
  | { readonly is: 'certificate' }
  /** Who sees the published object. `open`: values that need no sign-in; `everyone`: whom those open it to that need no link, either. */
  | {
      readonly is: 'audience';
      readonly open: readonly string[];
      readonly everyone: Readonly<Record<string, string>>;
    }
  /** The last part of the address of everything on a site. */
  | { readonly is: 'base' }
  /** Where visitors reach the site; addresses there are not foretold. */
  | { readonly is: 'host' }
  /** Whether anybody sees it at all; a new object is not live. */
  | { readonly is: 'live' }
  /** True: visitors do not see the object, nor what is in it. */
  | { readonly is: 'draft' }
  /** Of no interest to visitors. */
  | { readonly is: 'internal' }
  /** The object inside that visitors see first. */
  | { readonly is: 'first' }
  | { readonly is: 'level' }
  /** What a person may do in the whole organization. `all`: the role that needs no level. */
  | { readonly is: 'role'; readonly all: string }
  /** Levels that were given here. More is greater. */
  | { readonly is: 'grants'; readonly rank: (level: unknown) => number }
  /** A part of the address on a site. `keptBy`: the kind of object that keeps a former address working. */
  | { readonly is: 'path'; readonly keptBy: string }
  /** A new container makes the object along with itself where `field` of its only entry names it; that is what is sent for it. */
  | { readonly is: 'madeWith'; readonly entry: string; readonly field: string }
  /** Where visitors of the address are sent that is the key of the object. */
  | { readonly is: 'target' };

interface FieldBasics {
  /** Schema of a manifest value other than null, with limits as documented; the same one each time. */
  readonly schema: () => z.ZodType;
  readonly description: string;
  readonly example: unknown;
  /** `null` in a manifest is allowed: it removes the value, or is a value itself (a guest's role). */
  readonly nullable?: 'removes' | 'value';
  /**
   * Absent: a call changes it; `replace`: only a new object can have another value; `create`: it says how
   * the object is made and is never compared.
   */
  readonly change?: 'replace' | 'create';
  /** The value if the service leaves the field out. */
  readonly absent?: Value;
  /** Manifest form → normal form, if they differ. Called after `schema` accepted the value. */
  readonly normalize?: (value: Value) => Value;
  /** Normal form → manifest form, if `normalize` does not accept the normal form. `organization`: `{ site: … }` for a site. */
  readonly spell?: (value: Value) => Value;
  /** True only once everything inside the object is there. `site`: it is published whole. */
  readonly afterContents?: true;
  /** Whether a replacement keeps the value. `site`: it starts unpublished; `customField`: only some types have options. */
  readonly carriedIf?: (declared: Fields) => boolean;
  /** A separate read for the field; made only for objects whose manifests declare the field. */
  readonly detail?: Detail;
  /** A text that the API does not forbid, but that is probably a mistake; for each entry of a list. */
  readonly remark?: (text: string) => Remark | undefined;
  /**
   * A risk for a reviewer, for example access given or taken away. `before` is undefined if it is not known, as for
   * new objects; for a replacement, it is the value of the former object.
   */
  readonly risk?: (before: Value | undefined, after: Value, situation: RiskSituation) => RiskText | undefined;
  /** Why no request can restore a value once it was changed: a clause. `member`: single sign-on; `openapiSpec`: former texts. */
  readonly oneWay?: (to: Value) => string | undefined;
  /** The value for "as the container has it": a move changes its effect. */
  readonly inherits?: string;
  /** Absent: every service has it. */
  readonly needs?: Form;
  readonly trait?: FieldTrait;
  /** How values are displayed: a role is a word, and null a guest; a word needs no quotes. */
  readonly reads?: 'role' | 'word' | 'parts';
  /** A value may name a file. `openapiSpec`: a document is too long for a manifest. */
  readonly file?: NamedFile;
}

/** How a value that names a file, as `{ file: path }`, takes in what is in it. */
export interface NamedFile {
  /** Undefined if the parsed file, YAML or JSON, is not what the field needs. */
  readonly read: (text: FileText, document: unknown) => Value | undefined;
  /** For people: what it has to be. */
  readonly is: string;
}

/**
 * A clause that is true of the change and after it, such as `everyone can see it`. With `past`, the same of a change that somebody
 * made: `opens the site to everyone`, `was opened to everyone`. `grave`: shown before all other risks.
 */
export type RiskText =
  | string
  | { readonly text: string; readonly past?: string | undefined; readonly grave?: true | undefined };

/** The surroundings of an object whose field changes. */
export interface RiskSituation {
  /** There is no former object, nor another one that it replaces. */
  readonly isNew: boolean;
  /** The effective value of an inherited one, before and after; undefined if it is not known. */
  readonly inherited: { readonly before: Value | undefined; readonly after: Value | undefined };
  /** The container afterwards, for people. */
  readonly container: string;
  readonly isSetBelow: (field: string) => boolean;
  /** Address of the object that has a unique value of the field afterwards. */
  readonly takerOf?: (value: Value) => string | undefined;
}

/** One value of any JSON type, compared as it is spelled or by meaning. */
export interface ValueField extends FieldBasics {
  readonly type: 'value';
  /** Equality by meaning, if equal spelling is too strict. Both values are present and not null. */
  readonly same?: (desired: Value, live: Value) => boolean;
  /** `organization`: single sign-on needs a SAML provider. */
  readonly requires?: Requirement;
  /** A kind whose new objects come before the value becomes true, unless they need the object with it. `member`: SAML providers. */
  readonly follows?: string;
}

/**
 * Objects that must exist while a value is true: they are created before it becomes true, deleted after it became
 * false, and the last one stays as long as it is true.
 */
interface Requirement {
  readonly kind: string;
  /** The effect of their absence, for people: `nobody could sign in`. */
  readonly otherwise: string;
}

/** A list whose order does not matter. */
interface SetField extends FieldBasics {
  readonly type: 'set';
}

/**
 * A mapping of which only the desired keys count; a key is the key or name of an object of a kind, declared or not.
 */
interface MapField extends FieldBasics {
  readonly type: 'map';
  /** `space`: custom fields. */
  readonly keysOf: string;
  /** Why a value does not fit the object that its key names. `space`: the type of a custom field. */
  readonly misfit?: (value: Value, named: Fields) => Misfit | undefined;
}

/** Why a value does not fit, as the end of a sentence about it. */
export interface Misfit {
  readonly message: string;
  readonly suggestion: string | undefined;
}

/** The key (or address, or `{ id }`) of one other object. */
export interface ReferenceField extends FieldBasics {
  readonly type: 'reference';
  readonly kinds: readonly string[];
  readonly within: Within;
  /** A text that names no object, but is the value itself. `redirect`, `draftRedirect`: a URL. */
  readonly literal?: (text: string) => boolean;
}

/**
 * A mapping whose keys are objects of a kind; the list is exact. The objects exist, declared or not, and are found by
 * their natural identity.
 */
interface MembersField extends FieldBasics {
  readonly type: 'members';
  readonly of: string;
}

/** One field of a kind, as manifests write it and as plans compare it. */
export type Field = ValueField | SetField | MapField | ReferenceField | MembersField;

/** The field of a kind that has a trait. */
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

/** The value of the field that has a trait. */
export function valueWith(kind: Fielded, values: Fields, is: FieldTrait['is']): Value | undefined {
  const field = fieldWith(kind, is);
  return field && values[field.name];
}

/** Whether a declared value is a list, or a mapping, of which every live element counts: manifests may add to it instead. */
export function isExactList(field: Field): boolean {
  if (field.type === 'set' || field.type === 'members') return true;
  if (field.type !== 'value') return false;
  const schema = field.schema();
  return (
    schema instanceof z.ZodArray || (schema instanceof z.ZodRecord && schema.valueType instanceof z.ZodString)
  );
}

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

/** The value is an address, which has several spellings. */
export function isUrl(field: Field, value: unknown): boolean {
  if (field.type === 'reference') return typeof value === 'string' && field.literal?.(value) === true;
  return field.type === 'value' && field.schema() instanceof z.ZodURL;
}

interface Detail {
  readonly operation: OperationId;
  /**
   * The response (all items of all pages for a paged operation) as the field's value, and other objects in it. Undefined for a form
   * that is not known.
   */
  read(
    response: unknown,
    value: Value | undefined,
  ): { readonly value: Value; readonly includes?: readonly Included[] } | undefined;
  /** Whether a value from a list needs this read as well. `organization`, `space`: lists show reviewers by id. */
  readonly isNeeded?: (value: Value | undefined) => boolean;
  /** Which declared values are compared with the response; by default, all. `openapiSpec`: texts, not URLs. */
  readonly isFor?: (desired: Value) => boolean;
  /** The object is looked at first, until the service no longer works on it. `openapiSpec`: it processes sources. */
  readonly onceSettled?: true;
  /** The read may answer 404 for an object that is there: nothing more is known of it. `openapiSpec`: without a source. */
  readonly mayBeMissing?: true;
}

/** Undefined: of an object that is not declared. */
export function needsDetail({ detail }: Field, desired: Value | undefined): boolean {
  if (detail?.isFor === undefined) return detail !== undefined;
  return desired !== undefined && detail.isFor(desired);
}

/** A live object of another kind that was inside a response. */
export interface Included {
  readonly kind: string;
  readonly remote: unknown;
  /** Only its names are known. */
  readonly isPart?: true;
}
