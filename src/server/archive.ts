/** Reads zip archives from memory, bounded in entries and in what they unpack to. */
import { inflateRawSync } from 'node:zlib';

const maxEntries = 1000;
const maxUnpacked = 20 * 1024 * 1024;

/** A file in an archive. */
export interface ArchiveEntry {
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** The files of an archive, without folders; undefined where it is none, is damaged, or unpacks to too much. */
export function unzip(bytes: Uint8Array): ArchiveEntry[] | undefined {
  const data = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  try {
    return entriesOf(data);
  } catch {
    return undefined;
  }
}

function entriesOf(data: Buffer): ArchiveEntry[] | undefined {
  const end = data.lastIndexOf(Buffer.from([0x50, 0x4b, 5, 6]));
  if (end === -1) return undefined;
  const count = data.readUInt16LE(end + 10);
  if (count > maxEntries) return undefined;
  let at = data.readUInt32LE(end + 16);
  let unpacked = 0;
  const entries: ArchiveEntry[] = [];
  for (let index = 0; index < count; index += 1) {
    if (data.readUInt32LE(at) !== 0x02014b50) return undefined;
    const nameLength = data.readUInt16LE(at + 28);
    const name = data.toString('utf8', at + 46, at + 46 + nameLength);
    const content = contentAt(data, at, maxUnpacked - unpacked);
    if (content === undefined) return undefined;
    unpacked += content.length;
    if (!name.endsWith('/')) entries.push({ name, bytes: content });
    at += 46 + nameLength + data.readUInt16LE(at + 30) + data.readUInt16LE(at + 32);
  }
  return entries;
}

/** The content of the entry whose central header stands at `at`. */
function contentAt(data: Buffer, at: number, room: number): Buffer | undefined {
  const method = data.readUInt16LE(at + 10);
  const packed = data.readUInt32LE(at + 20);
  const local = data.readUInt32LE(at + 42);
  if (data.readUInt32LE(local) !== 0x04034b50) return undefined;
  const start = local + 30 + data.readUInt16LE(local + 26) + data.readUInt16LE(local + 28);
  const content = data.subarray(start, start + packed);
  if (method === 0) return content.length <= room ? content : undefined;
  if (method !== 8) return undefined;
  return room <= 0 ? undefined : inflateRawSync(content, { maxOutputLength: room });
}
