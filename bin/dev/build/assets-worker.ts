import { parentPort } from 'node:worker_threads';
import { copyAssets, functionEntries } from '../../../lib/bundling/bundle.ts';
import { messageOf } from '../terminal/command-error.ts';
import type { AssetsRequest } from './assets-builder.ts';
import { readModules } from './read-modules.ts';

parentPort?.on('message', async ({ outputFolder, modulesEntry }: AssetsRequest) => {
  try {
    copyAssets(functionEntries(await readModules(modulesEntry)), outputFolder);
    parentPort?.postMessage({});
  } catch (error) {
    parentPort?.postMessage({ error: messageOf(error) });
  }
});
