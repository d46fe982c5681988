import { globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path/posix';

/** One source file: its path below the project, its text and what it imports. */
export interface SourceFile {
  readonly path: string;
  readonly text: string;
  /** Files of the project that it imports, types included. */
  readonly files: readonly string[];
  /** Packages and Node modules that it imports. */
  readonly packages: readonly string[];
}

/** Every source file of the project, by path. */
export type CodeBase = ReadonlyMap<string, SourceFile>;

const FOLDERS = ['bin', 'lib', 'functions', 'shared', 'test', 'examples'];
const IMPORT = /(?:\bfrom\s|\bimport\s*\(?|\brequire\.resolve\()\s*'([^'\n]+)'/g;

/** Reads all TypeScript files of the project. @param root folder of the project */
export function readCodeBase(root: string): CodeBase {
  const paths = globSync(`{${FOLDERS.join(',')}}/**/*.ts`, { cwd: root });
  return codeBaseOf(
    Object.fromEntries(
      paths.sort().map((path) => [path, readFileSync(join(root, path), 'utf8')] as const),
    ),
  );
}

/** The code base of these texts by path. */
export function codeBaseOf(texts: Readonly<Record<string, string>>): CodeBase {
  return new Map(
    Object.entries(texts).map(([path, text]) => [path, sourceFile(path, text, texts)] as const),
  );
}

function sourceFile(
  path: string,
  text: string,
  texts: Readonly<Record<string, string>>,
): SourceFile {
  const imported = [...text.matchAll(IMPORT)].map(([, name = '']) => name);
  const files = imported
    .filter((name) => name.startsWith('.'))
    .map((name) => normalize(join(dirname(path), name)))
    .filter((target) => Object.hasOwn(texts, target));
  return {
    path,
    text,
    files: [...new Set(files)],
    packages: imported.filter((name) => !name.startsWith('.')),
  };
}

/** Files that stand for themselves: the top of a module or of `lib` puts its rooms together. */
const COMPOSITION = /^(functions\/[^/]+|examples\/[^/]+|lib)$/;

/**
 * The room of a file: its folder; a file at the top of a module or of `lib` is a room of its own.
 */
export function roomOf(path: string): string {
  const folder = dirname(path);
  return COMPOSITION.test(folder) ? path : folder;
}
