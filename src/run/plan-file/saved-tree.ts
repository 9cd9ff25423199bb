/** Trees as saved plans and journals hold them. */
import { createHash } from 'node:crypto';
import type { SavedTree } from '../../tree/desired-schema.ts';
import { DesiredTree } from '../../tree/desired-tree.ts';
import { FileText } from '../../util/file-text.ts';
import { isRecord, mapInside } from '../../util/json.ts';
import { type Filled, Secret } from '../../util/secret.ts';
import { userError } from '../../util/user-error.ts';
import { readText } from '../read-file.ts';

/** Omits the places of single fields, which only errors in manifests need. */
export function saveTree({ data: { nodes, expiring: _soon, omitted: _lines, ...tree } }: DesiredTree) {
  return {
    ...tree,
    nodes: [...nodes.values()].map(({ fieldAt: _places, ...node }) => node),
  };
}

/** Sources of content that is not in the plan file. */
interface Fill {
  readonly secret: (template: string) => Filled;
  /** Folder that file names are relative to; absent if no request needs their text. */
  readonly cwd?: string;
}

export function openTree(saved: SavedTree, fill: Fill): DesiredTree {
  const { nodes, ...tree } = reviveSecrets(saved, fill);
  const entries = nodes.map((node) => [node.address, { ...node, fieldAt: {} }] as const);
  return new DesiredTree({ ...tree, nodes: new Map(entries) });
}

/** Turns `{ $secret: template }` into secrets, and `{ $file, sha256 }` into texts of files, wherever a string may be. */
export function reviveSecrets<T>(value: T, { secret, cwd = '' }: Fill): T {
  const revived = (one: unknown): unknown => {
    const { $secret: template, ...rest } = isRecord(one) ? one : {};
    const { $file: file, sha256 } = rest;
    if (typeof file === 'string' && typeof sha256 === 'string')
      return new FileText({ file, sha256 }, () => sameText(cwd, { file, sha256 }));
    if (typeof template !== 'string' || Object.keys(rest).length > 0) return mapInside(one, revived);
    const { text, secrets } = secret(template);
    return new Secret(template, text, secrets);
  };
  return revived(value) as T;
}

/** Plans do not contain texts of files, so those must not have changed since the plan was made. */
function sameText(cwd: string, { file, sha256 }: Pick<FileText, 'file' | 'sha256'>): string {
  const text = readText(cwd, file).replace(/^\uFEFF/, '');
  if (createHash('sha256').update(text).digest('hex') === sha256) return text;
  throw userError('plan-file', `${file} is not the file that the plan was made with`, 'plan again');
}
