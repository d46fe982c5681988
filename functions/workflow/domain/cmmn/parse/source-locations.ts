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

const MARKUP =
  /<!--[\s\S]*?-->|<!\[CDATA\[[\s\S]*?\]\]>|<\?[\s\S]*?\?>|<!DOCTYPE|<\/[^>]*>|<[\p{L}_](?:[^>"']|"[^"]*"|'[^']*')*>/giu;
const ID = /\sid\s*=\s*(?:"([^"]*)"|'([^']*)')/;
const NAMESPACE = /\sxmlns(?::([\w.-]+))?\s*=\s*(?:"([^"]*)"|'([^']*)')/g;

/** Scans an XML text for ids and their places, document types, depth and namespaces. Linear in its length. */
export function scanSource(xml: string): SourceScan {
  const byId = new Map<string, SourceLocation>();
  const duplicates = new Map<string, SourceLocation>();
  const prefixes = new Map<string, string[]>();
  const locate = locator(xml);
  let hasDoctype = false;
  let level = 0;
  let depth = 0;
  let root: SourceScan['root'];
  for (const { 0: markup, index } of xml.matchAll(MARKUP)) {
    if (/^<!DOCTYPE/i.test(markup)) hasDoctype = true;
    level += levelChange(markup);
    if (/^<[!?/]/.test(markup)) continue;
    depth = Math.max(depth, markup.endsWith('/>') ? level + 1 : level);
    collectNamespaces(markup, prefixes);
    root ??= rootOf(markup, prefixes);
    const value = idOf(markup);
    if (value === undefined) continue;
    const target = byId.has(value) ? duplicates : byId;
    if (!target.has(value)) target.set(value, locate(index));
  }
  return { byId, duplicates, hasDoctype, depth, root, prefixes };
}

function levelChange(markup: string): number {
  if (markup.startsWith('</')) return -1;
  return /^<[!?]/.test(markup) || markup.endsWith('/>') ? 0 : 1;
}

function idOf(markup: string): string | undefined {
  const match = ID.exec(markup);
  return match?.[1] ?? match?.[2];
}

function collectNamespaces(markup: string, prefixes: Map<string, string[]>): void {
  if (!markup.includes('xmlns')) return;
  for (const [, prefix = '', double, single] of markup.matchAll(NAMESPACE)) {
    const namespace = double ?? single ?? '';
    prefixes.set(namespace, [...(prefixes.get(namespace) ?? []), prefix]);
  }
}

function rootOf(
  markup: string,
  prefixes: ReadonlyMap<string, readonly string[]>,
): SourceScan['root'] {
  const name = /^<([^\s/>]+)/.exec(markup)?.[1] ?? '';
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
