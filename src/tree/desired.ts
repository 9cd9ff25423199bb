import type { z } from 'zod';
import type { SourceRange } from '../util/diagnostic.ts';
import { holdsSecret } from '../util/secret.ts';
import type { desiredNodeSchema } from './desired-schema.ts';

export type DesiredNode = z.infer<ReturnType<typeof desiredNodeSchema>> & {
  /** Each field, and each entry of it as `field.key`. */
  readonly fieldAt: Readonly<Record<string, SourceRange>>;
  /** The id is not the manifest's: an earlier plan found the object live. */
  readonly isPinnedByPlan?: true;
};

/** While it is made. */
export type DesiredDraft = { -readonly [Key in keyof DesiredNode]: DesiredNode[Key] };

/** The manifest pins the live object, or declares it new. A `was` that names nothing does not count. */
export function isToldApart({ id, isNew }: DesiredNode): boolean {
  return id !== undefined || isNew === true;
}

/** Also a field that a narrowed tree left out, or whose secret is not set. */
export function writesSecret(node: DesiredNode | undefined, name: string): boolean {
  return holdsSecret(node?.fields[name]) || node?.inputs?.[name]?.includes('${secret:') === true;
}

export function secretsOf(node: DesiredNode | undefined): readonly string[] {
  return Object.keys({ ...node?.fields, ...node?.inputs }).filter((name) => writesSecret(node, name));
}

export const rootAddress = 'organization';
