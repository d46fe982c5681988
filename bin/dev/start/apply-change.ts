import type { Platform } from '../platform.ts';
import type { BaseUrlProxy } from '../proxy/base-url-proxy.ts';
import { paint, printFailure, say, startStep } from '../terminal/output.ts';
import type { ChangeKind } from '../watch/watch-sources.ts';

/**
 * Brings a change of the sources to the running platform: new code is put into its functions at once; a new stack is
 * synthesised and deployed. A failure is printed and leaves everything running as it was.
 */
export async function applyChange(
  platform: Platform,
  proxy: BaseUrlProxy,
  kind: ChangeKind,
  paths: readonly string[],
): Promise<void> {
  const startedAt = performance.now();
  const what = paths.length > 2 ? `${paths[0]} and ${paths.length - 1} more` : paths.join(', ');
  try {
    if (kind === 'stack') {
      await updateStack(platform, what);
      return;
    }
    await platform.build(paths);
    const swapped = await proxy.whileQuiet(() => platform.swap());
    if (swapped.length > 0) {
      const ms = Math.round(performance.now() - startedAt);
      say(`${paint('green', '↻')} ${what}: ${swapped.join(', ')} live after ${ms} ms`);
    }
    // The description of the interface takes longer to make and follows the code.
    platform.buildAssets();
    await proxy.whileQuiet(() => platform.swap());
  } catch (error) {
    say(`${paint('red', '✖')} ${what}: not applied, the version before keeps running.`);
    printFailure(error);
  }
}

async function updateStack(platform: Platform, what: string): Promise<void> {
  const step = startStep('stack', `${what}: building`);
  try {
    await platform.build();
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
