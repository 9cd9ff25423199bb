/** What manifests declare: objects with their fields and lifecycle, each with its place in the files. */
import type { z } from 'zod';
import type { SourceRange } from '../util/diagnostic.ts';
import type { desiredNodeSchema } from './desired-schema.ts';

/** One object that the manifests declare. */
export type DesiredNode = z.infer<ReturnType<typeof desiredNodeSchema>> & {
  /** Where each field is, and each entry of it as `field.key`. */
  readonly fieldAt: Readonly<Record<string, SourceRange>>;
};

/** True when the manifest itself says which live object it is, or that it is none: there is nothing to guess. */
export function isToldApart({ id, was, isNew }: DesiredNode): boolean {
  return id !== undefined || was.length > 0 || isNew === true;
}

/** Address of the organization itself. */
export const rootAddress = 'organization';
