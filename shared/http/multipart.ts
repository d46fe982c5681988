import type { Readable } from 'node:stream';
import { Busboy, type BusboyEvents, type BusboyInstance } from '@fastify/busboy';
import { httpProblems } from '../problems/http-problems.ts';
import type { FilePart, FileRules } from './form.ts';

/** Limits of a form, in addition to that of the whole body. */
export const FORM_LIMITS = {
  /** Characters of a name. */
  nameLength: 100,
  /** Bytes of a text. */
  textBytes: 65_536,
  texts: 50,
  files: 10,
} as const;

/** Parts of a form by name; a name that is sent several times has a list. */
export type FormParts = Readonly<Record<string, string | FilePart | readonly unknown[]>>;

type AddPart = (name: string | undefined, value: string | FilePart) => void;

/**
 * Reads a body of multipart/form-data.
 * @param contentType with the boundary.
 * @param files rules of the files that the route declares; other files are limited by the body size only.
 * @throws Problem `INVALID_MULTIPART` (400), `PAYLOAD_TOO_LARGE` (413) and `UNSUPPORTED_MEDIA_TYPE` (415), naming the part.
 * @see RFC 7578
 */
export async function readMultipart(
  bytes: Buffer,
  contentType: string,
  files: ReadonlyMap<string, FileRules> = new Map(),
): Promise<FormParts> {
  const parts = new Map<string, (string | FilePart)[]>();
  const add: AddPart = (name, value) => {
    // The parser also emits parts without a name.
    if (!name) throw malformed(new Error('A part has no name'));
    if (name.length > FORM_LIMITS.nameLength) {
      throw tooMany('', `The name of a part has more than ${FORM_LIMITS.nameLength} characters`);
    }
    parts.set(name, [...(parts.get(name) ?? []), value]);
  };
  await parse(bytes, contentType, files, add);
  return Object.fromEntries(
    [...parts].map(([name, [first = '', ...more]]) => [
      name,
      more.length === 0 ? first : [first, ...more],
    ]),
  );
}

function parse(
  bytes: Buffer,
  contentType: string,
  files: ReadonlyMap<string, FileRules>,
  add: AddPart,
): Promise<void> {
  return new Promise((resolve, reject) => {
    /** An exception in an event listener would end the process. */
    const safely =
      <A extends unknown[]>(work: (...args: A) => void) =>
      (...args: A): void => {
        try {
          work(...args);
        } catch (error) {
          reject(error);
        }
      };
    const parser = open(contentType);
    const decoded = checkEncoding(bytes);
    let seen = 0;
    const onText: BusboyEvents['field'] = (name, text, _isNameCut, isCut) => {
      seen += 1;
      add(decoded(name), decoded(wholeText(name, text, isCut)));
    };
    const onFile: BusboyEvents['file'] = (name, stream, fileName, _encoding, type) => {
      seen += 1;
      const rules = files.get(decoded(name));
      decoded(fileName ?? '');
      const onContent = (content: Buffer): void => {
        const file = { fileName: fileName ?? '', contentType: type, bytes: content };
        add(name, checkedFile(name, file, rules));
      };
      collect(stream, rules?.maxBytes ?? bytes.length, safely(onContent));
    };
    parser.on('field', safely(onText));
    parser.on('file', safely(onFile));
    parser.once('fieldsLimit', () => reject(tooMany('', `More than ${FORM_LIMITS.texts} texts`)));
    parser.once('filesLimit', () => reject(tooMany('', `More than ${FORM_LIMITS.files} files`)));
    parser.once('error', (cause: unknown) => reject(malformed(cause)));
    parser.once('finish', () => {
      const isWhole = seen === countParts(bytes, contentType);
      return isWhole ? resolve() : reject(malformed(new Error(UNREADABLE_PART)));
    });
    try {
      parser.end(bytes);
    } catch (cause) {
      // The parser throws on some headers instead of rejecting them.
      reject(malformed(cause));
    }
  });
}

const UNREADABLE_PART =
  'A part has no Content-Disposition of form-data with a name and a file name of one line, among at most 20 headers of 16 KB';

