import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type BuildContext, context, type Message } from 'esbuild';
import {
  bundleOptions,
  copyAssets,
  type FunctionEntry,
  functionEntries,
} from '../../../lib/bundle.ts';
import type { ModuleDefinition } from '../../../lib/module-definition.ts';
import { projectRoot } from '../paths.ts';
import { CommandError } from '../terminal/command-error.ts';

/** One built function. */
export interface BuiltFunction {
  /** Name of the module, or `<module>-<job>`. */
  readonly name: string;
  /** Folder that becomes the function's archive. */
  readonly folder: string;
  /** Checksum of everything in the folder. */
  readonly checksum: string;
}

/** Builds all functions, again and again, each time in one esbuild call that reuses what did not change. */
export interface FunctionBuilder {
  /** @throws CommandError naming file and line of what does not compile; what was built before stays. */
  build(): Promise<readonly BuiltFunction[]>;
  close(): Promise<void>;
}

/** How to build. */
export interface FunctionBuilderOptions {
  readonly outputFolder: string;
  /** As for production (true), or readable in a stack trace (false). */
  readonly minify: boolean;
}

/** Prepares builds of all functions into `outputFolder`, with the standalone host. */
export async function createFunctionBuilder(
  options: FunctionBuilderOptions,
): Promise<FunctionBuilder> {
  rmSync(options.outputFolder, { recursive: true, force: true });
  const entries = functionEntries(await readModules());
  const esbuild = await context(
    bundleOptions(entries, {
      outdir: options.outputFolder,
      hostEntry: join(projectRoot, 'bin', 'host.ts'),
      minify: options.minify,
    }),
  );
  return {
    build: () => build(esbuild, entries, options.outputFolder),
    close: () => esbuild.dispose(),
  };
}

let tableReadAt: number | undefined;

/** The table of modules as it is now, also when it has changed since this process first read it. */
async function readModules(): Promise<readonly ModuleDefinition[]> {
  const table = new URL('../../../lib/modules.ts', import.meta.url);
  const { mtimeMs } = statSync(table);
  tableReadAt ??= mtimeMs;
  if (mtimeMs === tableReadAt) return (await import('../../../lib/modules.ts')).platformModules;
  // Another address is another module to Node.js: the changed file is read.
  table.searchParams.set('at', String(mtimeMs));
  const changed = (await import(table.href)) as { platformModules: readonly ModuleDefinition[] };
  return changed.platformModules;
}

async function build(
  esbuild: BuildContext,
  entries: readonly FunctionEntry[],
  outputFolder: string,
): Promise<readonly BuiltFunction[]> {
  try {
    await esbuild.rebuild();
  } catch (error) {
    throw buildFailure(error);
  }
  copyAssets(entries, outputFolder);
  return entries.map(({ name }) => {
    const folder = join(outputFolder, name);
    return { name, folder, checksum: folderChecksum(folder) };
  });
}

function buildFailure(error: unknown): CommandError {
  const { errors = [] } = (error ?? {}) as { errors?: Message[] };
  const lines = errors.map(({ text, location }) =>
    location ? `  ${location.file}:${location.line}:${location.column}: ${text}` : `  ${text}`,
  );
  return new CommandError(
    `The functions do not compile:\n${lines.join('\n') || String(error)}`,
    'Correct the line that is named; until then everything runs as before.',
    { cause: error },
  );
}

function folderChecksum(folder: string): string {
  const hash = createHash('sha256');
  for (const file of readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()) {
    hash.update(file).update(readFileSync(file));
  }
  return hash.digest('hex');
}
