/** Reads the contents of files that fields name: `{ file: specs/petstore.yaml }`. Their text is not interpolated. */
import { createHash } from 'node:crypto';
import type { NamedFile } from '../../kinds/parts/field.ts';
import type { Registry } from '../../kinds/registry.ts';
import type { DesiredNode } from '../../tree/desired.ts';
import type { DesiredTree } from '../../tree/desired-tree.ts';
import { FileText } from '../../util/file-text.ts';
import { isRecord } from '../../util/json.ts';
import { plainOf } from '../../yaml/located.ts';
import type { Problems } from '../../yaml/problems.ts';
import type { Includes, IncludingFile } from './includes.ts';

export interface NamedFiles {
  readonly registry: Registry;
  readonly includes: Includes;
  readonly problems: Problems;
  /** Manifests, keyed by name in diagnostics. Paths are relative to them. */
  readonly manifests: ReadonlyMap<string, IncludingFile>;
}

/** Omits a field whose file cannot be used, and reports the problem. */
export async function takeInFiles(tree: DesiredTree, reading: NamedFiles): Promise<DesiredTree> {
  const found = reading.registry.kinds.flatMap((kind) =>
    Object.entries(kind.fields).flatMap(([name, { file }]) =>
      file === undefined ? [] : tree.ofKind(kind.name).map((node) => ({ node, name, file })),
    ),
  );
  const nodes = new Map(tree.nodes);
  for (const { node, name, file } of found) {
    const path = pathIn(node, name);
    if (path === undefined) continue;
    const { address } = node;
    const { [name]: _path, ...others } = nodes.get(address)?.fields ?? {};
    const value = await taken({ node, name, path, file }, reading);
    nodes.set(address, { ...node, fields: value === undefined ? others : { ...others, [name]: value } });
  }
  return found.length === 0 ? tree : tree.with({ nodes });
}

function pathIn({ fields }: DesiredNode, name: string): string | undefined {
  const value = fields[name];
  return isRecord(value) && typeof value.file === 'string' ? value.file : undefined;
}

interface Named {
  readonly node: DesiredNode;
  readonly name: string;
  readonly path: string;
  readonly file: NamedFile;
}

async function taken({ node, name, path, file }: Named, { includes, problems, manifests }: NamedFiles) {
  const { address } = node;
  const at = node.fieldAt[`${name}.file`] ?? node.fieldAt[name] ?? node.at;
  const from = manifests.get(at.file) ?? includes.opened(at.file);
  if (from === undefined) return undefined;
  const inclusion = { path, at, from, trail: [from.path] };
  const read = await includes.document(inclusion);
  if (read === undefined) return undefined;
  const { text } = read.file;
  const sha256 = createHash('sha256').update(text).digest('hex');
  const value = file.read(new FileText({ file: read.file.name, sha256 }, () => text), plainOf(read.value));
  if (value === undefined) {
    problems.error('value', `${read.file.name} is not ${file.is}`, at, {
      address,
      suggestion: 'name the file of the document itself',
    });
  }
  return value;
}
