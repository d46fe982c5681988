import { cpSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { type BuildOptions, buildSync, type Metafile } from 'esbuild';
import type { CheckedConfig } from '../../shared/config/checked-config.ts';
import { ConfigError, error } from '../../shared/config/index.ts';
import {
  type AssetFolder,
  type FunctionDeclaration,
  jobFunctionName,
  type ModuleDeclaration,
  type PackedFiles,
} from '../../shared/module/declaration.ts';
import { checkArchiveSize } from './archive-size.ts';
import { type DeployedConfig, readAhead } from './checked-config.ts';
import { mergeStart } from './merge-start.ts';
import { moduleFile, moduleFolder } from './module-files.ts';
import { type DescribedModule, describedModule, writeApiAssets } from './openapi.ts';
import { packageRoot, sourceFile } from './package-files.ts';
import { packFiles, referToFiles } from './packed-files.ts';
import { type BundledPage, bundlePage } from './page-scripts.ts';
import { assetFolder, copyPackages, requirePackages } from './unbundled-packages.ts';

export { packageRoot };

/** The default host module, which grants nothing. */
const defaultHostEntry = sourceFile('shared/host/default-host');

/** One function to bundle. */
export interface FunctionEntry {
  /** Folder of the bundle below the output folder. */
  readonly name: string;
  /** Absolute path of the handler file. */
  readonly entry: string;
  /** Folder whose files are copied beside the bundle as `assets/`, if it exists. */
  readonly assets?: string;
  /** Modules of the API description among the function's assets. */
  readonly describes?: readonly DescribedModule[];
  /** npm packages that are not bundled: they are copied into `node_modules` beside the bundle. */
  readonly packages?: readonly string[];
  /** Further folders that are copied below `assets/`. */
  readonly assetFolders?: readonly AssetFolder[];
  /** Large files of packages that are stored compressed below `assets/`. */
  readonly packed?: readonly PackedFiles[];
  /** Scripts that browsers load, below `assets/pages/`. */
  readonly pages?: readonly BundledPage[];
  readonly architecture?: 'arm64' | 'x86_64';
  /** The checked configuration, which the function uses instead of reading its own. */
  readonly checkedConfig?: CheckedConfig;
}

export interface BundleProps {
  /** Output folder; each function gets `<outdir>/<name>/index.mjs`. */
  readonly outdir: string;
  /** The module that `#host` resolves to; default: the default host. */
  readonly hostEntry?: string;
  /** Whether to minify; true when left out. */
  readonly minify?: boolean;
  /** Whether to write source maps beside the bundles; false when left out. */
  readonly sourceMaps?: boolean;
  /** Further constants that replace global names in the code. */
  readonly define?: Readonly<Record<string, string>>;
  /** Whether the functions run on this machine: large files of packages stay where they are. */
  readonly runsHere?: boolean;
}

/** Runs ahead of each file, as the order in which files of one bundle run is not that of their imports. */
const BANNER = [
  // Bundled CommonJS packages load Node's built-in modules with require.
  "import{createRequire as __createRequire}from'node:module';",
  'const require=__createRequire(import.meta.url);',
  // A parser that is compiled for each schema pays from hundreds of calls on; most functions end before.
  'globalThis.__zod_globalConfig??={jitless:true};',
].join('');

/**
 * Lists the functions of the modules: handler and jobs of each.
 * @param deployed the configuration that they are deployed with, when it is known.
 */
export function functionEntries(
  modules: readonly ModuleDeclaration[],
  deployed?: DeployedConfig,
): FunctionEntry[] {
  return modules.flatMap((module) => {
    const common = {
      assets: join(moduleFolder(module), 'assets'),
      ...(deployed && { checkedConfig: readAhead(deployed, module, modules) }),
    };
    const main = {
      name: module.name,
      entry: moduleFile(module, 'handler'),
      ...common,
      ...takenAlong(module, module),
      ...(module.answersUnknownPaths && { describes: modules.flatMap(describedModule) }),
    };
    const deployedJobs = (module.jobs ?? []).filter(
      ({ enabled }) => !deployed || !enabled || enabled(deployed.config),
    );
    const jobs = deployedJobs.map((job) => ({
      name: jobFunctionName(module, job),
      entry: moduleFile(module, `${job.name}.handler`),
      ...common,
      ...takenAlong(job, module),
    }));
    return [main, ...jobs];
  });
}

function takenAlong(
  { packages, assets, packed, pages, architecture }: FunctionDeclaration,
  module: ModuleDeclaration,
) {
  return {
    ...(pages && {
      pages: pages.map(({ name, entry }) => ({ name, file: moduleFile(module, entry) })),
    }),
    ...(packages && { packages }),
    ...(assets && { assetFolders: assets }),
    ...(packed && { packed }),
    ...(architecture && { architecture }),
  };
}

/** Functions that one esbuild call can bundle: unbundled packages are the same for all bundles of a call. */
export function functionsBuiltTogether(
  entries: readonly FunctionEntry[],
): (readonly FunctionEntry[])[] {
  return [...Map.groupBy(entries, ({ packages = [] }) => packages.toSorted().join()).values()];
}

/**
 * Options of an esbuild call that bundles functions; a watcher passes them to a context.
 * @param entries functions of the same packages: {@link functionsBuiltTogether}.
 */
export function bundleOptions(entries: readonly FunctionEntry[], props: BundleProps): BuildOptions {
  return {
    entryPoints: Object.fromEntries(entries.map(({ name, entry }) => [`${name}/index`, entry])),
    outdir: resolve(props.outdir),
    outExtension: { '.js': '.mjs' },
    bundle: true,
    external: [...new Set(entries.flatMap(({ packages = [] }) => packages))],
    platform: 'node',
    target: 'node24',
    format: 'esm',
    mainFields: ['module', 'main'],
    minify: props.minify ?? true,
    keepNames: false,
    legalComments: 'none',
    // One character beyond ASCII would make V8 keep and scan all of a file in two bytes for each character.
    charset: 'ascii',
    sourcemap: props.sourceMaps ? 'linked' : false,
    sourcesContent: false,
    metafile: true,
    logLevel: 'silent',
    absWorkingDir: packageRoot,
    alias: {
      '#host': resolve(props.hostEntry ?? defaultHostEntry),
      'node:http': sourceFile('shared/http-client/node-http'),
    },
    inject: [sourceFile('shared/primitives/node/web-readable-stream')],
    // Removes the fault points from all bundles except those of fault tests.
    define: { 'globalThis.SVC_FAULTS': 'false', ...props.define },
    banner: { js: BANNER },
  };
}

/**
 * Bundles functions and copies their assets. Dynamic imports become separate files
 * beside the bundle, so that a cold start does not read it.
 * @returns the description of all outputs.
 * @throws ConfigError `HANDLER_MISSING`; Error naming file and line of a compile error.
 */
export function bundleFunctions(entries: readonly FunctionEntry[], props: BundleProps): Metafile {
  refuseWithoutHandler(entries);
  for (const entry of entries) requirePackages(entry, dirname(entry.entry));
  mkdirSync(props.outdir, { recursive: true });
  const metafiles = entries.map((entry) => bundleFunction(entry, props));
  copyAssets(entries, props.outdir, props);
  return {
    inputs: Object.assign({}, ...metafiles.map(({ inputs }) => inputs)),
    outputs: Object.assign({}, ...metafiles.map(({ outputs }) => outputs)),
  };
}

/**
 * Stands in for the bundles when a command needs the template only, such as `cdk bootstrap` and `cdk list`.
 * @throws ConfigError `HANDLER_MISSING`.
 */
export function placeholderBundles(entries: readonly FunctionEntry[], outdir: string): void {
  refuseWithoutHandler(entries);
  for (const { name } of entries) {
    mkdirSync(join(outdir, name), { recursive: true });
    writeFileSync(join(outdir, name, 'index.mjs'), '');
  }
}

function refuseWithoutHandler(entries: readonly FunctionEntry[]): void {
  const without = entries.find(({ entry }) => !existsSync(entry));
  if (!without) return;
  const { name, entry } = without;
  throw new ConfigError([error('HANDLER_MISSING', `function ${name}`, `needs the file ${entry}`)]);
}

/** Build each function separately: with shared chunks none could be deployed without the others. */
function bundleFunction(entry: FunctionEntry, props: BundleProps): Metafile {
  const { checkedConfig } = entry;
  const define = {
    ...(checkedConfig && { 'globalThis.SVC_CHECKED_CONFIG': JSON.stringify(checkedConfig) }),
    ...props.define,
  };
  const options = bundleOptions([entry], { ...props, define });
  const { metafile } = buildSync({
    ...options,
    splitting: true,
    chunkNames: `${entry.name}/[name]-[hash]`,
    metafile: true,
  });
  if (!options.minify || options.sourcemap) return metafile;
  return { ...metafile, outputs: mergeStart(metafile.outputs, options) };
}

/**
 * Adds the files of each function beside its bundle: its folders, the API description, and packages.
 * @throws ConfigError `PACKAGE_MISSING`, `ASSETS_MISSING`, `FUNCTION_TOO_LARGE` naming the function.
 */
export function copyAssets(
  entries: readonly FunctionEntry[],
  outdir: string,
  { runsHere = false }: Pick<BundleProps, 'runsHere'> = {},
): void {
  const pack = runsHere ? referToFiles : packFiles;
  for (const entry of entries) {
    const { name, packed = [] } = entry;
    const archive = join(outdir, name);
    copyAssetsOf(entry, archive);
    for (const each of packed) pack(each, name, dirname(entry.entry), archive);
    checkArchiveSize(name, archive);
  }
}

function copyAssetsOf(entry: FunctionEntry, archive: string): void {
  const { name, assets, describes, assetFolders = [], packages = [], pages = [] } = entry;
  if (assets && existsSync(assets)) {
    cpSync(assets, join(archive, 'assets'), { recursive: true });
  }
  if (describes && describes.length > 0) writeApiAssets(describes, join(archive, 'assets'));
  const from = dirname(entry.entry);
  for (const folder of assetFolders) {
    const target = join(archive, 'assets', folder.as);
    cpSync(assetFolder(folder, name, from), target, { recursive: true, dereference: true });
  }
  for (const page of pages) bundlePage(page, join(archive, 'assets', 'pages'));
  if (packages.length > 0) copyPackages({ ...entry, packages, from }, archive);
}
