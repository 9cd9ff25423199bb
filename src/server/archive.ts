/** Reads zip archives from memory, bounded in entries and in what they unpack to. */
import { Unzip, type UnzipFile, UnzipInflate } from 'fflate';

const maxEntries = 1000;
const maxUnpacked = 20 * 1024 * 1024;

/** Bytes that are unpacked at once: what a header says of sizes is not believed, so limits are checked in between. */
const pieceLength = 4096;

/** A file in an archive. */
export interface ArchiveEntry {
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** The files of an archive, without folders; undefined where it is none, is damaged, or unpacks to too much. */
export function unzip(bytes: Uint8Array): ArchiveEntry[] | undefined {
  const unpacking = new Unpacking();
  try {
    for (let at = 0; at < bytes.length; at += pieceLength) {
      unpacking.push(bytes.subarray(at, at + pieceLength), { isLast: at + pieceLength >= bytes.length });
    }
    return unpacking.finish();
  } catch {
    return undefined;
  }
}

/** An archive as it is unpacked. Throws as soon as it is damaged or goes beyond a limit. */
class Unpacking {
  readonly #stream = new Unzip((file) => this.#open(file));
  readonly #files: { readonly name: string; readonly pieces: Uint8Array[]; isWhole: boolean }[] = [];
  #unpacked = 0;

  constructor() {
    this.#stream.register(UnzipInflate);
  }

  push(piece: Uint8Array, { isLast }: { readonly isLast: boolean }): void {
    this.#stream.push(piece, isLast);
  }

  finish(): ArchiveEntry[] {
    if (this.#files.length === 0 || this.#files.some(({ isWhole }) => !isWhole)) throw new Error('damaged');
    return this.#files
      .filter(({ name }) => !name.endsWith('/'))
      .map(({ name, pieces }) => ({ name, bytes: Buffer.concat(pieces) }));
  }

  #open(file: UnzipFile): void {
    if (this.#files.length === maxEntries) throw new Error('too many entries');
    const entry = { name: file.name, pieces: [] as Uint8Array[], isWhole: false };
    this.#files.push(entry);
    file.ondata = (error, piece, isLast) => {
      if (error !== null) throw error;
      this.#unpacked += piece.length;
      if (this.#unpacked > maxUnpacked) throw new Error('unpacks to too much');
      entry.pieces.push(piece);
      entry.isWhole = isLast;
    };
    file.start();
  }
}
