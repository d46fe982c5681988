import type { Attributes, AttributeValue } from '../attribute-value.ts';
import { invalid } from '../errors.ts';
import { RESERVED_WORDS } from './reserved-words.ts';
import type { Scope } from './scope.ts';
import type { TokenReader } from './tokens.ts';

/** A document path: the attribute, then names of map members and places in lists. */
export type Path = readonly [string, ...(string | number)[]];

/** Reads `a.#b[2].c`. */
export function parsePath(reader: TokenReader, scope: Scope): Path {
  const path: [string, ...(string | number)[]] = [parseName(reader, scope)];
  for (;;) {
    if (reader.accept('.')) path.push(parseName(reader, scope));
    else if (reader.accept('[')) {
      if (reader.peek().kind !== 'number') throw reader.syntaxError();
      path.push(Number(reader.take().text));
      reader.expect(']');
    } else return path;
  }
}

function parseName(reader: TokenReader, scope: Scope): string {
  const { kind, text } = reader.peek();
  if (kind !== 'name' && kind !== 'word') throw reader.syntaxError();
  if (kind === 'word' && RESERVED_WORDS.has(text.toUpperCase())) {
    throw invalid(
      `Invalid ${reader.parameter}: Attribute name is a reserved keyword; reserved keyword: ${text}`,
    );
  }
  reader.take();
  return kind === 'name' ? scope.name(text, reader.parameter) : text;
}

/** The value at a path; `undefined` when there is none. */
export function valueAt(item: Attributes, [first, ...rest]: Path): AttributeValue | undefined {
  return rest.reduce<AttributeValue | undefined>(
    (value, step) => (typeof step === 'number' ? value?.L?.[step] : ownMember(value?.M, step)),
    ownMember(item, first),
  );
}

function ownMember(map: Attributes | undefined, name: string): AttributeValue | undefined {
  return map && Object.hasOwn(map, name) ? map[name] : undefined;
}

/** Refuses paths of which one is another or lies inside it. */
export function checkNoOverlap(paths: readonly Path[], parameter: string): void {
  paths.forEach((one, index) => {
    for (const other of paths.slice(index + 1)) {
      const [short, long] = one.length <= other.length ? [one, other] : [other, one];
      const differs = short.findIndex((step, i) => step !== long[i]);
      if (differs === -1) {
        throw invalid(
          `Invalid ${parameter}: Two document paths overlap with each other; must remove or rewrite one of these paths; path one: ${show(one)}, path two: ${show(other)}`,
        );
      }
      if (typeof short[differs] !== typeof long[differs]) {
        throw invalid(
          `Invalid ${parameter}: Two document paths conflict with each other; must remove or rewrite one of these paths; path one: ${show(one)}, path two: ${show(other)}`,
        );
      }
    }
  });
}

const show = (path: Path): string =>
  `[${path.map((step) => (typeof step === 'number' ? `[${step}]` : step)).join(', ')}]`;
