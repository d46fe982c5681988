import type { SourceLocation } from '../basics/problem.ts';
import { markupOf, parseTag } from './markup.ts';

/** An element where it begins, by its name without prefix. */
interface SourceElement extends SourceLocation {
  readonly tag: string;
}

const CMMN_NAMESPACES = 'http://www.omg.org/spec/CMMN/';

/** What a scan of the text finds without understanding it. */
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
}

/** Scans an XML text for ids and their places, document types, depth and namespaces. */
export function scanSource(xml: string): SourceScan {
  const byId = new Map<string, SourceElement>();
  const duplicates = new Map<string, SourceElement>();
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
    const id = idOf(name, attributes, prefixes);
    const target = id !== undefined && byId.has(id) ? duplicates : byId;
    if (id !== undefined && !target.has(id)) {
      target.set(id, { ...locate(start), tag: name.slice(name.indexOf(':') + 1) });
    }
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
    const known = prefixes.get(namespace);
    if (known) known.push(prefix[1] ?? '');
    else prefixes.set(namespace, [prefix[1] ?? '']);
  }
}

/** The id of an element, unless its prefix means an extension. */
function idOf(
  name: string,
  attributes: readonly (readonly [string, string])[],
  prefixes: ReadonlyMap<string, readonly string[]>,
): string | undefined {
  const colon = name.indexOf(':');
  const namespace = colon < 0 ? undefined : namespaceOf(name.slice(0, colon), prefixes);
  if (namespace !== undefined && !namespace.startsWith(CMMN_NAMESPACES)) return undefined;
  return attributes.find(([key]) => key === 'id')?.[1];
}

const namespaceOf = (
  prefix: string,
  prefixes: ReadonlyMap<string, readonly string[]>,
): string | undefined => [...prefixes].find(([, known]) => known.includes(prefix))?.[0];

function rootOf(
  name: string,
  prefixes: ReadonlyMap<string, readonly string[]>,
): SourceScan['root'] {
  const [prefix, localName] = name.includes(':') ? name.split(':') : ['', name];
  return { localName: localName ?? name, namespace: namespaceOf(prefix ?? '', prefixes) };
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
