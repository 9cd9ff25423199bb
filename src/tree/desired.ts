import type { z } from 'zod';
import type { SourceRange } from '../util/diagnostic.ts';
import type { desiredNodeSchema } from './desired-schema.ts';

export type DesiredNode = z.infer<ReturnType<typeof desiredNodeSchema>> & {
  /** Each field, and each entry of it as `field.key`. */
  readonly fieldAt: Readonly<Record<string, SourceRange>>;
  /** The id is not the manifest's: an earlier plan found the object live. */
  readonly isPinnedByPlan?: true;
};

/** While it is made. */
export type DesiredDraft = { -readonly [Key in keyof DesiredNode]: DesiredNode[Key] };

/** The manifest pins the live object, or declares it new. A `was` that names nothing tells nothing. */
export function isToldApart({ id, isNew }: DesiredNode): boolean {
  return id !== undefined || isNew === true;
}

export const rootAddress = 'organization';
