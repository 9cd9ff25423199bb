/** The file system behind an interface, so that manifests can also be read from git or memory. */
import { promises as fs, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { isOutside } from './paths.ts';

type PathType = 'file' | 'folder' | 'other' | 'missing';

/** Paths are absolute. */
export interface ManifestFiles {
  type(file: string): Promise<PathType>;
  /** Absent if links do not exist. */
  isLink?(file: string): Promise<boolean>;
  list(folder: string): Promise<readonly { readonly name: string; readonly type: PathType }[]>;
  size(file: string): Promise<number>;
  read(file: string): Promise<Uint8Array>;
  real(file: string): Promise<string>;
}

export const disk: ManifestFiles = {
  async type(file) {
    try {
      return typeOf(await fs.stat(file));
    } catch {
      return 'missing';
    }
  },
  isLink: async (file) => (await fs.lstat(file).catch(() => undefined))?.isSymbolicLink() === true,
  async list(folder) {
    const entries = await fs.readdir(folder, { withFileTypes: true });
    return Promise.all(
      entries.map(async (entry) => ({
        name: entry.name,
        type: entry.isSymbolicLink() ? await this.type(path.join(folder, entry.name)) : typeOf(entry),
      })),
    );
  },
  // Small files are read ten times faster without threads.
  size: async (file) => statSync(file).size,
  read: async (file) => readFileSync(file),
  real: (file) => fs.realpath(file),
};

/** Restricts reads to files inside a folder, even through links. */
export function within(folder: string, files: ManifestFiles): ManifestFiles {
  return {
    ...files,
    read: async (file) => {
      if (!isOutside(await files.real(folder), await files.real(file))) return files.read(file);
      throw new Error(`it is outside of ${folder}`);
    },
  };
}

export function withTexts(files: ManifestFiles, texts: ReadonlyMap<string, string>): ManifestFiles {
  const bytesOf = (file: string) => {
    const text = texts.get(file);
    return text === undefined ? undefined : new TextEncoder().encode(text);
  };
  return {
    ...files,
    type: async (file) => (texts.has(file) ? 'file' : files.type(file)),
    list: async (folder) => {
      const listed = await files.list(folder);
      const added = [...texts.keys()]
        .filter((file) => path.dirname(file) === folder)
        .map((file) => path.basename(file))
        .filter((name) => !listed.some((entry) => entry.name === name));
      return [...listed, ...added.map((name) => ({ name, type: 'file' as const }))];
    },
    size: async (file) => bytesOf(file)?.length ?? files.size(file),
    read: async (file) => bytesOf(file) ?? files.read(file),
  };
}

function typeOf(entry: { isFile(): boolean; isDirectory(): boolean }): PathType {
  if (entry.isFile()) return 'file';
  return entry.isDirectory() ? 'folder' : 'other';
}
