import { createHash } from 'node:crypto';

const NAME = /^[\p{L}_][\p{L}\p{N}_]*(?:[.\- ][\p{L}\p{N}_]+)*$/u;
const IDENTIFIER = /^[A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z0-9_]+)*$/;
const RESERVED = ['__proto__', 'prototype', 'constructor'];
const MAX_LENGTH = 100;
/** Most characters of a tag that Word takes. */
const MAX_TAG = 64;
const OWN_TAG = 'svc:mf:';
const EDITOR_TAG = 'merge:';

/** The name of a field as it is shown: composed characters, single spaces. */
export const nameOf = (text: string): string => text.normalize('NFC').trim().replace(/\s+/g, ' ');

/** Form in which names are compared: `Name` and `name` are the same field. */
export const keyOf = (name: string): string => name.toLowerCase();

export const isName = (name: string): boolean =>
  name.length <= MAX_LENGTH &&
  NAME.test(name) &&
  !RESERVED.includes(keyOf(name.split('.', 1)[0] ?? ''));

/** Guillemets are quotation marks in many languages: only these between them are fields unless they are declared. */
export const isIdentifier = (name: string): boolean => IDENTIFIER.test(name) && isName(name);

/** The tag of the control of a field; that of a long name is a digest. */
export function tagOf(name: string): string {
  const tag = `${OWN_TAG}${name}`;
  if (tag.length <= MAX_TAG) return tag;
  return `${OWN_TAG}#${createHash('sha256').update(keyOf(name)).digest('hex').slice(0, 12)}`;
}

/** Whether a control is one of a field: ours, or one that the editor's plugin inserts. */
export const isFieldTag = (tag: string): boolean =>
  tag.startsWith(OWN_TAG) || tag.startsWith(EDITOR_TAG);

/** The name that a tag says; undefined for a digest that is none of the candidates, and for no name. */
export function nameOfTag(tag: string, candidates: readonly string[]): string | undefined {
  const name = nameOf(tag.slice(tag.startsWith(OWN_TAG) ? OWN_TAG.length : EDITOR_TAG.length));
  if (isName(name)) return name;
  return candidates.find((candidate) => isName(candidate) && tagOf(candidate) === tag);
}
