import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { type BuildContext, type BuildOptions, build, context, type OutputFile } from 'esbuild';
import {
  bundleOptions,
  type FunctionEntry,
  functionEntries,
  functionsBuiltTogether,
} from '../../../lib/bundling/bundle.ts';
import { projectRoot } from '../paths.ts';
import { AssetsBuilder } from './assets-builder.ts';
import { compile } from './compile.ts';
import { readModules } from './read-modules.ts';

// Less frequent garbage collection in the compiler: up to a third less CPU time per build for more memory.
process.env.GOGC ??= '400';

/** One built function. */
export interface BuiltFunction {
  /** Name of the module, or `<module>-<job>`. */
  readonly name: string;
  /** Folder that is packed into the function's archive. */
  readonly folder: string;
  /** Checksum of its code and its assets. */
  readonly checksum: string;
}

export interface FunctionBuilderOptions {
  readonly outputFolder: string;
  /** Whether to minify as for production; otherwise stack traces stay readable. */
  readonly minify: boolean;
  /** Host file instead of `bin/host.ts`. */
  readonly hostEntry?: string;
  /** File whose default export lists modules besides those of the platform. */
  readonly modulesEntry?: string;
}

/**
 * Builds all functions in one esbuild call, or one for each set of unbundled packages; after a change only those that
 * contain a changed file, each by its own incremental context.
 */
export class FunctionBuilder {
  readonly #options: FunctionBuilderOptions;
  /** Checksums of the code, by function. */
  readonly #code = new Map<string, string>();
  /** Checksums of the assets, by function. */
  readonly #assets = new Map<string, string>();
  readonly #assetsBuilder = new AssetsBuilder();
  readonly #contexts = new Map<string, Promise<BuildContext<{ write: false }>>>();
  #warming: Promise<unknown> = Promise.resolve();
  #entries: readonly FunctionEntry[] = [];
  /** Files of each function, relative to the project. */
  #files: ReadonlyMap<string, ReadonlySet<string>> = new Map();

  constructor(options: FunctionBuilderOptions) {
    this.#options = options;
    rmSync(options.outputFolder, { recursive: true, force: true });
  }

  /** @throws CommandError naming file and line of a compile error; the previous build is kept. */
  async buildAll(): Promise<readonly BuiltFunction[]> {
    await this.close();
    this.#entries = functionEntries(await readModules(this.#options.modulesEntry));
    const results = await compile(
      Promise.all(
        functionsBuiltTogether(this.#entries).map((entries) =>
          build({ ...this.#buildOptions(entries), metafile: true, write: false }),
        ),
      ),
    );
    const outputs = Object.assign({}, ...results.map(({ metafile }) => metafile.outputs));
    this.#files = filesByFunction(outputs, this.#options.outputFolder);
    this.#code.clear();
    this.#accept(results.flatMap(({ outputFiles }) => outputFiles));
    return this.buildAssets();
  }

  /**
   * Copies and generates assets, such as the API description.
   * @throws Error when the API description cannot be generated.
   */
  async buildAssets(): Promise<readonly BuiltFunction[]> {
    const { outputFolder, modulesEntry } = this.#options;
    await this.#assetsBuilder.build({ outputFolder, modulesEntry });
    this.#assets.clear();
    for (const { name } of this.#entries) {
      const folders = ['assets', 'node_modules']
        .map((each) => join(outputFolder, name, each))
        .filter(existsSync);
      if (folders.length > 0) this.#assets.set(name, folders.map(folderChecksum).join());
    }
    return this.#built();
  }

  /**
   * Rebuilds the functions that contain a changed file.
   * @param paths changed files, relative to the project.
   * @param isWanted filters the functions to rebuild.
   * @throws CommandError as {@link buildAll} does.
   */
  async buildChanged(
    paths: readonly string[],
    isWanted: (name: string) => boolean = () => true,
  ): Promise<readonly BuiltFunction[]> {
    const known = [...this.#files.values()];
    // A file that was in no function may be in one now: rebuild everything to find out.
    if (!paths.every((path) => known.some((files) => files.has(path)))) return this.buildAll();
    const affected = this.#entries.filter(
      ({ name }) => isWanted(name) && paths.some((path) => this.#files.get(name)?.has(path)),
    );
    await Promise.all(affected.map((entry) => this.#rebuild(entry)));
    return this.#built();
  }

  /** Warms the incremental context of every function, so that the first change is as fast as later ones. */
  async warmUp(): Promise<void> {
    for (const entry of this.#entries) {
      const warming = this.#context(entry).then((esbuild) => esbuild.rebuild());
      this.#warming = warming;
      await warming;
    }
  }

  async close(): Promise<void> {
    await this.#assetsBuilder.close();
    const contexts = [...this.#contexts.values()];
    this.#contexts.clear();
    await Promise.all(contexts.map(async (each) => (await each).dispose()));
  }

  async #rebuild(entry: FunctionEntry): Promise<void> {
    // A running build may have read the files before the change, so it cannot be reused.
    await this.#warming.catch(() => undefined);
    const esbuild = await this.#context(entry);
    this.#accept((await compile(esbuild.rebuild())).outputFiles);
  }

  #context(entry: FunctionEntry): Promise<BuildContext<{ write: false }>> {
    const existing = this.#contexts.get(entry.name);
    if (existing !== undefined) return existing;
    const options = { ...this.#buildOptions([entry]), metafile: false, write: false } as const;
    const created = context(options);
    this.#contexts.set(entry.name, created);
    return created;
  }

  #buildOptions(entries: readonly FunctionEntry[]): BuildOptions {
    return bundleOptions(entries, {
      outdir: this.#options.outputFolder,
      hostEntry: this.#options.hostEntry ?? join(projectRoot, 'bin', 'host.ts'),
      minify: this.#options.minify,
    });
  }

  #accept(outputFiles: readonly OutputFile[]): void {
    for (const { path, contents, hash } of outputFiles) {
      const folder = dirname(path);
      const name = relative(resolve(this.#options.outputFolder), folder);
      mkdirSync(folder, { recursive: true });
      writeFileSync(path, contents);
      this.#code.set(name, hash);
    }
  }

  #built(): readonly BuiltFunction[] {
    return [...this.#code].map(([name, code]) => ({
      name,
      folder: join(this.#options.outputFolder, name),
      checksum: `${code} ${this.#assets.get(name) ?? ''}`,
    }));
  }
}

function folderChecksum(folder: string): string {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
  const hash = createHash('sha256');
  for (const file of files) hash.update(file).update(readFileSync(file));
  return hash.digest('hex');
}

type MetafileOutputs = Readonly<
  Record<string, { readonly inputs: Readonly<Record<string, unknown>> }>
>;

function filesByFunction(
  outputs: MetafileOutputs,
  outputFolder: string,
): ReadonlyMap<string, ReadonlySet<string>> {
  return new Map(
    Object.entries(outputs).map(([path, { inputs }]) => [
      relative(resolve(outputFolder), dirname(resolve(projectRoot, path))),
      new Set(Object.keys(inputs)),
    ]),
  );
}
