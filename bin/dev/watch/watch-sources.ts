import { once } from 'node:events';
import { join, relative, sep } from 'node:path';
import { watch } from 'chokidar';
import { printFailure } from '../terminal/output.ts';

/** Action after a change: new code only, or also a new stack. */
export type ChangeKind = 'code' | 'stack';

const watchedPaths = ['functions', 'shared', 'lib', 'bin', 'cdk.json', 'package.json'];
/** Debounce: editors write in several steps. */
const settleMs = 15;

const stackPaths = [
  /^lib\//,
  // The host declares listeners, and each one has a queue.
  /^bin\//,
  /^cdk\.json$/,
  /^package\.json$/,
  /^shared\/config\//,
  /^functions\/[^/]+\/(declaration|configuration|listeners)\.ts$/,
];
const ignoredPaths = [/^bin\/dev\//, /(^|\/)\.[^/]+$/, /~$/, /\.(tmp|swp|md)$/];

/** Classifies a changed file; undefined when it needs no action. `path` is relative to the project, with slashes. */
export function changeKind(path: string): ChangeKind | undefined {
  if (ignoredPaths.some((pattern) => pattern.test(path))) return undefined;
  return stackPaths.some((pattern) => pattern.test(path)) ? 'stack' : 'code';
}

/** Whether functions and types stay as they are: the stack alone reads `cdk.json`. */
export const isConfigurationOnly = (paths: readonly string[]): boolean =>
  paths.every((path) => path === 'cdk.json');

/**
 * Watches the sources and reports changes in batches. Changes during `onChange` are
 * reported after it. Files replaced by git or editors stay watched.
 * @returns a function that stops watching, once every file is watched.
 */
export async function watchSources(
  root: string,
  onChange: (kind: ChangeKind, paths: readonly string[]) => Promise<void>,
): Promise<() => Promise<void>> {
  const changes = new PendingChanges(onChange);
  const nameOf = (path: string): string => relative(root, path).split(sep).join('/');
  const watcher = watch(
    watchedPaths.map((path) => join(root, path)),
    {
      ignoreInitial: true,
      ignored: (path, stats) =>
        nameOf(path) === 'bin/dev' ||
        (stats?.isFile() === true && changeKind(nameOf(path)) === undefined),
    },
  );
  watcher.on('all', (event, path) => {
    const kind = event.endsWith('Dir') ? undefined : changeKind(nameOf(path));
    if (kind) changes.add(nameOf(path), kind);
  });
  watcher.on('error', printFailure);
  await once(watcher, 'ready');
  return async () => {
    changes.forget();
    await watcher.close();
  };
}

/** Changes not reported yet. */
class PendingChanges {
  readonly #onChange: (kind: ChangeKind, paths: readonly string[]) => Promise<void>;
  readonly #changed = new Map<string, ChangeKind>();
  #timer: NodeJS.Timeout | undefined;
  #isWorking = false;

  constructor(onChange: (kind: ChangeKind, paths: readonly string[]) => Promise<void>) {
    this.#onChange = onChange;
  }

  add(path: string, kind: ChangeKind): void {
    this.#changed.set(path, kind);
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#flush().catch(printFailure), settleMs);
  }

  forget(): void {
    clearTimeout(this.#timer);
    this.#changed.clear();
  }

  async #flush(): Promise<void> {
    if (this.#isWorking || this.#changed.size === 0) return;
    this.#isWorking = true;
    const paths = [...this.#changed.keys()];
    const kind = [...this.#changed.values()].includes('stack') ? 'stack' : 'code';
    this.#changed.clear();
    try {
      await this.#onChange(kind, paths);
    } finally {
      this.#isWorking = false;
    }
    await this.#flush();
  }
}
