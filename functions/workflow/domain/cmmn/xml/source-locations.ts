import type { SourceLocation } from '../basics/problem.ts';
import { markupOf, parseTag } from './markup.ts';

/** An element where it begins, by its name without prefix. */
interface SourceElement extends SourceLocation {
  readonly tag: string;
}

/** Namespaces of models and their diagrams, of every version. */
const MODEL_NAMESPACES = /^http:\/\/www\.omg\.org\/spec\/(?:CMMN|BPMN)\//;

/** Results of a lexical scan of the text. */
export interface SourceScan {
  /** The first element with the id. */
  readonly byId: ReadonlyMap<string, SourceElement>;
  /** Ids that occur more than once, with the second element; extensions have ids of their own. */
  readonly duplicates: ReadonlyMap<string, SourceElement>;
  readonly hasDoctype: boolean;
  /** Deepest nesting of elements. */
  readonly depth: number;
  /** Name and namespace of the outermost element. */
  readonly root?: { readonly localName: string; readonly namespace?: string };
  /** Prefixes by namespace. */
  readonly prefixes: ReadonlyMap<string, readonly string[]>;
  /** How many prefixes of namespaces the text declares; the same one twice counts once. */
  readonly prefixCount: number;
}

/** Scans an XML text for ids and their places, document types, depth and namespaces. */
export function scanSource(xml: string): SourceScan {
  const byId = new Map<string, SourceElement>();
  const duplicates = new Map<string, SourceElement>();
  const namespaces = new Namespaces();
  const locate = locator(xml);
  let hasDoctype = false;
  let level = 0;
  let depth = 0;
  let root: SourceScan['root'];
  for (const { kind, text, start } of markupOf(xml)) {
    if (kind === 'doctype') hasDoctype = true;
    if (kind === 'close') level--;
    if (kind !== 'open') continue;
    const { name, attributes, isEmpty } = parseTag(text);
    depth = Math.max(depth, level + 1);
    if (!isEmpty) level++;
    namespaces.declare(attributes);
    root ??= rootOf(name, namespaces);
    const id = idOf(name, attributes, namespaces);
    const target = id !== undefined && byId.has(id) ? duplicates : byId;
    if (id !== undefined && !target.has(id)) {
      target.set(id, { ...locate(start), tag: name.slice(name.indexOf(':') + 1) });
    }
  }
  const { prefixes, prefixCount } = namespaces;
  return { byId, duplicates, hasDoctype, depth, root, prefixes, prefixCount };
}

/** Namespace prefixes of a text; of several declarations of one prefix the first counts. */
class Namespaces {
  readonly prefixes = new Map<string, string[]>();
  readonly #byPrefix = new Map<string, string>();
  readonly #declared = new Set<string>();

  get prefixCount(): number {
    return this.#declared.size;
  }

  declare(attributes: readonly (readonly [string, string])[]): void {
    for (const [key, namespace] of attributes) {
      if (key !== 'xmlns' && !key.startsWith('xmlns:')) continue;
      const prefix = key.slice('xmlns:'.length);
      const declaration = `${prefix}=${namespace}`;
      if (this.#declared.has(declaration)) continue;
      this.#declared.add(declaration);
      if (!this.#byPrefix.has(prefix)) this.#byPrefix.set(prefix, namespace);
      const known = this.prefixes.get(namespace);
      if (known) known.push(prefix);
      else this.prefixes.set(namespace, [prefix]);
    }
  }

  of(prefix: string): string | undefined {
    return this.#byPrefix.get(prefix);
  }
}

/** The id of an element, unless its prefix means an extension. */
function idOf(
  name: string,
  attributes: readonly (readonly [string, string])[],
  namespaces: Namespaces,
): string | undefined {
  const colon = name.indexOf(':');
  const namespace = colon < 0 ? undefined : namespaces.of(name.slice(0, colon));
  if (namespace !== undefined && !MODEL_NAMESPACES.test(namespace)) return undefined;
  return attributes.find(([key]) => key === 'id')?.[1];
}

function rootOf(name: string, namespaces: Namespaces): SourceScan['root'] {
  const [prefix, localName] = name.includes(':') ? name.split(':') : ['', name];
  return { localName: localName ?? name, namespace: namespaces.of(prefix ?? '') };
}

/** Line and column of an offset; offsets must be asked for in rising order. */
function locator(text: string): (offset: number) => SourceLocation {
  let line = 1;
  let lineStart = 0;
  // Kept, because in a text of one long line every search would go through all of it.
  let lineEnd = text.indexOf('\n');
  return (offset) => {
    while (lineEnd >= 0 && lineEnd < offset) {
      line++;
      lineStart = lineEnd + 1;
      lineEnd = text.indexOf('\n', lineStart);
    }
    return { line, column: offset - lineStart + 1 };
  };
}
