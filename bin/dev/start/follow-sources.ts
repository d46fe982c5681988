import { join } from 'node:path';
import { localFolder, projectRoot } from '../paths.ts';
import type { Platform } from '../platform.ts';
import type { BaseUrlProxy } from '../proxy/base-url-proxy.ts';
import { paint, say } from '../terminal/output.ts';
import { TypeCheck, type TypeErrors } from '../watch/type-check.ts';
import { isConfigurationOnly, watchSources } from '../watch/watch-sources.ts';
import { applyChange } from './apply-change.ts';

/**
 * Applies each source change to the running platform and reports type errors afterwards: nothing waits for
 * them.
 * @param onDeployed called after each change of the stack.
 * @returns a function that ends it.
 */
export async function followSources(
  platform: Platform,
  proxy: BaseUrlProxy,
  onDeployed: () => void,
): Promise<() => Promise<void>> {
  const types = new TypeCheck({
    root: projectRoot,
    buildInfo: join(localFolder, 'types.tsbuildinfo'),
    onResult: typeReporter(),
  });
  const stopWatching = await watchSources(projectRoot, async (kind, paths) => {
    const isTyped = !isConfigurationOnly(paths);
    if (isTyped) types.cancel();
    await applyChange(platform, proxy, kind, paths);
    proxy.setApi(platform.outputs().apiId);
    if (kind === 'stack') onDeployed();
    if (isTyped) types.start();
  });
  return async () => {
    await stopWatching();
    types.cancel();
  };
}

function typeReporter(): (errors: TypeErrors) => void {
  let hadErrors = false;
  return (errors) => {
    if (errors.length > 0) {
      say(`${paint('red', '✖')} types: wrong, although the code runs`);
      for (const error of errors) say(`  ${error}`);
    } else if (hadErrors) say(`${paint('green', '✔')} types: right again`);
    hadErrors = errors.length > 0;
  };
}
