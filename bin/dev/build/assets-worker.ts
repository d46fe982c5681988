import { parentPort } from 'node:worker_threads';
import { copyAssets, functionEntries } from '../../../lib/bundling/bundle.ts';
import { messageOf } from '../terminal/command-error.ts';
import type { AssetsRequest } from './assets-builder.ts';
import { readModules } from './read-modules.ts';

parentPort?.on('message', async ({ outputFolder, modulesEntry }: AssetsRequest) => {
  try {
    const entries = functionEntries(await readModules(modulesEntry));
    copyAssets(entries, outputFolder, { runsHere: true });
    parentPort?.postMessage({});
  } catch (error) {
    parentPort?.postMessage({ error: messageOf(error) });
  }
});
