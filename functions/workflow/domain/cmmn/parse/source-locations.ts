import { markupOf, parseTag } from './markup.ts';

/** Where an element begins; both count from 1. */
export interface SourceLocation {
  readonly line: number;
  readonly column: number;
}

/** What a scan of the text finds without understanding it. */
export interface SourceScan {
  /** Location of the first element with the id. */
  readonly byId: ReadonlyMap<string, SourceLocation>;
  /** Ids that occur more than once, with the location of the second element. */
  readonly duplicates: ReadonlyMap<string, SourceLocation>;
  readonly hasDoctype: boolean;
  /** Deepest nesting of elements. */
  readonly depth: number;
  /** Name and namespace of the outermost element. */
  readonly root?: { readonly localName: string; readonly namespace?: string };
  /** Prefixes by namespace. */
  readonly prefixes: ReadonlyMap<string, readonly string[]>;
}

/** Scans an XML text for ids and their places, document types, depth and namespaces. */
export function scanSource(xml: string): SourceScan {
  const byId = new Map<string, SourceLocation>();
  const duplicates = new Map<string, SourceLocation>();
  const prefixes = new Map<string, string[]>();
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
    collectNamespaces(attributes, prefixes);
    root ??= rootOf(name, prefixes);
    const id = attributes.find(([key]) => key === 'id')?.[1];
    if (id === undefined) continue;
    const target = byId.has(id) ? duplicates : byId;
    if (!target.has(id)) target.set(id, locate(start));
  }
  return { byId, duplicates, hasDoctype, depth, root, prefixes };
}

function collectNamespaces(
  attributes: readonly (readonly [string, string])[],
  prefixes: Map<string, string[]>,
): void {
  for (const [key, namespace] of attributes) {
    const prefix = /^xmlns(?::(.+))?$/.exec(key);
    if (!prefix) continue;
    const known = prefixes.get(namespace) ?? [];
    prefixes.set(namespace, [...known, prefix[1] ?? '']);
  }
}

function rootOf(
  name: string,
  prefixes: ReadonlyMap<string, readonly string[]>,
): SourceScan['root'] {
  const [prefix, localName] = name.includes(':') ? name.split(':') : ['', name];
  const namespace = [...prefixes].find(([, known]) => known.includes(prefix ?? ''))?.[0];
  return { localName: localName ?? name, namespace };
}

/** Line and column of an offset; offsets must be asked for in rising order. */
function locator(text: string): (offset: number) => SourceLocation {
  let line = 1;
  let lineStart = 0;
  return (offset) => {
    for (let next = text.indexOf('\n', lineStart); next >= 0 && next < offset; ) {
      line++;
      lineStart = next + 1;
      next = text.indexOf('\n', lineStart);
    }
    return { line, column: offset - lineStart + 1 };
  };
}
