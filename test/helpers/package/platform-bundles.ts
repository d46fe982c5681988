import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bundleFunctions, functionEntries, packageRoot } from '../../../lib/bundling/bundle.ts';
import { platformModules } from '../../../lib/modules.ts';
import { onceInARun } from '../world/run-folder.ts';

type Outputs = ReturnType<typeof bundleFunctions>['outputs'];

interface PlatformBundles {
  /** Folder with a folder for each function. */
  readonly folder: string;
  /** What lies there, by paths relative to the package. */
  readonly outputs: Outputs;
}

/** The functions of the platform as they go to production, bundled once for all files of a run. */
export async function platformBundles(): Promise<PlatformBundles> {
  const folder = await onceInARun('platform-bundles', async (outdir) => {
    const hostEntry = join(packageRoot, 'bin/host.ts');
    const entries = functionEntries(platformModules);
    const { outputs } = bundleFunctions(entries, { outdir, hostEntry, runsHere: true });
    writeFileSync(join(outdir, 'outputs.json'), JSON.stringify(outputs));
  });
  const text = readFileSync(join(folder, 'outputs.json'), 'utf8');
  // They were written under another name, until they were complete.
  return {
    folder,
    outputs: JSON.parse(text.replaceAll('/platform-bundles.unfinished/', '/platform-bundles/')),
  };
}
