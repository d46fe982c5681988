import { type FSWatcher, watch } from 'node:fs';
import { join, sep } from 'node:path';
import { printFailure } from '../terminal/output.ts';

/** What has to happen after a change: new code only, or a new stack as well. */
export type ChangeKind = 'code' | 'stack';

const watchedFolders = ['functions', 'shared', 'lib', 'bin'];
const watchedFiles = ['cdk.json', 'package.json'];
/** Editors write in several steps. */
const settleMs = 15;

const stackPaths = [
  /^lib\//,
  // The host declares listeners, and each of them has a queue.
  /^bin\//,
  /^cdk\.json$/,
  /^package\.json$/,
  /^shared\/config\//,
  /^functions\/[^/]+\/listeners\.ts$/,
];
const ignoredPaths = [/^bin\/dev\//, /(^|\/)\.[^/]+$/, /~$/, /\.(tmp|swp|md)$/];

/** Tells what a changed file calls for; undefined when nothing. `path` is relative to the project, with slashes. */
export function changeKind(path: string): ChangeKind | undefined {
  if (ignoredPaths.some((pattern) => pattern.test(path))) return undefined;
  return stackPaths.some((pattern) => pattern.test(path)) ? 'stack' : 'code';
}

/**
 * Watches the sources and reports changes, those of a moment together. Changes that come while `onChange` works are
 * reported after it.
 * @returns a function that stops watching.
 */
export function watchSources(
  root: string,
  onChange: (kind: ChangeKind, paths: readonly string[]) => Promise<void>,
): () => void {
  const changed = new Map<string, ChangeKind>();
  let timer: NodeJS.Timeout | undefined;
  let isWorking = false;
  const flush = async (): Promise<void> => {
    if (isWorking || changed.size === 0) return;
    isWorking = true;
    const paths = [...changed.keys()];
    const kind = [...changed.values()].includes('stack') ? 'stack' : 'code';
    changed.clear();
    try {
      await onChange(kind, paths);
    } finally {
      isWorking = false;
    }
    await flush();
  };
  const note = (path: string): void => {
    const kind = changeKind(path);
    if (!kind) return;
    changed.set(path, kind);
    clearTimeout(timer);
    timer = setTimeout(() => void flush().catch(printFailure), settleMs);
  };
  const watchers = [
    ...watchedFolders.map((folder) => watchFolder(root, folder, note)),
    watchFiles(root, note),
  ];
  return () => {
    clearTimeout(timer);
    for (const watcher of watchers) watcher.close();
  };
}

function watchFolder(root: string, folder: string, note: (path: string) => void): FSWatcher {
  return watch(join(root, folder), { recursive: true }, (_event, name) => {
    if (name) note(`${folder}/${name.split(sep).join('/')}`);
  });
}

/** Single files are watched through their folder: a file that is replaced keeps being watched. */
function watchFiles(root: string, note: (path: string) => void): FSWatcher {
  return watch(root, (_event, name) => {
    if (name && watchedFiles.includes(name)) note(name);
  });
}
