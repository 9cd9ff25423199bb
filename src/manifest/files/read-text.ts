/** Reads text files. Returns failures, so that the caller can report them at the right place. */
import { systemReason } from '../../util/user-error.ts';
import type { ManifestFiles } from './disk.ts';

export interface Unreadable {
  readonly code: 'file-too-large' | 'not-text' | 'not-utf8' | 'unreadable';
  readonly message: string;
  readonly suggestion: string;
  /** Position of the first invalid byte, counted in characters. */
  readonly line: number;
  readonly column: number;
}

const maxFileBytes = 5 * 1024 * 1024;

/** Strips a byte-order mark. `name`: the path as messages show it. */
export async function readUtf8(
  file: string,
  name: string,
  files: ManifestFiles,
): Promise<string | Unreadable> {
  const start = { line: 1, column: 1 };
  let bytes: Uint8Array;
  try {
    const size = await files.size(file);
    if (size > maxFileBytes) {
      return {
        code: 'file-too-large',
        message: `${name} is too large: ${Math.ceil(size / 1048576)} MiB, at most 5 MiB`,
        suggestion: 'split it into several files, or move it out of the folder',
        ...start,
      };
    }
    bytes = await files.read(file);
  } catch (error) {
    return {
      code: 'unreadable',
      message: `${name} cannot be read: ${reasonOf(error)}`,
      suggestion: systemReason(error) === undefined ? 'move it into that folder' : 'check its permissions',
      ...start,
    };
  }
  const isUtf16 = (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff);
  if (bytes.includes(0) && !isUtf16) {
    return {
      code: 'not-text',
      message: `${name} is not a text file`,
      suggestion: 'move it out of the folder, or rename it',
      ...start,
    };
  }
  try {
    const text = decode(bytes);
    if (!text.startsWith('version https://git-lfs.github.com/')) return text;
    return {
      code: 'not-text',
      message: `${name} is stored with Git LFS: this is a pointer, not the file itself`,
      suggestion:
        'fetch the file (git lfs pull; in GitHub Actions, lfs: true), or keep it in git without LFS',
      ...start,
    };
  } catch {
    return {
      code: 'not-utf8',
      message: isUtf16 ? `${name} is UTF-16, not UTF-8` : `${name} is not valid UTF-8 from here on`,
      suggestion: 'save the file as UTF-8',
      ...(isUtf16 ? start : firstWrong(bytes)),
    };
  }
}

function decode(bytes: Uint8Array): string {
  return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
}

function firstWrong(bytes: Uint8Array): { readonly line: number; readonly column: number } {
  let line = 1;
  for (let start = 0; start < bytes.length; line += 1) {
    const lineBreak = bytes.indexOf(0x0a, start);
    const end = lineBreak < 0 ? bytes.length : lineBreak + 1;
    try {
      decode(bytes.subarray(start, end));
    } catch {
      // Both decoders agree up to the first invalid byte, which becomes U+FFFD; valid UTF-8 may also contain U+FFFD.
      const lenient = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes.subarray(start, end));
      const own = new TextEncoder();
      let column = 0;
      for (let at = lenient.indexOf('\uFFFD'); at >= 0; at = lenient.indexOf('\uFFFD', at + 1)) {
        column = at + 1;
        const before = start + own.encode(lenient.slice(0, at)).length;
        if (bytes[before] !== 0xef || bytes[before + 1] !== 0xbf || bytes[before + 2] !== 0xbd) break;
      }
      return { line, column: Math.max(1, column) };
    }
    start = end;
  }
  return { line: 1, column: 1 };
}

export function reasonOf(error: unknown): string {
  const code = (error as { code?: unknown } | null)?.code;
  const known: Readonly<Record<string, string>> = {
    ENOENT: 'it does not exist',
    EACCES: 'permission denied',
    EPERM: 'permission denied',
    EISDIR: 'it is a folder',
    ELOOP: 'its links form a loop',
    ENAMETOOLONG: 'its name is too long',
    EMFILE: 'too many files are open',
  };
  if (typeof code === 'string') return known[code] ?? code;
  return error instanceof Error ? error.message : String(error);
}
