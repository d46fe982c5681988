import { create } from 'content-disposition';
import { shownName } from '../primitives/shown-name.ts';

/** Letters that Unicode does not decompose into a base letter and marks. */
const BASE_LETTERS: Readonly<Record<string, string>> = { đ: 'd', Đ: 'D' };
const MAX_NAME_LENGTH = 200;

/**
 * Builds a `Content-Disposition` header for any file name: UTF-8 in `filename*`, ASCII in `filename` for
 * older clients. Control characters and folders are removed from the name.
 * @see RFC 6266, section 4.3; RFC 8187
 */
export function contentDisposition(fileName: string, isInline = false): string {
  const name = plainName(fileName);
  return create(name, { type: isInline ? 'inline' : 'attachment', fallback: toAscii(name) });
}

function plainName(fileName: string): string {
  const visible = shownName(fileName, MAX_NAME_LENGTH);
  return /^\.*$/.test(visible) ? 'file' : visible;
}

function toAscii(name: string): string {
  return name
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .replace(/[\u0111\u0110]/g, (letter) => BASE_LETTERS[letter] ?? letter)
    .replace(/[^\x20-\x7e]/g, '_')
    .replace(/["%\\]/g, '_');
}
