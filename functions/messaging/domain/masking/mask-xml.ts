import { MASK } from '../../../../shared/security/secret-text.ts';
import { hasParts, isNaming, isSecretName } from './secret-names.ts';

const DECLARATION = /^<\?xml [^<>]*\?>/;
const TAG =
  /^<(\/?)([A-Za-z_][\w.:-]*)((?:\s+[A-Za-z_][\w.:-]*\s*=\s*(?:"[^"]*"|'[^']*'))*)\s*(\/?)>$/;
const ATTRIBUTE = /([A-Za-z_][\w.:-]*)(\s*=\s*)("[^"]*"|'[^']*')/g;

type MaskValue = (value: string) => string | undefined;

interface OpenElement {
  readonly name: string;
  readonly isSecret: boolean;
}

/**
 * XML of elements and attributes with the values of secret names masked; `undefined` for anything else, such as
 * comments, sections and entities.
 * @param maskValue masks a value; `undefined`: it cannot be read.
 */
export function maskXml(text: string, maskValue: MaskValue): string | undefined {
  if (!text.startsWith('<')) return undefined;
  const [declaration = ''] = DECLARATION.exec(text) ?? [];
  const open: OpenElement[] = [];
  let shown = declaration;
  for (const part of text.slice(declaration.length).split(/(<[^<>]*>)/)) {
    const masked = part.startsWith('<')
      ? maskTag(part, open, maskValue)
      : maskContent(part, open, maskValue);
    if (masked === undefined) return undefined;
    shown += masked;
  }
  return open.length === 0 ? shown : undefined;
}

function maskContent(
  content: string,
  open: readonly OpenElement[],
  maskValue: MaskValue,
): string | undefined {
  if (content.trim() === '') return content;
  if (open.length === 0) return undefined;
  return open.some(({ isSecret }) => isSecret) ? MASK : maskValue(content);
}

/** Follows a tag: what it opens is added to `open`, what it closes is taken off. */
function maskTag(tag: string, open: OpenElement[], maskValue: MaskValue): string | undefined {
  const [, closes, name = '', attributes = '', isEmpty] = TAG.exec(tag) ?? [];
  if (name === '') return undefined;
  if (closes) return attributes === '' && open.pop()?.name === name ? tag : undefined;
  const isSecret = isSecretName(local(name)) || namesSecret(attributes);
  if (!isEmpty) open.push({ name, isSecret });
  const shown = maskAttributes(attributes, isSecret, maskValue);
  return shown === undefined ? undefined : `<${name}${shown}${isEmpty}>`;
}

function maskAttributes(
  attributes: string,
  ofSecret: boolean,
  maskValue: MaskValue,
): string | undefined {
  let isWhole = true;
  const shown = attributes.replace(
    ATTRIBUTE,
    (whole, name: string, equals: string, value: string) => {
      if (name === 'xmlns' || name.startsWith('xmlns:')) return whole;
      const isName = isNaming(name);
      if (isSecretName(local(name)) || (ofSecret && !isName)) return `${name}${equals}"${MASK}"`;
      const text = value.slice(1, -1);
      isWhole &&= isName && ofSecret ? !hasParts(text) : maskValue(text) === text;
      return whole;
    },
  );
  return isWhole ? shown : undefined;
}

/** A name without the prefix of its namespace. */
const local = (name: string): string => name.slice(name.indexOf(':') + 1);

function namesSecret(attributes: string): boolean {
  return [...attributes.matchAll(ATTRIBUTE)].some(
    ([, name = '', , value = '']) => isNaming(name) && isSecretName(value.slice(1, -1)),
  );
}
