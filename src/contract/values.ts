/**
 * Value types that several areas of the contract share: roles, open enumerations, titles, URIs. Requests follow the
 * document; responses accept any value, because deployments have values that the document does not.
 */
import * as z from 'zod';
import { each } from '../util/data-schema.ts';
import { once } from './once.ts';

/** Known roles, strongest first (API document, "Conventions"). */
export const roles = ['admin', 'create', 'review', 'edit', 'comment', 'read'] as const;

/** A role in a request. */
export const role = once(() => z.enum(roles));

/** "Role or null": null is a guest. */
export const roleOrNull = once(() => role().nullable());

/** Default level of content: a role, null, or `inherit` in deployments that know it. */
export const contentLevel = once(() => z.enum([...roles, 'inherit']).nullable());

/**
 * An enumeration whose values the document does not list: every non-empty string is allowed, and the known values are
 * hints for messages, schemas and completion.
 */
export function openEnum<const T extends readonly string[]>(...known: T) {
  return z
    .string()
    .min(1)
    .meta({ knownValues: [...known] });
}

/** An enumeration whose values the document lists, for manifests. Readers report unlisted values themselves, with the permitted ones. */
export function closedEnum(known: readonly string[]) {
  return z
    .string()
    .min(1)
    .meta({ knownValues: [...known], closed: true });
}

/** True for a schema from `closedEnum`. */
export function isClosed(schema: z.ZodType): boolean {
  return schema.meta()?.closed === true;
}

/** False if the value, or a value in the record, is not one of its closed enumeration. */
export function isListed(schema: z.ZodType, value: unknown): boolean {
  if (schema instanceof z.ZodRecord && typeof value === 'object' && value !== null)
    return Object.values(value).every((inner) => isListed(schema.valueType as z.ZodType, inner));
  return typeof value !== 'string' || !isClosed(schema) || knownValues(schema).includes(value);
}

/** Known values of a schema from `openEnum` or `closedEnum`; otherwise an empty list. */
export function knownValues(schema: z.ZodType): readonly string[] {
  const meta = schema.meta() as { knownValues?: readonly string[] } | undefined;
  return meta?.knownValues ?? [];
}

/** A string in a response. Known values are only hints, even if the document closes the list. */
export function hint<const T extends readonly string[]>(...known: T) {
  return z.string().meta({ knownValues: [...known] });
}

/** Languages of content. */
export const languages =
  'en fr de es it pt pt-br ru ja zh zh-tw yue ko ar hi nl pl tr sv no da fi el cs hu ro th vi id ms he uk sk bg hr lt lv et sl'.split(
    ' ',
  ) as [string, ...string[]];

/** An absolute URI in a request, at most `max` characters. */
export function uri(max?: number) {
  return max === undefined ? z.url() : z.url().max(max);
}

/** A site's visibility in a request (API document, "Site"). */
export const siteVisibilities = ['public', 'unlisted', 'share-link', 'visitor-auth'] as const;

/** Known orders of a list. */
export const sortOrders = once(() => openEnum('asc', 'desc'));

/** Known output formats of a page or comment. */
export const format = once(() => openEnum('document', 'markdown'));

/** Filters of a link list (API document, "Link list response"). */
export const linkStatuses = ['ok', 'broken', 'in-app'] as const;

/** Optional and nullable in a response: everything that the document does not mark as required. */
export function maybe<T extends z.ZodType>(schema: T) {
  return schema.nullish();
}

/** An object of the service as responses show it, with its type and id. */
export function resource<S extends z.ZodRawShape>(object: string, fields: () => S) {
  return once(() => z.looseObject({ object: maybe(hint(object)), id: z.string(), ...fields() }));
}

/** An optional object of URI strings, such as `urls {location, app}`. */
export function urls<const K extends readonly string[]>(...keys: K) {
  return optionalKeys(z.string().nullish(), keys);
}

/** An optional object of booleans, such as `permissions {view, admin}`. */
export function flags<const K extends readonly string[]>(...keys: K) {
  return optionalKeys(z.boolean().nullish(), keys);
}

function optionalKeys<V extends z.ZodType, const K extends readonly string[]>(value: V, keys: K) {
  return z.looseObject(each(value, ...keys)).nullish();
}

/** Optional texts of a response, for the shape of an object. */
export function texts<const K extends readonly string[]>(...keys: K) {
  return each(z.string().nullish(), ...keys);
}

/** Texts by language in a request, except the default language; null removes a text. */
export function localized(longest: number) {
  return z.record(z.string(), z.string().max(longest).nullable());
}

/** A visibility condition in a request. */
export const condition = once(() =>
  z.string().min(1).max(1024).nullable().optional().describe('null removes, omitted leaves unchanged'),
);

/** A position next to a sibling, in a request. */
export function positionBy<T extends z.ZodType>(anchor: T) {
  return z.strictObject({ before: anchor.optional(), after: anchor.optional() });
}

/** Merge rules that need no more than their name. */
export const plainRules = [
  'require_at_least_one_review',
  'require_at_least_one_approved_review',
  'require_all_reviews_approved',
  'require_agent_review',
  'require_up_to_date_change_request',
  'require_change_request_subject',
  'require_change_request_description',
  'require_author_to_merge',
] as const;

/** A merge rule that the API document has, with what it needs. */
export const documentedRule = once(() =>
  z.discriminatedUnion('rule', [
    z.looseObject({ rule: z.enum(plainRules) }),
    z.looseObject({
      rule: z.enum(['require_specific_reviewers', 'require_one_of_specific_reviewers', 'allow_bypass']),
      users: z.array(z.string()),
    }),
    z.looseObject({ rule: z.literal('custom'), expression: z.string() }),
  ]),
);

/** Merge rules in a request: a word, or rules that must all pass. Unknown rules are accepted. */
export function mergeRules(...words: readonly [string, ...string[]]) {
  return z.union([
    z.strictObject({ type: z.enum(words) }),
    z.strictObject({
      type: z.literal('rules'),
      rules: z.array(
        z.looseObject({
          rule: z.string(),
          users: z.array(z.string()).optional(),
          expression: z.string().max(1024).optional(),
          message: z.string().optional(),
        }),
      ),
    }),
  ]);
}
