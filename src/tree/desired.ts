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

/** The manifest identifies the live object (`id`, `was`), or declares it new: there is nothing to guess. */
export function isToldApart({ id, was, isNew }: DesiredNode): boolean {
  return id !== undefined || was.length > 0 || isNew === true;
}

export const rootAddress = 'organization';
