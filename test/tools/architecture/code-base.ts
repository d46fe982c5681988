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

/**
 * Gives the room of each file: its folder, when that holds files only. A file beside folders is a room of its own: it
 * puts the rooms together, or is what all of them share.
 */
export function roomsOf(code: CodeBase): (path: string) => string {
  const folders = new Set([...code.keys()].map((path) => dirname(path)));
  const withRooms = new Set([...folders].flatMap((folder) => parentsOf(folder)));
  return (path) => (withRooms.has(dirname(path)) ? path : dirname(path));
}

function parentsOf(folder: string): string[] {
  const parents: string[] = [];
  for (let parent = dirname(folder); parent !== '.'; parent = dirname(parent)) parents.push(parent);
  return parents;
}
