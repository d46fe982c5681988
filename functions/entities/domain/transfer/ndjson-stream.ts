import { problems } from '../../errors.ts';
import type { JsonObject } from '../entity/json.ts';
import { readLine } from './json-lines.ts';
import { checkedUtf8 } from './utf8.ts';

/** Largest line: no larger record can be stored. */
const MAX_LINE_BYTES = 8 * 1_024 * 1_024;
const LINE_FEED = 10;

/**
 * Reads one record from each line of a stream, and where the next line begins.
 * @param from byte of the file that the stream begins with.
 * @throws Problem `IMPORT_INVALID` (400)
 */
export async function* readNdjsonStream(
  bytes: AsyncIterable<Uint8Array>,
  from: number,
): AsyncGenerator<{ body: JsonObject; place: { byte: number } }> {
  let byte = from;
  for await (const line of linesOf(checkedUtf8(bytes))) {
    const start = byte;
    byte += line.length;
    const text = line.toString().trim();
    if (text.replace(/^\ufeff/, '') !== '') {
      yield { body: readLine(text, `at byte ${start}`), place: { byte } };
    }
  }
}

/** Lines with their ends. */
async function* linesOf(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  let begun: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of bytes) {
    let at = 0;
    for (let end = chunk.indexOf(LINE_FEED); end !== -1; end = chunk.indexOf(LINE_FEED, at)) {
      yield Buffer.concat([...begun, chunk.subarray(at, end + 1)]);
      begun = [];
      size = 0;
      at = end + 1;
    }
    begun.push(chunk.subarray(at));
    size += chunk.length - at;
    if (size > MAX_LINE_BYTES) {
      throw problems.importInvalid({ detail: `A line has more than ${MAX_LINE_BYTES} bytes.` });
    }
  }
  if (size > 0) yield Buffer.concat(begun);
}
