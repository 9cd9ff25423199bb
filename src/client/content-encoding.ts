import { promisify } from 'node:util';

/** The body does not match its declared encoding, or is too large. */
export class EncodingError extends Error {
  override readonly name = 'EncodingError';
}

export const acceptedEncoding = 'gzip';

/**
 * Returns the decompressed body.
 *
 * @throws EncodingError if it cannot be decompressed, or exceeds `maxBytes` afterwards. The message ends a sentence.
 */
export async function decodeBody(body: Uint8Array, encoding: string, maxBytes: number): Promise<Uint8Array> {
  const name = encoding.trim().toLowerCase().slice(0, 40);
  // An empty response may also name an encoding.
  if (name === '' || name === 'identity' || body.byteLength === 0) return body;
  if (name !== 'gzip' && name !== 'x-gzip')
    throw new EncodingError(
      `the response has the content encoding ${JSON.stringify(name)}, which was not requested`,
    );
  // Imported only if needed: most local services do not compress.
  const { gunzip } = await import('node:zlib');
  try {
    return await promisify<Uint8Array, { maxOutputLength: number }, Buffer>(gunzip)(body, {
      maxOutputLength: maxBytes,
    });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE')
      throw new EncodingError(`the response is larger than ${Math.round(maxBytes / 2 ** 20)} MiB`);
    throw new EncodingError('the response is marked as gzip and cannot be decompressed');
  }
}
