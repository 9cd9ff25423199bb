import type { z } from 'zod';
import type { SourceRange } from '../util/diagnostic.ts';
import { holdsSecret } from '../util/secret.ts';
import type { desiredNodeSchema } from './desired-schema.ts';

export type DesiredNode = z.infer<ReturnType<typeof desiredNodeSchema>> & {
  /** Place of each field, and of each entry as `field.key`. */
  readonly fieldAt: Readonly<Record<string, SourceRange>>;
  /** Address in the base, if only the key changed. */
  readonly formerly?: string;
};

/** Mutable while it is built. */
export type DesiredDraft = { -readonly [Key in keyof DesiredNode]: DesiredNode[Key] };

/** The id of the live object, as the manifest or an earlier plan says it. */
export function idIn({ id, knownId }: Pick<DesiredNode, 'id' | 'knownId'>): string | undefined {
  return id ?? knownId;
}

/** True if the live object is known by its id, or declared new. An unmatched `was` does not count. */
export function isIdentified(node: DesiredNode): boolean {
  return idIn(node) !== undefined || node.isNew === true;
}

/** True even for a field that a narrowed tree omits, or whose secret is not set. */
export function writesSecret(node: DesiredNode | undefined, name: string): boolean {
  return holdsSecret(node?.fields[name]) || node?.inputs?.[name]?.includes('${secret:') === true;
}

export function secretsOf(node: DesiredNode | undefined): readonly string[] {
  return Object.keys({ ...node?.fields, ...node?.inputs }).filter((name) => writesSecret(node, name));
}

export const rootAddress = 'organization';
