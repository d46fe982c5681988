/** The parser's expectation: a value, a value or the end of a list, a name or the end of an object, a name, a colon, or a comma or end. */
type Expected = 'value' | 'firstValue' | 'firstName' | 'name' | 'colon' | 'more';

const SPACE = /[\t\n\r ]*/y;
const TOKEN = /[{}[\],:]|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;
/** A part of a string, of a length for which the matcher has room whatever is in it. */
const STRING_PART = /(?:[^"\\\p{Cc}]|[\u007f-\u009f]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4})){1,10000}/uy;

/**
 * Offset of the first unexpected token of a text that is not JSON, or the length of the text when
 * it ends too early; `undefined` for valid JSON.
 * @see RFC 8259, section 2
 */
export function findJsonError(text: string): number | undefined {
  const open: string[] = [];
  let expected: Expected = 'value';
  let at = 0;
  for (;;) {
    at = endOf(SPACE, text, at) ?? at;
    if (at === text.length) return expected === 'more' && open.length === 0 ? undefined : at;
    const end = text[at] === '"' ? endOfString(text, at) : endOf(TOKEN, text, at);
    if (end === undefined) return at;
    const next = follow(text[at] ?? '', expected, open);
    if (next === undefined) return at;
    expected = next;
    at = end;
  }
}

/** The expectation after a token, by its first character; `undefined`: unexpected token. */
function follow(token: string, expected: Expected, open: string[]): Expected | undefined {
  switch (token) {
    case ':':
      return expected === 'colon' ? 'value' : undefined;
    case ',':
      return expected === 'more' ? nextIn(open.at(-1)) : undefined;
    case ']':
      return closes('[', expected === 'firstValue' || expected === 'more', open);
    case '}':
      return closes('{', expected === 'firstName' || expected === 'more', open);
    default:
      return followValue(token, expected, open);
  }
}

function nextIn(bracket: string | undefined): Expected | undefined {
  if (bracket === undefined) return undefined;
  return bracket === '{' ? 'name' : 'value';
}

function closes(bracket: string, isComplete: boolean, open: string[]): Expected | undefined {
  if (!isComplete || open.at(-1) !== bracket) return undefined;
  open.pop();
  return 'more';
}

function followValue(token: string, expected: Expected, open: string[]): Expected | undefined {
  if (expected === 'name' || expected === 'firstName') return token === '"' ? 'colon' : undefined;
  if (expected !== 'value' && expected !== 'firstValue') return undefined;
  if (token !== '{' && token !== '[') return 'more';
  open.push(token);
  return token === '{' ? 'firstName' : 'firstValue';
}

function endOfString(text: string, at: number): number | undefined {
  let end = at + 1;
  for (;;) {
    const next = endOf(STRING_PART, text, end);
    if (next === undefined) return text[end] === '"' ? end + 1 : undefined;
    end = next;
  }
}

function endOf(pattern: RegExp, text: string, at: number): number | undefined {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : undefined;
}

/**
 * Describes the first syntax error of a JSON text: `The body is not valid JSON: unexpected "}" at line 2, column 7.`
 * @param subject what the text is; one that is a single line has no line numbers.
 */
export function describeJsonError(
  text: string,
  { subject = 'The body', isLine = false }: { subject?: string; isLine?: boolean } = {},
): string {
  const at = findJsonError(text);
  if (at === undefined) return `${subject} is not valid JSON.`;
  const lines = text.slice(0, at).split('\n');
  const column = `column ${(lines.at(-1)?.length ?? 0) + 1}`;
  const place = isLine ? column : `line ${lines.length}, ${column}`;
  const found = String.fromCodePoint(text.codePointAt(at) ?? 0);
  return at === text.length
    ? `${subject} is not valid JSON: it ends too early at ${place}.`
    : `${subject} is not valid JSON: unexpected ${JSON.stringify(found)} at ${place}.`;
}
