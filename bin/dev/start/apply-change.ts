import { setTimeout as sleep } from 'node:timers/promises';
import type { Platform } from '../platform.ts';
import type { BaseUrlProxy } from '../proxy/base-url-proxy.ts';
import { paint, printFailure, say, startStep } from '../terminal/output.ts';
import { type ChangeKind, isConfigurationOnly } from '../watch/watch-sources.ts';

/** Keep the CPU idle for about as long as the first call of new code takes to load it. */
const firstCallMs = 400;

/**
 * Applies a source change to the running platform: new code is deployed to its functions at once; a new stack is
 * synthesised and deployed. A failure is printed and leaves the running version untouched.
 */
export async function applyChange(
  platform: Platform,
  proxy: BaseUrlProxy,
  kind: ChangeKind,
  paths: readonly string[],
): Promise<void> {
  const what = paths.length > 2 ? `${paths[0]} and ${paths.length - 1} more` : paths.join(', ');
  try {
    if (kind === 'stack') await updateStack(platform, what, !isConfigurationOnly(paths));
    else await swapCode(platform, proxy, paths, what);
  } catch (error) {
    say(`${paint('red', '✖')} ${what}: not applied, the version before keeps running.`);
    printFailure(error);
  }
}

/** Deploy the function of the changed file first: it is most likely to be called. */
async function swapCode(
  platform: Platform,
  proxy: BaseUrlProxy,
  paths: readonly string[],
  what: string,
): Promise<void> {
  const startedAt = performance.now();
  const swap = async (): Promise<void> => {
    const swapped = await proxy.whileQuiet(() => platform.swap());
    const ms = Math.round(performance.now() - startedAt);
    if (swapped.length === 0) return;
    say(`${paint('green', '↻')} ${what}: ${swapped.join(', ')} live after ${ms} ms`);
  };
  const owner = moduleOf(paths);
  const isOwn = (name: string) => name === owner || name.startsWith(`${owner}-`);
  if (owner !== undefined) {
    await platform.buildChanged(paths, isOwn);
    await swap();
    await sleep(firstCallMs);
  }
  await platform.buildChanged(paths, (name) => !isOwn(name));
  await swap();
  // The API description takes longest.
  await platform.buildAssets();
  await proxy.whileQuiet(() => platform.swap());
}

/** The module that all the files belong to. */
function moduleOf(paths: readonly string[]): string | undefined {
  const modules = new Set(paths.map((path) => /^functions\/([^/]+)\//.exec(path)?.[1]));
  const [module] = modules;
  return modules.size === 1 ? module : undefined;
}

async function updateStack(platform: Platform, what: string, changesCode: boolean): Promise<void> {
  const step = startStep('stack', `${what}: building`);
  try {
    if (changesCode) await platform.build();
    step.update(`${what}: synthesising`);
    await platform.synthesise();
    const change = await platform.deploy((done, total) =>
      step.update(`${what}: ${done} of ${total} resources`),
    );
    step.done(`${what}: ${change}`);
  } catch (error) {
    step.failed(`${what}: failed`);
    throw error;
  }
}
