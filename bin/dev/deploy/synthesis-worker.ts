import { parentPort, workerData } from 'node:worker_threads';
import type { SynthesisInput } from './synthesise.ts';

const input = workerData as SynthesisInput;

try {
  const { createPlatformApp } = await import('../../../lib/platform-app.ts');
  createPlatformApp({
    stage: 'local',
    context: { ...input.context },
    outdir: input.assemblyFolder,
    bundleDirectory: input.bundleFolder,
  }).synth();
  parentPort?.postMessage({});
} catch (error) {
  parentPort?.postMessage({ error: error instanceof Error ? error.message : String(error) });
}
