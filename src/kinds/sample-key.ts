/** Keys that objects could have, for examples and skeletons. Pure. */
import type { Kind } from './kind.ts';

/** A key of an object of a kind: a name, or what the key stands for. */
export function sampleKeyOf({ key, name, fields }: Kind): string {
  const field = key?.is === 'field' ? fields[key.field] : undefined;
  if (field !== undefined) return String(field.example);
  return key?.is === 'id' ? `${dashed(name)}-id` : `my-${dashed(name)}`;
}

function dashed(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
