/** Manifests as a git commit has them, read from the repository itself: no work tree is touched, nothing is checked out. */
import path from 'node:path';
import type { ManifestFiles } from './disk.ts';
import type { Git } from './git.ts';

/** The files of a commit or tree, by the paths that they have in the work tree. Links are skipped. */
export async function gitFiles(git: Git, repository: string, treeish: string): Promise<ManifestFiles> {
  const listing = String(
    await git.run(repository, ['ls-tree', '-r', '-z', '--long', '--full-tree', treeish]),
  );
  const blobs = new Map<string, { readonly oid: string; readonly size: number }>();
  const folders = new Map<string, Map<string, 'file' | 'folder'>>([['', new Map()]]);
  for (const entry of listing.split('\0')) {
    const [, mode = '', oid = '', size = '', name = ''] =
      /^(\d+) blob (\S+)\s+(\d+)\t(.*)$/s.exec(entry) ?? [];
    if (name === '' || mode === '120000') continue;
    blobs.set(name, { oid, size: Number(size) });
    addToFolders(folders, name);
  }
  const inside = (file: string) => path.relative(repository, file).split(path.sep).join('/');
  return {
    type: async (file) =>
      blobs.has(inside(file)) ? 'file' : folders.has(inside(file)) ? 'folder' : 'missing',
    list: async (folder) => [...(folders.get(inside(folder)) ?? [])].map(([name, type]) => ({ name, type })),
    size: async (file) => blobs.get(inside(file))?.size ?? 0,
    read: (file) => git.run(repository, ['cat-file', 'blob', blobs.get(inside(file))?.oid ?? '']),
    real: async (file) => file,
  };
}

function addToFolders(folders: Map<string, Map<string, 'file' | 'folder'>>, name: string): void {
  const parts = name.split('/');
  parts.forEach((part, index) => {
    const folder = parts.slice(0, index).join('/');
    const entries = folders.get(folder) ?? new Map<string, 'file' | 'folder'>();
    entries.set(part, index === parts.length - 1 ? 'file' : 'folder');
    folders.set(folder, entries);
  });
}
