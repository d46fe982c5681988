import { createHash } from 'node:crypto';
import { isNestedDeeper } from '../../../../shared/problems/json-levels.ts';
import { MASK } from '../../../../shared/security/secret-text.ts';
import { maskForm } from './mask-form.ts';
import { maskLines } from './mask-lines.ts';
import { maskXml } from './mask-xml.ts';
import { beforeSecret, hasParts, isNaming, isSecretName, mentionsSecret } from './secret-names.ts';

/** Replacement of a text that cannot be read: it shows neither names nor values. */
export interface OpaqueText {
  /** In bytes. */
  readonly size: number;
  readonly sha256: string;
}

/** Texts within texts that are looked into; one in more of them is hidden. */
const MAX_TEXTS = 8;

/**
 * Masks all members with secret names, and the neighbours of members that name a secret. Texts in it are masked by
 * their own form; of one that has none, and names a secret, nothing is shown behind that name.
 */
export const maskSecrets = (value: unknown): unknown => maskValue(value, 0);

/**
 * A text that was received or sent as it is, with the values of secret names masked: JSON, form fields, XML, or lines
 * of `name: value` and `name=value`. Of any other text its size and hash are shown.
 */
export function maskText(text: string): string | OpaqueText {
  const trimmed = text.trim();
  if (trimmed === '') return text;
  return (
    maskParts(trimmed, 0) ?? {
      size: Buffer.byteLength(text),
      sha256: createHash('sha256').update(text).digest('hex'),
    }
  );
}

/** Where requests of broker clients carry a text of their own. */
const BODIES: ReadonlySet<string> = new Set(['body', 'Detail', 'MessageBody']);

/** A request of a broker client, with the text that it carries masked as any other. */
export function maskRequest(text: string): string | OpaqueText {
  const request = parseJson(text.trim());
  if (typeof request !== 'object' || request === null || Array.isArray(request)) {
    return maskText(text);
  }
  const isBody = ([name, member]: [string, unknown]) =>
    BODIES.has(name) && typeof member === 'string';
  const members = Object.entries(request);
  const shown = members.map((each): [string, unknown] =>
    isBody(each) ? [each[0], maskText(String(each[1]))] : [each[0], maskMember(each, false, 0)],
  );
  return JSON.stringify(Object.fromEntries(shown));
}

function maskValue(value: unknown, texts: number): unknown {
  if (typeof value === 'string') return maskInner(value, texts);
  if (Array.isArray(value)) return maskList(value, texts);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value);
  const isNamed = members.some(([name, member]) => isNaming(name) && namesSecret(member));
  const shown = members.map((each) => [maskName(each[0], texts), maskMember(each, isNamed, texts)]);
  return Object.fromEntries(shown);
}

/** @param isNamed whether a neighbour says that this is secret. */
function maskMember([name, member]: [string, unknown], isNamed: boolean, texts: number): unknown {
  if (typeof member === 'boolean' || member === null) return member;
  return isSecretName(name) || (isNamed && !isNaming(name)) ? MASK : maskValue(member, texts);
}

/** A name may be a text with names and values, as what parsers of other formats leave behind. */
const maskName = (name: string, texts: number): string =>
  hasParts(name) ? maskInner(name, texts) : name;

/** Names and values in turn, as `["authorization", "Bearer ..."]`, are those of a list. */
const maskList = (list: readonly unknown[], texts: number): unknown[] =>
  list.map((value, index) =>
    index > 0 && namesSecret(list[index - 1]) ? MASK : maskValue(value, texts),
  );

/** Whether a value is the name of a secret, also within what is made of it alone, such as `{"S": "password"}`. */
function namesSecret(value: unknown): boolean {
  if (typeof value === 'string') return isSecretName(value);
  if (typeof value !== 'object' || value === null) return false;
  const members = Object.values(value);
  return members.length === 1 && namesSecret(members[0]);
}

/** A text within a text or a payload. */
function maskInner(text: string, texts: number): string {
  if (!mentionsSecret(text)) return text;
  if (texts >= MAX_TEXTS) return MASK;
  const shown = maskParts(text, texts + 1);
  if (shown !== undefined) return shown;
  const before = beforeSecret(text);
  return before === undefined ? text : `${before} ${MASK}`;
}

/** A text by its form; `undefined` when it has none that can be looked into. */
function maskParts(text: string, texts: number): string | undefined {
  const maskPlain = (value: string) => maskPart(value, texts);
  return (
    maskJsonText(text, texts) ??
    maskForm(text, maskPlain) ??
    maskXml(text, maskPlain) ??
    maskLines(text, maskPlain)
  );
}

/** A value of a text: it has names and values of its own as JSON only, and names no secret, whose value is behind it. */
function maskPart(value: string, texts: number): string | undefined {
  const json = maskJsonText(value, texts);
  if (json !== undefined) return json;
  return hasParts(value) || mentionsSecret(value) ? undefined : value;
}

/** A text that is JSON with an object, a list or a text, masked. Of members with one name only the last is left. */
function maskJsonText(text: string, texts: number): string | undefined {
  const value = parseJson(text);
  if (value === undefined) return undefined;
  if (!mentionsSecret(text)) return text;
  return texts >= MAX_TEXTS ? MASK : JSON.stringify(maskValue(value, texts + 1));
}

function parseJson(text: string): unknown {
  if (!/^\s*[[{"]/.test(text) || isNestedDeeper(text)) return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
