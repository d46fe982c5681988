import { join } from 'node:path';
import { describeLost } from '../deploy/lost-resources.ts';
import { ensureDevIssuer, signDevToken } from '../dev-issuer.ts';
import { ensureLocalCloud, ownCloudPaths, type UsableCloud } from '../local-cloud/ensure.ts';
import { whenLeftAlone } from '../local-cloud/lives-with.ts';
import { type RunningCloud, stopLocalCloud } from '../local-cloud/start.ts';
import { followLogs } from '../logs/follow-logs.ts';
import { removeOutputs, writeOutputs } from '../outputs.ts';
import { localFolder } from '../paths.ts';
import { Platform } from '../platform.ts';
import { type BaseUrlProxy, startBaseUrlProxy } from '../proxy/base-url-proxy.ts';
import type { StartOptions } from '../terminal/arguments.ts';
import { say, startStep, warn } from '../terminal/output.ts';
import { choosePort } from './choose-port.ts';
import {
  hasDocumentServer,
  type StandIn,
  standInContext,
  startStandIn,
} from './document-server.ts';
import { followSources } from './follow-sources.ts';
import {
  decidesIdentity,
  type IdentityPeers,
  identityContext,
  startIdentityPeers,
} from './identity-peers.ts';
import { printReady } from './print-ready.ts';
import { seedAll } from './seed-all.ts';
import { announceStop, claimStart, releaseStart } from './start-lock.ts';

/** One run of `npm start`: deploys and serves the platform and follows the sources until it is stopped. */
export class StartSession {
  readonly #platform: Platform;
  /** Overrides; the stand-in of the document server adds its own before the first synthesis. */
  readonly #context: Record<string, string>;
  readonly #stopped = new AbortController();
  readonly #hasDemo: boolean;
  #standIn: StandIn | undefined;
  #peers: IdentityPeers | undefined;
  #cloud: UsableCloud | undefined;
  #proxy: BaseUrlProxy | undefined;
  #stopWatching: () => Promise<void> = async () => undefined;
  #starting: Promise<UsableCloud> | undefined;