/** The parser leaves out parts whose headers it cannot read: this counts those that were sent. */
function countParts(bytes: Buffer, contentType: string): number {
  const [, quoted, plain] = /;\s*boundary=(?:"([^"]*)"|([^;\s]*))/i.exec(contentType) ?? [];
  const delimiter = Buffer.from(`\r\n--${quoted ?? plain ?? ''}`);
  const text = Buffer.concat([Buffer.from('\r\n'), bytes]);
  let count = 0;
  for (let at = text.indexOf(delimiter); at >= 0; at = text.indexOf(delimiter, at)) {
    at += delimiter.length;
    if (text.subarray(at, at + 2).equals(END)) return count;
    count += 1;
  }
  return count;
}

const END = Buffer.from('--');

/** Texts that are not in their encoding arrive with replacement characters or half of a surrogate pair. */
function checkEncoding(bytes: Buffer): (text: string) => string {
  const replacement = '\uFFFD';
  return (text = '') => {
    const isWhole =
      text.isWellFormed() && (!text.includes(replacement) || bytes.includes(replacement));
    if (isWhole) return text;
    throw malformed(new Error('A text or a name is not UTF-8'));
  };
}

function open(contentType: string): BusboyInstance {
  try {
    return new Busboy({
      headers: { 'content-type': contentType },
      limits: {
        fieldSize: FORM_LIMITS.textBytes,
        fields: FORM_LIMITS.texts,
        files: FORM_LIMITS.files,
        headerPairs: 20,
        headerSize: 16_384,
      },
    });
  } catch (cause) {
    throw malformed(cause);
  }
}

/** Returns the content, cut after the first byte beyond the limit: the rules then reject it as too long. */
function collect(stream: Readable, maxBytes: number, done: (content: Buffer) => void): void {
  const chunks: Buffer[] = [];
  let size = 0;
  stream.on('data', (chunk: Buffer) => {
    if (size <= maxBytes) chunks.push(chunk);
    size += chunk.length;
  });
  stream.once('end', () => done(Buffer.concat(chunks)));
  // The parser reports the same.
  stream.once('error', () => undefined);
}

function wholeText(name: string, text: string, isCut: boolean): string {
  if (!isCut) return text;
  throw tooMany(name, `must have at most ${FORM_LIMITS.textBytes} bytes`);
}

function checkedFile(name: string, file: FilePart, rules: FileRules | undefined): FilePart {
  if (!rules) return file;
  const { maxBytes, types } = rules;
  if (file.bytes.length > maxBytes)
    throw tooMany(name, `must have at most ${maxBytes} bytes`, maxBytes);
  if (!types || types.includes(file.contentType)) return file;
  const detail = `must be ${types.join(' or ')}, not ${file.contentType.slice(0, 80)}`;
  throw httpProblems.unsupportedMediaType(
    { accepted: types },
    { errors: [{ pointer: pointerTo(name), code: 'UNSUPPORTED_MEDIA_TYPE', detail }] },
  );
}

function tooMany(name: string, rule: string, maxBytes?: number): Error {
  return httpProblems.payloadTooLarge(
    { maxBytes: maxBytes ?? 0 },
    {
      detail: `The form is too large: ${name ? `${name.slice(0, 80)} ` : ''}${rule}.`,
      errors: [{ pointer: pointerTo(name), code: 'TOO_LARGE', detail: rule }],
      extensions: maxBytes === undefined ? {} : { maxBytes },
    },
  );
}

function malformed(cause: unknown): Error {
  const reason =
    cause instanceof TypeError || !(cause instanceof Error)
      ? 'Its headers cannot be read'
      : cause.message.slice(0, 200);
  return httpProblems.invalidMultipart({ detail: `The form breaks RFC 7578: ${reason}.`, cause });
}

/** @see RFC 6901, section 3 */
const pointerTo = (name: string): string =>
  name === '' ? '' : `/${name.slice(0, 100).replace(/~/g, '~0').replace(/\//g, '~1')}`;
