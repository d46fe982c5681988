import { createHash } from 'node:crypto';
import { MASK, SECRET_NAME } from '../../../shared/security/secret-text.ts';
import { maskJsonText } from './mask-secrets.ts';
import { maskXml } from './mask-xml.ts';
import { maskPlain } from './plain-value.ts';

/** What is shown of a text that nobody can look into: neither names nor values. */
export interface OpaqueText {
  /** In bytes. */
  readonly size: number;
  readonly sha256: string;
}

/**
 * A text that was received or sent as it is, with the values of secret names masked: JSON, form fields, XML, or lines
 * of `name: value` and `name=value`. Of any other text its size and hash are shown.
 */
export function maskText(text: string): string | OpaqueText {
  const trimmed = text.trim();
  if (trimmed === '') return text;
  return (
    maskJsonText(trimmed) ??
    maskForm(trimmed) ??
    maskXml(trimmed) ??
    maskLines(trimmed) ?? {
      size: Buffer.byteLength(text),
      sha256: createHash('sha256').update(text).digest('hex'),
    }
  );
}

/** Where requests of broker clients carry a text of their own. */
const BODIES: ReadonlySet<string> = new Set(['body', 'Detail', 'MessageBody']);

/** A request of a broker client, with the text that it carries masked as well. */
export function maskRequest(text: string): unknown {
  const masked = maskJsonText(text.trim());
  if (masked === undefined) return maskText(text);
  const request: unknown = JSON.parse(masked);
  if (typeof request !== 'object' || request === null || Array.isArray(request)) return masked;
  const shown = Object.entries(request).map(([name, member]) => [
    name,
    BODIES.has(name) && typeof member === 'string' ? maskText(member) : member,
  ]);
  return JSON.stringify(Object.fromEntries(shown));
}

const FORM = /^[^\s=&<>{}]+=[^\s=&<>{}]*(?:&[^\s=&<>{}]+=[^\s=&<>{}]*)*$/;

/** @see WHATWG URL, application/x-www-form-urlencoded */
function maskForm(text: string): string | undefined {
  if (!FORM.test(text)) return undefined;
  return joined(text.split('&').map(maskField), '&');
}

function maskField(field: string): string | undefined {
  const [name = '', value = ''] = field.split('=');
  if (SECRET_NAME.test(decode(name))) return `${name}=${MASK}`;
  const plain = decode(value);
  const shown = maskPlain(plain);
  if (shown === undefined) return undefined;
  return `${name}=${shown === plain ? value : encodeURIComponent(shown)}`;
}

const LINE = /^(\s*["']?)([\w.-]+)(["']?\s*[:=]\s*)(.*)$/;

function maskLines(text: string): string | undefined {
  return joined(text.split(/\r?\n/).map(maskLine), '\n');
}

function maskLine(line: string): string | undefined {
  if (line.trim() === '') return line;
  const [, indent = '', name = '', separator = '', value = ''] = LINE.exec(line) ?? [];
  if (name === '') return undefined;
  const shown = SECRET_NAME.test(name) ? MASK : maskPlain(value);
  return shown === undefined ? undefined : indent + name + separator + shown;
}

const joined = (parts: readonly (string | undefined)[], separator: string): string | undefined =>
  parts.includes(undefined) ? undefined : parts.join(separator);

const decode = (text: string): string => {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text;
  }
};
