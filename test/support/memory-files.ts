/** Files in memory, so that a test can count their reads. */
import path from 'node:path';
import type { ManifestFiles } from '../../src/manifest/files/disk.ts';

/** Texts by absolute path, and their folders. */
export function memoryFiles(texts: Readonly<Record<string, string>>): ManifestFiles {
  const files = new Map(Object.entries(texts));
  const folders = new Map<string, Set<string>>();
  for (const file of files.keys()) {
    for (let at = file; at !== path.dirname(at); at = path.dirname(at)) {
      const inside = folders.get(path.dirname(at)) ?? new Set<string>();
      folders.set(path.dirname(at), inside.add(at));
    }
  }
  const bytes = (file: string) => new TextEncoder().encode(files.get(file) ?? '');
  const typeOf = (file: string) => (files.has(file) ? 'file' : folders.has(file) ? 'folder' : 'missing');
  return {
    type: async (file) => typeOf(file),
    list: async (folder) =>
      [...(folders.get(folder) ?? [])].map((file) => ({ name: path.basename(file), type: typeOf(file) })),
    size: async (file) => bytes(file).length,
    read: async (file) => bytes(file),
    real: async (file) => file,
  };
}
