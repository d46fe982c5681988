import { cpSync, existsSync, mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type BuildOptions, buildSync, type Metafile } from 'esbuild';
import { jobFunctionName, type ModuleDeclaration } from '../../shared/module/declaration.ts';
import { moduleFile, moduleFolder } from './module-files.ts';
import { type DescribedModule, describedModule, writeApiAssets } from './openapi.ts';
import { packageRoot, sourceFile } from './package-files.ts';

export { packageRoot };

/** Host module of a platform that says nothing about its host: it grants nothing. */
const defaultHostEntry = sourceFile('shared/host/default-host');

/** One function to bundle. */
export interface FunctionEntry {
  /** Folder of the bundle below the output folder. */
  readonly name: string;
  /** Absolute path of the handler file. */
  readonly entry: string;
  /** Folder whose files are copied beside the bundle as `assets/`, if it exists. */
  readonly assets?: string;
  /** The modules of the API description that the function serves, and so gets among its assets. */
  readonly describes?: readonly DescribedModule[];
}

/** How to bundle. */
export interface BundleProps {
  /** Output folder; each function gets `<outdir>/<name>/index.mjs`. */
  readonly outdir: string;
  /** The module that `#host` stands for; the default host when left out. */
  readonly hostEntry?: string;
  /** Whether to minify; true when left out. */
  readonly minify?: boolean;
  /** Whether to write source maps beside the bundles; false when left out. */
  readonly sourceMaps?: boolean;
  /** Further constants that replace global names in the code. */
  readonly define?: Readonly<Record<string, string>>;
}

/** Lists the functions of the modules: handler and jobs of each. */
export function functionEntries(modules: readonly ModuleDeclaration[]): FunctionEntry[] {
  return modules.flatMap((module) => {
    const assets = join(moduleFolder(module), 'assets');
    const main = {
      name: module.name,
      entry: moduleFile(module, 'handler'),
      assets,
      ...(module.answersUnknownPaths && { describes: modules.flatMap(describedModule) }),
    };
    const jobs = (module.jobs ?? []).map((job) => ({
      name: jobFunctionName(module, job),
      entry: moduleFile(module, `${job.name}.handler`),
      assets,
    }));
    return [main, ...jobs];
  });
}

/** Options of an esbuild call that bundles functions; a watcher passes them to a context. */
export function bundleOptions(entries: readonly FunctionEntry[], props: BundleProps): BuildOptions {
  return {
    entryPoints: Object.fromEntries(entries.map(({ name, entry }) => [`${name}/index`, entry])),
    outdir: resolve(props.outdir),
    outExtension: { '.js': '.mjs' },
    bundle: true,
    platform: 'node',
    target: 'node24',
    format: 'esm',
    mainFields: ['module', 'main'],
    minify: props.minify ?? true,
    keepNames: false,
    legalComments: 'none',
    charset: 'utf8',
    sourcemap: props.sourceMaps ? 'linked' : false,
    sourcesContent: false,
    metafile: true,
    logLevel: 'silent',
    absWorkingDir: packageRoot,
    alias: { '#host': resolve(props.hostEntry ?? defaultHostEntry) },
    // The points where a fault test may interrupt are in no bundle but a test's own.
    define: { 'globalThis.SVC_FAULTS': 'false', ...props.define },
    // Bundled CommonJS packages ask for Node's own modules through require.
    banner: {
      js: "import{createRequire as __createRequire}from'node:module';const require=__createRequire(import.meta.url);",
    },
  };
}

/**
 * Bundles functions and copies their assets. What a function imports when it is needed lies in files of its own
 * beside the bundle, so that a cold start does not read it.
 * @returns the description of all outputs.
 * @throws Error naming file and line of what does not compile.
 */
export function bundleFunctions(entries: readonly FunctionEntry[], props: BundleProps): Metafile {
  mkdirSync(props.outdir, { recursive: true });
  const metafiles = entries.map((entry) => bundleFunction(entry, props));
  copyAssets(entries, props.outdir);
  return {
    inputs: Object.assign({}, ...metafiles.map(({ inputs }) => inputs)),
    outputs: Object.assign({}, ...metafiles.map(({ outputs }) => outputs)),
  };
}

/** Each function is built alone: together they would share files, and none could be deployed without the others. */
function bundleFunction(entry: FunctionEntry, props: BundleProps): Metafile {
  const { metafile } = buildSync({
    ...bundleOptions([entry], props),
    splitting: true,
    chunkNames: `${entry.name}/[name]-[hash]`,
    metafile: true,
  });
  return metafile;
}

/** Puts the assets of each function beside its bundle: what is in its folder, and the API description. */
export function copyAssets(entries: readonly FunctionEntry[], outdir: string): void {
  for (const { name, assets, describes } of entries) {
    if (assets && existsSync(assets)) {
      cpSync(assets, join(outdir, name, 'assets'), { recursive: true });
    }
    if (describes && describes.length > 0) writeApiAssets(describes, join(outdir, name, 'assets'));
  }
}
