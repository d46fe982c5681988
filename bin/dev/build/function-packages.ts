import { mkdirSync, writeFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { dirname, join, relative, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type BuildOptions, build, type Metafile } from 'esbuild';
import { projectRoot } from '../paths.ts';

/** What one import loads, as files below `node_modules`. */
interface BundledImport {
  /** The file that the import resolves to. */
  readonly main: string;
  readonly files: ReadonlyMap<string, Uint8Array | string>;
}

type Outputs = Metafile['outputs'];

/**
 * The npm packages of functions under development: bundled once and put into `node_modules` of each function, so that
 * a change of the sources compiles the sources only.
 */
export class FunctionPackages {
  readonly #bundled = new Map<string, BundledImport>();

  /**
   * Bundles what functions import, in place of what was bundled before.
   * @param imports such as `zod` and `csv-parse/sync`.
   * @param options those of the functions.
   */
  async bundle(imports: ReadonlySet<string>, options: BuildOptions): Promise<void> {
    const outdir = resolve(options.outdir ?? '', 'node_modules');
    const { metafile, outputFiles } = await build({
      ...options,
      entryPoints: Object.fromEntries([...imports].map((each) => [`${each}/index`, each])),
      packages: 'bundle',
      // Smaller files are uploaded, unpacked and read faster; the sources stay readable.
      minify: true,
      outdir,
      splitting: true,
      chunkNames: '.shared/[name]-[hash]',
      metafile: true,
      write: false,
    });
    const contents = new Map(
      outputFiles.map(({ path, contents }) => [relative(outdir, path), contents]),
    );
    this.#bundled.clear();
    for (const imported of imports) {
      const main = `${imported}/index.mjs`;
      const output = relative(projectRoot, join(outdir, main));
      const loaded = [...loadedWith(output, metafile.outputs)].map((path) =>
        relative(outdir, resolve(projectRoot, path)),
      );
      const files = new Map(loaded.map((path) => [path, contents.get(path) ?? '']));
      const source = metafile.outputs[output]?.entryPoint ?? '';
      const isCommonJs = metafile.inputs[source]?.format === 'cjs';
      this.#bundled.set(
        imported,
        isCommonJs ? await withNamedExports(imported, source, files) : { main, files },
      );
    }
  }

  /** Whether all imports are among the bundled ones. */
  hold(imports: ReadonlySet<string>): boolean {
    return [...imports].every((each) => this.#bundled.has(each));
  }

  /** Puts what a function imports into its folder. */
  install(imports: ReadonlySet<string>, folder: string): void {
    const target = join(folder, 'node_modules');
    for (const [name, parts] of Map.groupBy(imports, packageName)) {
      const exports: Record<string, string> = {};
      for (const imported of parts) {
        const { main, files } = this.#bundled.get(imported) ?? { main: '', files: new Map() };
        for (const [path, contents] of files) write(join(target, path), contents);
        exports[`.${imported.slice(name.length)}`] = `./${relative(name, main)}`;
      }
      write(join(target, name, 'package.json'), JSON.stringify({ type: 'module', exports }));
    }
  }
}

/**
 * The imports of packages in an output that was built without packages.
 * @param installed packages that are copied as they are, and so are not looked for.
 */
export function packageImports(
  { imports }: Outputs[string],
  installed: readonly string[],
): ReadonlySet<string> {
  const paths = imports.flatMap(({ path, external }) => (external ? [path] : []));
  return new Set(
    paths.filter((path) => !isBuiltin(path) && !installed.includes(packageName(path))),
  );
}

function packageName(imported: string): string {
  return imported
    .split('/')
    .slice(0, imported.startsWith('@') ? 2 : 1)
    .join('/');
}

/** An output and what it imports, directly or through others. */
function loadedWith(output: string, outputs: Outputs): ReadonlySet<string> {
  const found = new Set([output]);
  for (const path of found) {
    for (const { path: imported, external } of outputs[path]?.imports ?? []) {
      if (!external) found.add(imported);
    }
  }
  return found;
}

/** A CommonJS package in a file of its own has a default export only; this adds the names. */
async function withNamedExports(
  imported: string,
  source: string,
  files: BundledImport['files'],
): Promise<BundledImport> {
  const { default: exported } = await import(pathToFileURL(resolve(projectRoot, source)).href);
  const names = Object.keys(exported).filter(
    (name) => /^[A-Za-z]\w*$/.test(name) && name !== 'default',
  );
  const main = `${imported}/named.mjs`;
  const contents = [
    "import exported from './index.mjs';",
    'export default exported;',
    ...names.map((name) => `const _${name} = exported.${name};\nexport { _${name} as ${name} };`),
  ].join('\n');
  return { main, files: new Map([...files, [main, contents]]) };
}

function write(path: string, contents: Uint8Array | string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, contents);
}
