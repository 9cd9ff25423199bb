/** The text of an overlay that pins ids: a new one, or an existing one with more ids; comments stay. Pure. */
import { type Document, isMap, parseAllDocuments, stringify } from 'yaml';
import { yamlOptions } from './parse.ts';

/** The ids of one organization, by the keys that lead to their objects. */
export interface OrganizationPins {
  /** As documents name it: an id, or what it is matched by. */
  readonly organization: string | { readonly match: Readonly<Record<string, string>> };
  readonly pins: readonly { readonly keys: readonly string[]; readonly id: string }[];
}

/** A new overlay, one document for each organization. */
export function newOverlay(name: string, organizations: readonly OrganizationPins[]): string {
  return organizations
    .map(({ organization, pins }) => {
      const document = { octavo: 1, overlay: name, organization, ...nested(pins) };
      return stringify(document, { lineWidth: 0 });
    })
    .join('---\n');
}

/**
 * The text with more ids, in the document of their organization or in a new one at the end. Undefined where an entry of
 * the overlay is no mapping that an id could be added to.
 */
export function extendOverlay(
  text: string,
  name: string,
  organizations: readonly OrganizationPins[],
): string | undefined {
  const documents = parseAllDocuments(text, yamlOptions);
  if (!Array.isArray(documents)) return newOverlay(name, organizations);
  let result = '';
  const added: OrganizationPins[] = [];
  for (const one of organizations) {
    const document = documents.find((other) => isAbout(other, one, organizations.length));
    if (document === undefined) added.push(one);
    else if (!addPins(document, one)) return undefined;
  }
  for (const document of documents) result += document.toString({ lineWidth: 0 });
  if (added.length === 0) return result;
  return `${result}${result.endsWith('\n') ? '' : '\n'}---\n${newOverlay(name, added)}`;
}

function isAbout(document: Document, { organization }: OrganizationPins, count: number): boolean {
  const plain: unknown = document.toJS();
  const own = (plain as { organization?: unknown } | null)?.organization;
  if (own === undefined) return count === 1;
  const wanted = typeof organization === 'string' ? { id: organization } : organization;
  const found = typeof own === 'string' ? { id: own } : (own as Readonly<Record<string, unknown>>);
  return Object.entries(wanted).every(([key, value]) => JSON.stringify(found[key]) === JSON.stringify(value));
}

function addPins(document: Document, { pins }: OrganizationPins): boolean {
  for (const { keys, id } of pins) {
    for (let depth = 1; depth <= keys.length; depth += 1) {
      const path = keys.slice(0, depth);
      const found = document.getIn(path, true);
      if (found === undefined) document.setIn(path, document.createNode({}));
      else if (!isMap(found)) return false;
    }
    document.setIn([...keys, 'id'], id);
  }
  return true;
}

function nested(pins: OrganizationPins['pins']): Record<string, unknown> {
  const root: Record<string, unknown> = {};
  for (const { keys, id } of pins) {
    let inner = root;
    for (const key of keys) {
      inner[key] ??= {};
      inner = inner[key] as Record<string, unknown>;
    }
    inner.id = id;
  }
  return root;
}
