/**
 * Renders a workspace as equivalent manifests without overlays, templates and variables. Secrets and unset variables are written
 * unchanged. Paths of files are relative to the working folder.
 */
import path from 'node:path';
import type { Registry } from '../../kinds/registry.ts';
import type { SourceRange } from '../../util/diagnostic.ts';
import { Secret } from '../../util/secret.ts';
import { type Data, literal } from '../../yaml/data.ts';
import { isBroken, type Located, type LocatedMap } from '../../yaml/located.ts';
import { documentText } from '../../yaml/print.ts';
import { readAs } from '../build/read-value.ts';
import type { Workspace } from '../load-workspace.ts';
import type { MergedOrganization } from '../merge/merge.ts';

export function renderedText({ organizations = [], trees }: Workspace, registry: Registry): string {
  const fileKeys = new Set<SourceRange>();
  for (const { name: kind, fields } of registry.kinds)
    for (const name of Object.keys(fields).filter((one) => fields[one]?.file !== undefined))
      for (const { fieldAt } of trees.flatMap((tree) => tree.ofKind(kind))) {
        const at = fieldAt[`${name}.file`];
        if (at !== undefined) fileKeys.add(at);
      }
  const renderer = new Renderer(fileKeys);
  return organizations.map((one) => documentText(renderer.document(one))).join('---\n');
}

class Renderer {
  readonly #fileKeys: ReadonlySet<SourceRange>;

  constructor(fileKeys: ReadonlySet<SourceRange>) {
    this.#fileKeys = fileKeys;
  }

  document({ content, id }: MergedOrganization): ReadonlyMap<string, Data> {
    const data = new Map<string, Data>([['octavo', 1]]);
    for (const { key, value } of content.entries) {
      if (key === '$schema' || key.startsWith('x-')) continue;
      // Manifests and an overlay may name the organization in different ways.
      const other = id === undefined ? 'id' : 'match';
      const isNamed = key === 'organization' && value.type === 'map';
      const own = isNamed ? { ...value, entries: value.entries.filter((one) => one.key !== other) } : value;
      data.set(key, this.#data(own));
    }
    return data;
  }

  #data(value: Located): Data {
    if (value.type === 'list') return value.items.map((one) => this.#data(one));
    if (value.type === 'map') return this.#mapping(value);
    if (isBroken(value)) return value.unfilled ?? null;
    if (value.value instanceof Secret) return value.value.template;
    return literal(readAs.get(value) ?? value.value);
  }

  #mapping({ entries }: LocatedMap): Data {
    return new Map(
      entries.map(({ key, keyAt, value }) => {
        const isPath =
          this.#fileKeys.has(keyAt) && value.type === 'scalar' && typeof value.value === 'string';
        const own = isPath ? path.posix.join(path.posix.dirname(keyAt.file), String(value.value)) : undefined;
        return [key, own === undefined ? this.#data(value) : literal(own)] as const;
      }),
    );
  }
}
