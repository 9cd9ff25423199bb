/** Describes a kind in a few words, as markdown: parents, identities, cost of a delete. Pure. */
import type { Kind } from './kind.ts';

/** The parents of a kind and the keys that hold it, for example `sections` of site, in order. */
export function placesText({ manifest: { places } }: Kind, kinds: readonly Kind[]): string {
  if (places.length === 0) return 'none (it is the document itself)';
  const noun = (name: string) => kinds.find((kind) => kind.name === name)?.noun ?? name;
  return places
    .map(({ parent, key, ordered }) => `\`${key}\` of ${noun(parent)}${ordered ? ', in order' : ''}`)
    .join('; ');
}

/** How the live counterpart of an object is found. */
export function identitiesText({ identity: { by: identities }, manifest: { key } }: Kind): string {
  const fields = [...new Set(identities.map(({ field }) => field))];
  const natural = key?.is === 'id' ? ['its key, which is its id'] : fields;
  return natural.length === 0 ? 'its parent, which has only one' : ['`id`', ...natural].join(', then ');
}

/** Facts about objects of a kind besides their fields: a sentence each. */
export function kindFacts(kind: Kind, kinds: readonly Kind[]): readonly string[] {
  return [
    `Parent: ${placesText(kind, kinds)}.`,
    `Matched by: ${identitiesText(kind)}.`,
    ...(kind.deletion.protected === true
      ? ['Protected against deletion, unless the manifests lift the protection.']
      : []),
    ...(kind.deletion.cost === undefined || kind.calls.delete === undefined
      ? []
      : [`When it is deleted: ${kind.deletion.cost}.`]),
    ...(kind.calls.delete === undefined ? ['Cannot be deleted through the API.'] : []),
  ];
}
