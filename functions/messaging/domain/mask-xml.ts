import { MASK, SECRET_NAME } from '../../../shared/security/secret-text.ts';
import { maskPlain } from './plain-value.ts';

const DECLARATION = /^<\?xml [^<>]*\?>/;
const TAG =
  /^<(\/?)([A-Za-z_][\w.:-]*)((?:\s+[A-Za-z_][\w.:-]*\s*=\s*(?:"[^"]*"|'[^']*'))*)\s*(\/?)>$/;
const ATTRIBUTE = /([A-Za-z_][\w.:-]*)(\s*=\s*)("[^"]*"|'[^']*')/g;
/** Attributes that say what the others are about, as in `<property name="password" value="...">`. */
const NAMING = /^(name|key|id)$/i;

interface OpenElement {
  readonly name: string;
  readonly isSecret: boolean;
}

/**
 * XML of elements and attributes with the values of secret names masked; `undefined` for anything else, such as
 * comments, sections and entities.
 */
export function maskXml(text: string): string | undefined {
  if (!text.startsWith('<')) return undefined;
  const [declaration = ''] = DECLARATION.exec(text) ?? [];
  const open: OpenElement[] = [];
  let shown = declaration;
  for (const part of text.slice(declaration.length).split(/(<[^<>]*>)/)) {
    const masked = part.startsWith('<') ? maskTag(part, open) : maskContent(part, open);
    if (masked === undefined) return undefined;
    shown += masked;
  }
  return open.length === 0 ? shown : undefined;
}

function maskContent(content: string, open: readonly OpenElement[]): string | undefined {
  if (content.trim() === '') return content;
  if (open.length === 0) return undefined;
  return open.some(({ isSecret }) => isSecret) ? MASK : maskPlain(content);
}

/** Follows a tag: what it opens is added to `open`, what it closes is taken off. */
function maskTag(tag: string, open: OpenElement[]): string | undefined {
  const [, closes, name = '', attributes = '', isEmpty] = TAG.exec(tag) ?? [];
  if (name === '') return undefined;
  if (closes) return attributes === '' && open.pop()?.name === name ? tag : undefined;
  const isSecret = isSecretName(name) || namesSecret(attributes);
  if (!isEmpty) open.push({ name, isSecret });
  const shown = maskAttributes(attributes, isSecret);
  return shown === undefined ? undefined : `<${name}${shown}${isEmpty}>`;
}

function maskAttributes(attributes: string, ofSecret: boolean): string | undefined {
  let isWhole = true;
  const shown = attributes.replace(
    ATTRIBUTE,
    (whole, name: string, equals: string, value: string) => {
      if (name === 'xmlns' || name.startsWith('xmlns:')) return whole;
      if (isSecretName(name) || (ofSecret && !NAMING.test(name)))
        return `${name}${equals}"${MASK}"`;
      isWhole &&= maskPlain(value.slice(1, -1)) === value.slice(1, -1);
      return whole;
    },
  );
  return isWhole ? shown : undefined;
}

/** Without the prefix of a namespace. */
const isSecretName = (name: string): boolean => SECRET_NAME.test(name.slice(name.indexOf(':') + 1));

function namesSecret(attributes: string): boolean {
  return [...attributes.matchAll(ATTRIBUTE)].some(
    ([, name = '', , value = '']) => NAMING.test(name) && SECRET_NAME.test(value.slice(1, -1)),
  );
}
