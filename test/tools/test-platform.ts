import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { BuiltFunctions } from '../../bin/dev/build/function-builder.ts';
import { freePort } from '../../bin/dev/local-cloud/free-port.ts';
import { ensurePythonTool, localCloudTool } from '../../bin/dev/local-cloud/install.ts';
import { claimProcesses } from '../../bin/dev/local-cloud/lives-with.ts';
import { isAlive } from '../../bin/dev/local-cloud/lock.ts';
import {
  findRunningCloud,
  startLocalCloud,
  stopLocalCloud,
} from '../../bin/dev/local-cloud/start.ts';
import type { PlatformOutputs } from '../../bin/dev/outputs.ts';
import { cloudPaths, localFolder } from '../../bin/dev/paths.ts';
import { Platform } from '../../bin/dev/platform.ts';
import { startBaseUrlProxy } from '../../bin/dev/proxy/base-url-proxy.ts';
import { startRecordingProxy } from './recording/recording-proxy.ts';

/** What a platform of its own for a test or a benchmark is like. */
export interface TestPlatformOptions {
  /** Refuse calls that a function's role does not allow. */
  readonly enforceIam?: boolean;
  /** File that gets every AWS call of a function, one JSON line each. */
  readonly recording?: string;
  readonly context?: Readonly<Record<string, string>>;
  /** Host file instead of `bin/host.ts`. */
  readonly hostEntry?: string;
  /** File whose default export lists modules besides those of the platform. */
  readonly modulesEntry?: string;
  /** Port of its address; any free one when left out. */
  readonly port?: number;
  /** Its functions, minified, when they were built already. */
  readonly built?: BuiltFunctions;
  readonly onProgress?: (text: string) => void;
}

/** A platform on a fresh local cloud of its own; it knows nothing of a running `npm start`. */
export interface TestPlatform {
  readonly outputs: PlatformOutputs;
  /** The deployed template, as JSON. */
  readonly templateBody: string;
  /** Stops the local cloud as `npm stop` does, and starts it again with what it has saved. */
  restart(): Promise<void>;
  /** Stops everything and deletes its data. */
  stop(): Promise<void>;
}

/** Starts a fresh local cloud on a free port, deploys the platform as it goes to production and serves it. */
export async function startTestPlatform(options: TestPlatformOptions = {}): Promise<TestPlatform> {
  const say = options.onProgress ?? (() => undefined);
  claimProcesses();
  await removeRemains();
  const folder = testFolder();
  const paths = cloudPaths(join(folder, 'cloud'));
  const cleanUps: (() => Promise<void>)[] = [
    async () => rmSync(folder, { recursive: true, force: true }),
  ];
  const stop = async (): Promise<void> => {
    for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
  };
  try {
    const python = await ensurePythonTool(localCloudTool, {
      onInstall: ({ name }) => say(`installing ${name} into .local/ (once)`),
    });
    const platform = new Platform({
      workFolder: join(folder, 'work'),
      minify: true,
      ...(options.hostEntry && { hostEntry: options.hostEntry }),
      ...(options.modulesEntry && { modulesEntry: options.modulesEntry }),
      ...(options.context && { context: options.context }),
      ...(options.built && { built: options.built }),
    });
    cleanUps.push(() => platform.close());
    const recorder = options.recording
      ? await startRecordingProxy(await randomPort(), options.recording)
      : undefined;
    if (recorder) cleanUps.push(() => recorder.close());
    say('starting a local cloud, building and synthesising');
    const prepared = platform.build().then(() => platform.synthesise());
    prepared.catch(() => undefined);
    const cloudOptions = {
      ...{ python, paths, port: await randomPort() },
      ...(options.enforceIam && { enforceIam: true }),
      ...(recorder && { endpointForFunctions: recorder.endpoint }),
    };
    let cloud = await startLocalCloud(cloudOptions);
    cleanUps.push(() => stopLocalCloud(cloud, paths));
    await prepared;
    recorder?.setTarget(cloud.endpoint);
    say(`deploying to ${cloud.endpoint}`);
    platform.connect(cloud.endpoint);
    await platform.deploy();
    const stack = platform.outputs();
    recorder?.setNames(stack);
    const proxy = await startBaseUrlProxy({
      endpoint: cloud.endpoint,
      apiId: stack.apiId,
      port: options.port ?? (await randomPort()),
    });
    cleanUps.push(() => proxy.close());
    const { endpoint, startedAt } = cloud;
    const outputs = { ...stack, endpoint, baseUrl: proxy.baseUrl, pid: process.pid, startedAt };
    const restart = async (): Promise<void> => {
      await stopLocalCloud(cloud, paths);
      cloud = await startLocalCloud(cloudOptions);
    };
    return { outputs, templateBody: platform.templateBody, restart, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

function testFolder(): string {
  for (let number = 1; ; number += 1) {
    const folder = join(localFolder, `test-${process.pid}-${number}`);
    if (!existsSync(folder)) return folder;
  }
}

/** Far from the ports that people use, and seldom the same for two runs at once. */
export async function randomPort(): Promise<number> {
  return await freePort(20_000 + Math.floor(Math.random() * 10_000));
}

/** Runs that were killed leave their folder and perhaps their local cloud behind. */
async function removeRemains(): Promise<void> {
  if (!existsSync(localFolder)) return;
  for (const name of readdirSync(localFolder)) {
    const owner = /^test-(\d+)-\d+$/.exec(name)?.[1];
    if (!owner || isAlive(Number(owner))) continue;
    const folder = join(localFolder, name);
    const paths = cloudPaths(join(folder, 'cloud'));
    const cloud = await findRunningCloud(paths);
    if (cloud) await stopLocalCloud(cloud, paths);
    rmSync(folder, { recursive: true, force: true });
  }
}
