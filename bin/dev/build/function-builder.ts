import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import {
  type BuildContext,
  type BuildOptions,
  build,
  context,
  type Metafile,
  type OutputFile,
} from 'esbuild';
import {
  bundleOptions,
  type FunctionEntry,
  functionEntries,
  functionsBuiltTogether,
} from '../../../lib/bundling/bundle.ts';
import { projectRoot } from '../paths.ts';
import { AssetsBuilder } from './assets-builder.ts';
import { compile } from './compile.ts';
import { FunctionPackages, packageImports } from './function-packages.ts';
import { readModules } from './read-modules.ts';

// Less frequent garbage collection in the compiler: up to a third less CPU time per build for more memory.
process.env.GOGC ??= '400';

type FunctionContext = BuildContext<{ metafile: true; write: false }>;

type Output = Metafile['outputs'][string];

/** One built function. */
export interface BuiltFunction {
  /** Name of the module, or `<module>-<job>`. */
  readonly name: string;
  /** Folder that is packed into the function's archive. */
  readonly folder: string;
  /** Checksum of its code and its assets. */
  readonly checksum: string;
}

/** All functions and the folder that holds theirs. */
export interface BuiltFunctions {
  readonly folder: string;
  readonly functions: readonly BuiltFunction[];
}

export interface FunctionBuilderOptions {
  readonly outputFolder: string;
  /** Whether to bundle and minify everything as for production; otherwise packages are files beside readable sources. */
  readonly minify: boolean;
  /** Host file instead of `bin/host.ts`. */
  readonly hostEntry?: string;
  /** File whose default export lists modules besides those of the platform. */
  readonly modulesEntry?: string;
}

/**
 * Builds all functions in one esbuild call, or one for each set of unbundled packages, and the packages that they import
 * in another; after a change only those that contain a changed file, each by its own incremental context.
 */
export class FunctionBuilder {
  readonly #options: FunctionBuilderOptions;
  /** Checksums of the code, by function. */
  readonly #code = new Map<string, string>();
  /** Checksums of the assets, by function. */
  readonly #assets = new Map<string, string>();
  readonly #assetsBuilder = new AssetsBuilder();
  readonly #packages = new FunctionPackages();
  /** Files beside each function. */
  readonly #installed = new Map<string, ReadonlySet<string>>();
  readonly #contexts = new Map<string, Promise<FunctionContext>>();
  #warming: Promise<unknown> = Promise.resolve();
  #entries: readonly FunctionEntry[] = [];
  /** Files of each function, relative to the project. */
  #files: ReadonlyMap<string, ReadonlySet<string>> = new Map();

  constructor(options: FunctionBuilderOptions) {
    this.#options = options;
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
    const outputs = new Map(results.flatMap(({ metafile }) => [...this.#byFunction(metafile)]));
    this.#files = new Map(
      [...outputs].map(([name, { inputs }]) => [name, new Set(Object.keys(inputs))]),
    );
    await this.#installPackages(outputs);
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
    const rebuilt = await Promise.all(affected.map((entry) => this.#rebuild(entry)));
    return rebuilt.every(Boolean) ? this.#built() : this.buildAll();
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

  /** @returns false when the function imports a package that is not bundled yet. */
  async #rebuild(entry: FunctionEntry): Promise<boolean> {
    // A running build may have read the files before the change, so it cannot be reused.
    await this.#warming.catch(() => undefined);
    const esbuild = await this.#context(entry);
    const { metafile, outputFiles } = await compile(esbuild.rebuild());
    const imports = [...this.#byFunction(metafile).values()].map((output) =>
      packageImports(output, entry.packages ?? []),
    );
    if (!imports.every((each) => this.#packages.hold(each))) return false;
    for (const each of imports) this.#install(entry.name, each);
    this.#accept(outputFiles);
    return true;
  }

  #context(entry: FunctionEntry): Promise<FunctionContext> {
    const existing = this.#contexts.get(entry.name);
    if (existing !== undefined) return existing;
    const options = { ...this.#buildOptions([entry]), metafile: true, write: false } as const;
    const created = context(options);
    this.#contexts.set(entry.name, created);
    return created;
  }

  async #installPackages(outputs: ReadonlyMap<string, Output>): Promise<void> {
    const imports = this.#entries.map(({ name, packages = [] }) => {
      const output = outputs.get(name);
      return { name, imports: output ? packageImports(output, packages) : new Set<string>() };
    });
    const all = new Set(imports.flatMap((each) => [...each.imports]));
    if (!this.#packages.hold(all)) {
      await compile(this.#packages.bundle(all, this.#buildOptions([])));
    }
    // Only now: another command that finds the platform running must leave its files, and a failed build the last one.
    rmSync(this.#options.outputFolder, { recursive: true, force: true });
    this.#installed.clear();
    for (const each of imports) this.#install(each.name, each.imports);
  }

  /** Puts what a function imports beside it, unless it is there. */
  #install(name: string, imports: ReadonlySet<string>): void {
    const installed = this.#installed.get(name);
    if (installed && imports.isSubsetOf(installed)) return;
    this.#packages.install(imports, join(this.#options.outputFolder, name));
    this.#installed.set(name, imports);
  }

  #byFunction({ outputs }: Metafile): ReadonlyMap<string, Output> {
    const folder = resolve(this.#options.outputFolder);
    return new Map(
      Object.entries(outputs).map(([path, output]) => [
        relative(folder, dirname(resolve(projectRoot, path))),
        output,
      ]),
    );
  }

  #buildOptions(entries: readonly FunctionEntry[]): BuildOptions {
    const { minify, outputFolder, hostEntry = join(projectRoot, 'bin', 'host.ts') } = this.#options;
    const options = bundleOptions(entries, { outdir: outputFolder, hostEntry, minify });
    return { ...options, packages: minify ? 'bundle' : 'external' };
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
