import { existsSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const { resolve } = createRequire(import.meta.url);

/** The steps of an engine, in their order. */
export const ENGINE_STEPS = [
  'createModule',
  '_libreofficekit_hook',
  '_lok_documentLoad',
  '_lok_documentCreateView',
  '_lok_documentPostUnoCommand',
  '_lok_documentSaveAs',
  '_lok_documentGetParts',
  '_lok_documentDestroy',
] as const;

/** How an engine fails: it never comes back, it ends its thread, or its memory is broken. */
export const ENGINE_FAULTS = {
  hangs: 'Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)',
  dies: 'process.exit(3)',
  breaks: "(() => { throw new WebAssembly.RuntimeError('memory access out of bounds'); })()",
} as const;

/**
 * Puts a loader into a folder that loads the installed engine, which fails once at a step: with the first document, or,
 * `atStart`, with the one that warms the engine.
 */
export function writeFaultyLoader(
  folder: string,
  step: (typeof ENGINE_STEPS)[number],
  fault: keyof typeof ENGINE_FAULTS,
  atStart: boolean,
): { readonly hasFailed: () => boolean } {
  const wasm = join(dirname(resolve('@matbee/libreoffice-converter/package.json')), 'wasm');
  const mark = join(folder, 'failed');
  writeFileSync(
    join(folder, 'loader.cjs'),
    `const { existsSync, writeFileSync } = require('node:fs');
const real = require(${JSON.stringify(join(wasm, 'loader.cjs'))});
const fail = () => {
  if (existsSync(${JSON.stringify(mark)})) return;
  writeFileSync(${JSON.stringify(mark)}, '');
  ${ENGINE_FAULTS[fault]};
};
exports.createModule = async (options) => {
  if (${JSON.stringify(step)} === 'createModule') fail();
  const module = await real.createModule(options);
  const work = module[${JSON.stringify(step)}];
  let calls = 0;
  module[${JSON.stringify(step)}] = (...args) => {
    calls += 1;
    if (calls > ${atStart ? 0 : 1}) fail();
    return work(...args);
  };
  return module;
};`,
  );
  return { hasFailed: () => existsSync(mark) };
}
