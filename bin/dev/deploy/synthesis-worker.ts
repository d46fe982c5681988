import { pathToFileURL } from 'node:url';
import { parentPort, workerData } from 'node:worker_threads';
import { BOOTSTRAP_QUALIFIER_CONTEXT } from 'aws-cdk-lib/core';
import { bootstrapQualifier } from '../local-cloud/aws-client.ts';
import type { SynthesisInput } from './synthesise.ts';

const input = workerData as SynthesisInput;

try {
  const { createPlatformApp } = await import('../../../lib/platform-app.ts');
  const { modulesEntry } = input;
  const modules = modulesEntry && (await import(pathToFileURL(modulesEntry).href)).default;
  createPlatformApp({
    stage: 'local',
    // Skip checks that take seconds; "npm run check" and the tests run them.
    validateTemplates: false,
    context: { [BOOTSTRAP_QUALIFIER_CONTEXT]: bootstrapQualifier, ...input.context },
    outdir: input.assemblyFolder,
    bundleDirectory: input.bundleFolder,
    ...(modules && { modules }),
    ...(input.hostEntry && { hostEntry: input.hostEntry }),
  }).synth();
  parentPort?.postMessage({});
} catch (error) {
  parentPort?.postMessage({ error: error instanceof Error ? error.message : String(error) });
}
