/** Sample keys of objects, for examples. Pure. */
import type { Kind } from './kind.ts';

/** A name, or a sample of the field that the key is. */
export function sampleKeyOf({ manifest: { key }, name, fields }: Kind): string {
  const field = key?.is === 'field' ? fields[key.field] : undefined;
  if (field !== undefined) return String(field.example);
  return key?.is === 'id' ? `${dashed(name)}-id` : `my-${dashed(name)}`;
}

function dashed(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
