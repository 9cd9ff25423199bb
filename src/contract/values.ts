/**
 * Value types that several areas of the contract share: roles, open enumerations, titles, URIs. Requests are held to
 * the document; responses accept whatever the service says, since deployments know values that the document does not.
 */
import { z } from 'zod';

/** Known roles, weakest last (API document, "Conventions"). */
export const roles = ['admin', 'create', 'review', 'edit', 'comment', 'read'] as const;

/** A role as a request may hold it. */
export const role = z.enum(roles);

/** "Role or null": null stands for a guest. */
export const roleOrNull = role.nullable();

/** Level of content by default: a role, null, or `inherit` where deployments know it. */
export const contentLevel = z.enum([...roles, 'inherit']).nullable();

/**
 * An enumeration whose values the document does not list: any non-empty string is allowed, and the known values are
 * kept as hints for messages, schemas and completion.
 */
export function openEnum<const T extends readonly string[]>(...known: T) {
  return z
    .string()
    .min(1)
    .meta({ knownValues: [...known] });
}

/** A string that a response gives, whatever its value: enumerations grow, and unknown values must survive. */
export const anyString = z.string();

/** Known values of an open enumeration made with `openEnum`, or an empty list. */
export function knownValues(schema: z.ZodType): readonly string[] {
  const meta = schema.meta() as { knownValues?: readonly string[] } | undefined;
  return meta?.knownValues ?? [];
}
