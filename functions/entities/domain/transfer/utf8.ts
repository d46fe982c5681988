import { problems } from '../../errors.ts';

/** Passes on valid UTF-8. @throws Problem `IMPORT_INVALID` (400) at the first invalid byte */
export async function* checkedUtf8(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  try {
    for await (const chunk of bytes) {
      decoder.decode(chunk, { stream: true });
      yield chunk;
    }
    decoder.decode();
  } catch (cause) {
    if (!(cause instanceof TypeError)) throw cause;
    throw notUtf8(cause);
  }
}

/** The text of a file. @throws Problem `IMPORT_INVALID` (400) */
export function readUtf8(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    throw notUtf8(cause);
  }
}

const notUtf8 = (cause: unknown): Error =>
  problems.importInvalid({ detail: 'The file is not UTF-8.' }, { cause });
