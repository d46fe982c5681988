import { copyFileSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, extname, join, resolve } from 'node:path';
import { compileFunction } from 'node:vm';
import { gzipSync } from 'node:zlib';
import { buildSync } from 'esbuild';
import { type AnyConfig, type ConfigSection, commonSections } from '../../shared/config/index.ts';
import type { ModuleDeclaration } from '../../shared/module/declaration.ts';
import type { ApiTag } from '../../shared/openapi/api-module.ts';
import type { ApiInfo } from '../../shared/openapi/describe-api.ts';
import { describedConfig } from '../../shared/openapi/described-config.ts';
import type { OpenApiDocument } from '../../shared/openapi/document.ts';
import { moduleFile } from './module-files.ts';
import { packageRoot, sourceFile } from './package-files.ts';

/** The part of a module that the API description reads: plain data. */
export interface DescribedModule {
  readonly name: string;
  readonly tags: readonly ApiTag[];
  /** File with its route table. */
  readonly routesFile: string;
  /** The function of that file that creates the table. */
  readonly factory: string;
  readonly configuration?: ConfigSection;
}

/** The part of a module that the API description shows; none without a route table. */
export function describedModule(module: ModuleDeclaration): DescribedModule[] {
  const { name, routes, tags = [], configuration } = module;
  if (!routes) return [];
  const { file, factory } = routes;
  return [
    {
      ...{ name, tags, factory, routesFile: moduleFile(module, file) },
      ...(configuration && { configuration }),
    },
  ];
}

const require = createRequire(import.meta.url);

/** Inputs of the last description: most changes of a watched build do not touch a route. */
interface Made {
  readonly modules: string;
  /** Files and when they were changed. */
  readonly inputs: readonly (readonly [file: string, changedAt: number])[];
  readonly document: OpenApiDocument;
}

let latest: Made | undefined;

/**
 * Builds the API description of modules. Their route tables are bundled and run here, so that every build reads
 * the current files and `lib/` does not import them.
 */
export function buildApiDescription(given: readonly DescribedModule[]): OpenApiDocument {
  const modules = JSON.stringify(given, (key, value) => (key === 'schema' ? undefined : value));
  if (latest?.modules === modules && isUnchanged(latest)) return latest.document;
  const { code, files } = bundleRoutes(given);
  const inputs = files.map((file) => [file, changedAt(file)] as const);
  latest = { modules, inputs, document: run(code, given) };
  return latest.document;
}

function isUnchanged({ inputs }: Made): boolean {
  return inputs.every(([file, before]) => changedAt(file) === before);
}

const changedAt = (file: string): number => statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;

function bundleRoutes(modules: readonly DescribedModule[]) {
  const tables = modules.map(({ routesFile, factory }, at) => ({
    load: `import { ${factory} as table${at} } from ${JSON.stringify(routesFile)};`,
    name: `table${at}`,
  }));
  const contents = [
    `import { describeModules } from ${JSON.stringify(sourceFile('shared/openapi/describe-modules'))};`,
    ...tables.map(({ load }) => load),
    `const tables = [${tables.map(({ name }) => name).join(', ')}];`,
    'export const describe = (modules, info, config) => describeModules(modules, tables, info, config);',
  ].join('\n');
  const { outputFiles, metafile } = buildSync({
    stdin: { contents, resolveDir: packageRoot, loader: 'js' },
    absWorkingDir: packageRoot,
    bundle: true,
    write: false,
    metafile: true,
    format: 'cjs',
    platform: 'node',
    mainFields: ['module', 'main'],
    logLevel: 'silent',
  });
  const files = [...Object.keys(metafile.inputs), 'package.json'].map((file) =>
    resolve(packageRoot, file),
  );
  return { code: outputFiles[0]?.text ?? '', files };
}

type Describe = (modules: readonly object[], info: ApiInfo, config: AnyConfig) => OpenApiDocument;

function run(code: string, modules: readonly DescribedModule[]): OpenApiDocument {
  const module: { exports: { describe?: Describe } } = { exports: {} };
  compileFunction(code, ['module', 'exports', 'require'])(module, module.exports, require);
  if (!module.exports.describe) throw new Error('The API description could not be made.');
  const sections = modules.flatMap(({ configuration }) => configuration ?? []);
  const switches = modules.flatMap(({ tags }) => tags.flatMap(({ when = [] }) => when));
  return module.exports.describe(
    modules.map(({ name, tags }) => ({ name, tags })),
    readInfo(),
    describedConfig([...new Set([...commonSections, ...sections])], switches),
  );
}

function readInfo(): ApiInfo {
  const { name, version, description } = JSON.parse(
    readFileSync(join(packageRoot, 'package.json'), 'utf8'),
  ) as Readonly<Record<'name' | 'version' | 'description', string>>;
  return {
    title: name,
    version,
    description: `${description}\n\nErrors are problem documents (RFC 9457) with a stable \`code\`. HEAD is answered wherever GET is.`,
  };
}

/** Files of the viewer that the reference page loads. */
const VIEWER_FILES = ['swagger-ui-bundle.js', 'swagger-ui.css', 'favicon-32x32.png'];

/** Writes `openapi.json` and the viewer of the reference page into the assets folder of a bundle. */
export function writeApiAssets(modules: readonly DescribedModule[], assets: string): void {
  mkdirSync(join(assets, 'reference'), { recursive: true });
  writeFileSync(join(assets, 'openapi.json'), JSON.stringify(buildApiDescription(modules)));
  const viewer = dirname(require.resolve('swagger-ui-dist/package.json'));
  for (const name of VIEWER_FILES) copyCompressed(join(viewer, name), join(assets, 'reference'));
}

const compressed = new Map<string, Buffer>();

/** Texts are stored compressed, as they are sent; each is compressed once per process. */
function copyCompressed(source: string, folder: string): void {
  if (extname(source) === '.png') {
    copyFileSync(source, join(folder, basename(source)));
    return;
  }
  const bytes = compressed.get(source) ?? gzipSync(readFileSync(source), { level: 9 });
  compressed.set(source, bytes);
  writeFileSync(join(folder, `${basename(source)}.gz`), bytes);
}
