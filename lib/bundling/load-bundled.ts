import { createRequire } from 'node:module';
import { compileFunction } from 'node:vm';
import { buildSync } from 'esbuild';
import { packageRoot } from './package-files.ts';

const require = createRequire(import.meta.url);

/**
 * Bundles and runs a source file and returns its current exports: TypeScript or JavaScript, ESM or CommonJS,
 * waiting.
 * @throws Error naming file and line of a compile error, and whatever the file throws.
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
