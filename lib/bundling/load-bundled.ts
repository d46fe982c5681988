import { createRequire } from 'node:module';
import { compileFunction } from 'node:vm';
import { buildSync } from 'esbuild';
import { packageRoot } from './package-files.ts';

const require = createRequire(import.meta.url);

/**
 * Runs a source file and gives its exports: as it is now, in whatever form its application writes it, and without
 * waiting.
 * @throws Error naming file and line of what does not compile, and whatever the file throws.
 */
export function loadBundled<T>(file: string): T {
  const { outputFiles } = buildSync({
    entryPoints: [file],
    bundle: true,
    write: false,
    format: 'cjs',
    platform: 'node',
    mainFields: ['module', 'main'],
    absWorkingDir: packageRoot,
    logLevel: 'silent',
  });
  const module = { exports: {} };
  const code = outputFiles[0]?.text ?? '';
  compileFunction(code, ['module', 'exports', 'require'])(module, module.exports, require);
  return module.exports as T;
}
