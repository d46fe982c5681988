import { copyFileSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, extname, join } from 'node:path';
import { compileFunction } from 'node:vm';
import { gzipSync } from 'node:zlib';
import { buildSync } from 'esbuild';
import type { OpenApiDocument } from '../../shared/openapi/document.ts';

/** What the API description is made of. */
export interface ApiDescriptionSources {
  /** Files that export `apiModules`, one of each module, in the order of the document. */
  readonly entries: readonly string[];
  /** Folder of the package. */
  readonly root: string;
  /** How source files end: `.ts`, or `.js` when compiled. */
  readonly extension: string;
}

const require = createRequire(import.meta.url);

/** What the last description was made of; a watching build comes with every change, and few touch a route. */
interface Made {
  readonly sources: string;
  /** Files and when they were changed. */
  readonly inputs: readonly (readonly [file: string, changedAt: number])[];
  readonly document: OpenApiDocument;
}

let latest: Made | undefined;

/**
 * Describes the interface of all modules. Their route tables are bundled and run here, so that every build reads
 * them as they are now and nothing of `lib/` imports a module.
 */
export function buildApiDescription(given: ApiDescriptionSources): OpenApiDocument {
  const sources = JSON.stringify(given);
  if (latest?.sources === sources && isUnchanged(latest)) return latest.document;
  const { code, files } = bundleRoutes(given);
  const inputs = files.map((file) => [file, changedAt(file)] as const);
  latest = { sources, inputs, document: run(code, readInfo(given.root)) };
  return latest.document;
}

function isUnchanged({ inputs }: Made): boolean {
  return inputs.every(([file, before]) => changedAt(file) === before);
}

const changedAt = (file: string): number => statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;

function bundleRoutes({ entries, root, extension }: ApiDescriptionSources) {
  const shared = (name: string) => JSON.stringify(join(root, `shared/openapi/${name}${extension}`));
  const contents = [
    `import { describeApi } from ${shared('describe-api')};`,
    `import { describedConfig } from ${shared('described-config')};`,
    ...entries.map((entry, at) => `import * as m${at} from ${JSON.stringify(entry)};`),
    `const modules = [${entries.map((_, at) => `...m${at}.apiModules`).join(', ')}];`,
    'export const describe = (info) => describeApi(modules, info, describedConfig());',
  ].join('\n');
  const { outputFiles, metafile } = buildSync({
    stdin: { contents, resolveDir: root, loader: 'js' },
    absWorkingDir: root,
    bundle: true,
    write: false,
    metafile: true,
    format: 'cjs',
    platform: 'node',
    mainFields: ['module', 'main'],
    logLevel: 'silent',
  });
  const files = [...Object.keys(metafile.inputs), 'package.json'].map((file) => join(root, file));
  return { code: outputFiles[0]?.text ?? '', files };
}

function run(code: string, info: object): OpenApiDocument {
  const module: { exports: { describe?: (info: object) => OpenApiDocument } } = { exports: {} };
  compileFunction(code, ['module', 'exports', 'require'])(module, module.exports, require);
  if (!module.exports.describe) throw new Error('The API description could not be made.');
  return module.exports.describe(info);
}

function readInfo(root: string) {
  const { name, version, description } = JSON.parse(
    readFileSync(join(root, 'package.json'), 'utf8'),
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
export function writeApiAssets(sources: ApiDescriptionSources, assets: string): void {
  mkdirSync(join(assets, 'reference'), { recursive: true });
  writeFileSync(join(assets, 'openapi.json'), JSON.stringify(buildApiDescription(sources)));
  const viewer = dirname(require.resolve('swagger-ui-dist/package.json'));
  for (const name of VIEWER_FILES) copyCompressed(join(viewer, name), join(assets, 'reference'));
}

const compressed = new Map<string, Buffer>();

/** Texts are stored as they are sent; compressing them once for each process is enough. */
function copyCompressed(source: string, folder: string): void {
  if (extname(source) === '.png') {
    copyFileSync(source, join(folder, basename(source)));
    return;
  }
  const bytes = compressed.get(source) ?? gzipSync(readFileSync(source), { level: 9 });
  compressed.set(source, bytes);
  writeFileSync(join(folder, `${basename(source)}.gz`), bytes);
}