  constructor(options: StartOptions) {
    this.#hasDemo = options.hasDemo;
    this.#context = { ...options.context };
    this.#platform = new Platform({
      workFolder: join(localFolder, 'work'),
      context: this.#context,
    });
  }

  /** Runs until Ctrl-C, `npm run stop` or a failure; stops gracefully in each case. */
  async run(): Promise<void> {
    await claimStart();
    removeOutputs();
    const signalled = this.#onSignal();
    try {
      const port = await choosePort();
      await Promise.race([this.#bringUp(port), signalled]);
      if (!this.#stopped.signal.aborted) await signalled;
    } finally {
      await this.#stop();
    }
  }

  async #bringUp(port: number): Promise<void> {
    const startedAt = performance.now();
    await this.#startDocumentServer(port);
    await this.#startIdentityPeers(port);
    const prepared = this.#prepare();
    prepared.catch(() => undefined);
    const cloud = await this.#startCloud();
    const build = startStep('build', 'functions and stack');
    try {
      build.done(await prepared);
    } catch (error) {
      if (!this.#stopped.signal.aborted) build.failed('not possible');
      throw error;
    }
    this.#platform.connect(cloud.endpoint);
    await this.#clearDamage(cloud);
    await this.#deploy();
    const proxy = await this.#serve(cloud, port);
    const token = await signDevToken(await ensureDevIssuer(), { sub: 'demo', roles: ['admin'] });
    const demo = await seedAll(proxy.baseUrl, token, {
      standIn: this.#standIn,
      peers: this.#peers,
    });
    this.#writeOutputs(cloud, proxy);
    await this.#watch(cloud, proxy);
    const { baseUrl } = proxy;
    printReady({ baseUrl, token, endpoint: cloud.endpoint, startedAt, ...demo });
    await this.#platform.warmUp();
  }

  /** Unless a document server is configured, a stand-in of it runs as a process of its own. */
  async #startDocumentServer(port: number): Promise<void> {
    if (hasDocumentServer(this.#context)) return;
    this.#standIn = await startStandIn();
    Object.assign(this.#context, standInContext(this.#standIn, port));
  }

  /** Unless the run decides about it, there are people to synchronise and to log in. */
  async #startIdentityPeers(port: number): Promise<void> {
    if (!this.#hasDemo || decidesIdentity(this.#context)) return;
    this.#peers = await startIdentityPeers(port);
    Object.assign(this.#context, identityContext(this.#peers, port));
  }

  /** Work that needs no cloud, done while the cloud starts. */
  async #prepare(): Promise<string> {
    const built = await this.#platform.build();
    await this.#platform.synthesise();
    return built.length === 1 ? '1 function' : `${built.length} functions`;
  }

  async #startCloud(): Promise<UsableCloud> {
    const step = startStep('local cloud', 'looking for it');
    try {
      this.#starting = ensureLocalCloud((text) => step.update(text));
      const cloud = await this.#starting;
      this.#cloud = cloud;
      const name = cloud.own ? 'MiniStack' : 'AWS_ENDPOINT_URL, version';
      step.done(`${name} ${cloud.version} at ${cloud.endpoint}`);
      for (const note of cloud.notes) warn(note);
      return cloud;
    } catch (error) {
      step.failed('not available');
      throw error;
    }
  }

  /** An update would never repair a COMPLETE stack whose tables or functions are missing. */
  async #clearDamage(cloud: UsableCloud): Promise<void> {
    const lost = await this.#platform.findLost();
    if (lost.length === 0) return;
    warn(`The saved state is damaged. Lost with all they held: ${describeLost(lost)}.`);
    if (cloud.own) {
      warn('Starting afresh: everything is deployed again, the demo data is made again.');
      await fetch(new URL('/_ministack/reset', cloud.endpoint), { method: 'POST' });
    } else {
      warn('Deploying the stack again, with empty tables and buckets.');
      await this.#platform.remove();
    }
  }

  async #deploy(): Promise<void> {
    const step = startStep('deploy', 'stack');
    try {
      const change = await this.#platform.deploy((done, total) =>
        step.update(`stack: ${done} of ${total} resources`),
      );
      step.done(`stack ${this.#platform.outputs().stackName} ${change}`);
    } catch (error) {
      step.failed('the stack was not deployed');
      throw error;
    }
  }

  async #serve(cloud: UsableCloud, port: number): Promise<BaseUrlProxy> {
    this.#proxy = await startBaseUrlProxy({
      endpoint: cloud.endpoint,
      apiId: this.#platform.outputs().apiId,
      port,
    });
    return this.#proxy;
  }

  #writeOutputs(cloud: UsableCloud, proxy: BaseUrlProxy): void {
    writeOutputs({
      baseUrl: proxy.baseUrl,
      endpoint: cloud.endpoint,
      ...this.#platform.outputs(),
      pid: process.pid,
      startedAt: new Date().toISOString(),
    });
  }

  async #watch(cloud: UsableCloud, proxy: BaseUrlProxy): Promise<void> {
    this.#stopWatching = await followSources(this.#platform, proxy, () =>
      this.#writeOutputs(cloud, proxy),
    );
    void followLogs({
      endpoint: cloud.endpoint,
      functions: () => this.#platform.functionNames(),
      since: Date.now(),
      print: say,
      signal: this.#stopped.signal,
      follow: true,
    });
  }

  /** Resolves when this process is asked to stop. */
  #onSignal(): Promise<void> {
    return new Promise((resolve) => {
      for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
        // Keep the handler: npm forwards a Ctrl-C that the terminal has already delivered.
        process.on(signal, () => resolve());
      }
      whenLeftAlone(resolve);
    });
  }

  async #stop(): Promise<void> {
    if (this.#stopped.signal.aborted) return;
    this.#stopped.abort();
    announceStop();
    try {
      await this.#stopParts();
    } finally {
      await this.#stopCloud();
    }
  }

  async #stopParts(): Promise<void> {
    await this.#stopWatching();
    removeOutputs();
    await this.#proxy?.close();
    await Promise.all([this.#standIn?.stop(), this.#peers?.stop()]);
    await this.#platform.close();
  }

  /** What could not be stopped before keeps no cloud running. */
  async #stopCloud(): Promise<void> {
    // Stopped while the local cloud was starting: stop the cloud as well.
    this.#cloud ??= await this.#starting?.catch(() => undefined);
    try {
      if (this.#cloud?.own) await stopOwnCloud(this.#cloud.own);
    } finally {
      releaseStart();
    }
  }
}

async function stopOwnCloud(cloud: RunningCloud): Promise<void> {
  const step = startStep('stop', 'saving the data');
  await stopLocalCloud(cloud, ownCloudPaths);
  step.done('stopped, the data is kept');
}
