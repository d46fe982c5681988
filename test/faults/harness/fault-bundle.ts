import { join } from 'node:path';
import { build } from 'esbuild';
import { bundleOptions } from '../../../lib/bundling/bundle.ts';
import { onceInARun } from '../../helpers/world/run-folder.ts';

/**
 * Bundles the processes under test as functions are bundled, with the points where they may be killed; once for all files
 * of a run.
 */
export async function faultBundle(): Promise<string> {
  const folder = await onceInARun('fault-bundle', (outdir) => {
    const entry = join(import.meta.dirname, 'child.ts');
    const define = { 'globalThis.SVC_FAULTS': 'true' };
    return build(bundleOptions([{ name: 'child', entry }], { outdir, minify: false, define }));
  });
  return join(folder, 'child/index.mjs');
}
