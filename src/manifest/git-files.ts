/** Manifests as a git commit has them, read from the repository itself: no work tree is touched, nothing is checked out. */
import path from 'node:path';
import type { ManifestFiles } from './disk.ts';
import { type Git, GitError } from './git.ts';

/** Files of a commit or tree, until they are closed. */
export interface GitFiles extends ManifestFiles {
  /** Ends the process that reads them. */
  close(): void;
}

/** The files of a commit or tree, by the paths that they have in the work tree. Links are skipped. */
export async function gitFiles(git: Git, repository: string, treeish: string): Promise<GitFiles> {
  const listing = String(
    await git.run(repository, ['ls-tree', '-r', '-z', '--long', '--full-tree', treeish]),
  );
  const blobs = new Map<string, { readonly oid: string; readonly size: number }>();
  const folders = new Map<string, Map<string, 'file' | 'folder'>>([['', new Map()]]);
  for (const entry of listing.split('\0')) {
    const [, mode = '', oid = '', size = '', name = ''] =
      /^(\d+) blob (\S+)\s+(\S+)\t(.*)$/s.exec(entry) ?? [];
    if (name === '' || mode === '120000') continue;
    // The size of an object that is missing is BAD: reading it says so.
    blobs.set(name, { oid, size: Number(size) || 0 });
    addToFolders(folders, name);
  }
  const contents = git.blobs(repository);
  const inside = (file: string) => path.relative(repository, file).split(path.sep).join('/');
  return {
    type: async (file) =>
      blobs.has(inside(file)) ? 'file' : folders.has(inside(file)) ? 'folder' : 'missing',
    list: async (folder) => [...(folders.get(inside(folder)) ?? [])].map(([name, type]) => ({ name, type })),
    size: async (file) => blobs.get(inside(file))?.size ?? 0,
    read: async (file) => {
      const blob = blobs.get(inside(file));
      if (blob === undefined) throw new GitError('it does not exist');
      return contents.read(blob.oid);
    },
    real: async (file) => file,
    close: () => contents.close(),
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
