import { SECRET_NAME } from '../../../../shared/security/secret-text.ts';

/** Members and attributes that name what a neighbour holds, as in `{"name": "password", "value": "..."}`. */
const NAMING =
  /(?:^|[a-z_\-@:.])(?:name|key|id|field|header|param|parameter|property|attribute|variable|option)$/i;
const COOKIES = /cookies?$/i;
/** What holds a name of a secret somewhere. */
const MENTION =
  /secret|passw(?:or)?d|token|credential|private[-_. ]?key|api[-_. ]?key|authorization|cookie/i;
/** A character that is written otherwise: of an address, of a string in a program, of markup. */
const ENCODED = /%[0-9a-f]{2}|\\u[0-9a-f]{4}|\\x[0-9a-f]{2}|&#(?:x[0-9a-f]+|\d+);?/i;
const MAX_DECODINGS = 5;
/** What may be a list of names and values again, markup, or an address with a password. */
const HAS_PARTS = /[<>{}[\]=;&\\]|[\w.-]["']?\s*:/;

/**
 * Whether a value is secret by its name: also that of a list (`tokens`, `password[]`, `apiKey2`) or of a member of
 * something secret (`credentials[user]`). `password.min-length` is none.
 */
export function isSecretName(name: string): boolean {
  const plain = decoded(name) ?? name;
  return plain.split(/[[\]/]+/).some((part) => {
    const core = part.replace(/[^A-Za-z]+$/, '').replace(/^[^A-Za-z]+/, '');
    return (
      SECRET_NAME.test(core) || SECRET_NAME.test(core.replace(/s$/i, '')) || COOKIES.test(core)
    );
  });
}

/** Whether the value of a member or an attribute names what its neighbours hold. */
export const isNaming = (name: string): boolean => NAMING.test(name);

/** Whether a text may hold the name of a secret, however it is written. */
export function mentionsSecret(text: string): boolean {
  const plain = decoded(text);
  return plain === undefined || MENTION.test(plain);
}

/** Whether a value within a text may hold names and values of its own. */
export function hasParts(value: string): boolean {
  const plain = decoded(value);
  return plain === undefined || HAS_PARTS.test(plain);
}

/** What of a text stands before anything that may be a secret; `undefined`: there is none behind. */
export function beforeSecret(text: string): string | undefined {
  const [mention] = new RegExp(`(?:${MENTION.source})[a-z]*`, 'i').exec(text) ?? [''];
  const found = mention === '' ? text.length : text.indexOf(mention) + mention.length;
  const end = Math.min(found, encodedAt(text));
  return /[\p{L}\p{N}]/u.test(text.slice(end)) ? text.slice(0, end) : undefined;
}

function encodedAt(text: string): number {
  const at = text.search(ENCODED);
  return at < 0 ? text.length : at;
}

/** A text with its encoded characters as they are; `undefined` when they are encoded again and again. */
function decoded(text: string): string | undefined {
  let plain = text;
  for (let i = 0; i < MAX_DECODINGS && ENCODED.test(plain); i += 1) plain = decodeOnce(plain);
  return ENCODED.test(plain) ? undefined : plain;
}

const decodeOnce = (text: string): string =>
  text
    .replace(/(?:%[0-9a-f]{2})+/gi, (bytes) =>
      Buffer.from(bytes.replaceAll('%', ''), 'hex').toString(),
    )
    .replace(/\\+u([0-9a-f]{4})|\\+x([0-9a-f]{2})/gi, (_, unit: string, byte: string) =>
      String.fromCharCode(Number.parseInt(unit ?? byte, 16)),
    )
    .replace(/&#(?:x([0-9a-f]{1,6})|(\d{1,7}));?/gi, (_, hex: string, number: string) =>
      characterOf(hex === undefined ? Number(number) : Number.parseInt(hex, 16)),
    );

const characterOf = (code: number): string =>
  code <= 0x10_ff_ff ? String.fromCodePoint(code) : '?';
