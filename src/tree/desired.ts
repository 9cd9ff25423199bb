import type { z } from 'zod';
import type { SourceRange } from '../util/diagnostic.ts';
import { holdsSecret } from '../util/secret.ts';
import type { desiredNodeSchema } from './desired-schema.ts';

export type DesiredNode = z.infer<ReturnType<typeof desiredNodeSchema>> & {
  /** Place of each field, and of each entry as `field.key`. */
  readonly fieldAt: Readonly<Record<string, SourceRange>>;
  /** Address in the base, if only the key changed. */
  readonly formerly?: string;
  /** The id is from an earlier plan that found the live object, not from the manifest. */
  readonly isPinnedByPlan?: true;
};

/** Mutable while it is built. */
export type DesiredDraft = { -readonly [Key in keyof DesiredNode]: DesiredNode[Key] };

/** True if the manifest pins the live object, or declares it new. An unmatched `was` does not count. */
export function isIdentified({ id, isNew }: DesiredNode): boolean {
  return id !== undefined || isNew === true;
}

/** True even for a field that a narrowed tree omits, or whose secret is not set. */
export function writesSecret(node: DesiredNode | undefined, name: string): boolean {
  return holdsSecret(node?.fields[name]) || node?.inputs?.[name]?.includes('${secret:') === true;
}

export function secretsOf(node: DesiredNode | undefined): readonly string[] {
  return Object.keys({ ...node?.fields, ...node?.inputs }).filter((name) => writesSecret(node, name));
}

export const rootAddress = 'organization';
