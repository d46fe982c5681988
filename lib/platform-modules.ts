import { join } from 'node:path';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import { Stage } from 'aws-cdk-lib/core';
import { Construct } from 'constructs';
import { moduleConfigEnvironment, type SvcConfig } from '../shared/config/index.ts';
import { Api } from './api.ts';
import { bundleFunctions, functionEntries } from './bundle.ts';
import { LOCAL_STAGE, type RawSvcConfig, readConfig, readStage } from './configuration.ts';
import { leaveOutUnknownTypes } from './local-cloud.ts';
import { Messaging } from './messaging.ts';
import {
  type FunctionDefinition,
  jobFunctionName,
  type ModuleDefinition,
} from './module-definition.ts';
import { DEFAULT_TIMEOUT_SECONDS, ModuleFunction } from './module-function.ts';
import { platformModules } from './modules.ts';
import { Monitoring } from './monitoring.ts';
import { packageVersion } from './package-files.ts';
import { Storage } from './storage.ts';

/** How a stack uses the platform. Everything has a default. */
export interface PlatformModulesProps {
  /** Deployment stage; context `stage` when left out. */
  readonly stage?: string;
  /** `svc.*` properties over those of the CDK context: nested or dotted, in the documented spelling. */
  readonly config?: RawSvcConfig;
  /** File that default-exports the host (`defineHost`); the default host, which grants nothing, when left out. */
  readonly hostEntry?: string;
  /** Folder of bundles that exist already (`<folder>/<function>/index.mjs`); bundled anew when left out. */
  readonly bundleDirectory?: string;
  /** Topic that alarms are sent to; one of its own when left out. */
  readonly alarmTopic?: ITopic;
  /** The modules; all of the platform when left out. */
  readonly modules?: readonly ModuleDefinition[];
}

/**
 * The platform in a stack: table, bucket, event bus, HTTP API and one function per module that the configuration
 * switches on.
 *
 * @example
 * new PlatformModules(this, 'Platform', { hostEntry: 'src/platform-host.ts' });
 */
export class PlatformModules extends Construct {
  readonly stage: string;
  readonly config: SvcConfig;
  readonly storage: Storage;
  readonly messaging: Messaging;
  readonly api: Api;
  readonly monitoring: Monitoring;
  /** Functions by name: the module's, or `<module>-<job>`. */
  readonly functions: ReadonlyMap<string, ModuleFunction>;
  readonly #modules: readonly ModuleDefinition[];
  readonly #bundles: string;

  /** @throws ConfigError listing every wrong property. */
  constructor(scope: Construct, id: string, props: PlatformModulesProps = {}) {
    super(scope, id);
    const { config, stage } = this.#read(props);
    this.stage = stage;
    this.config = config;
    this.#modules = (props.modules ?? platformModules).filter((module) => module.enabled(config));
    this.#bundles = props.bundleDirectory ?? this.#bundle(props.hostEntry);
    this.storage = new Storage(this, 'Storage', { stage });
    this.messaging = new Messaging(this, 'Messaging', { stage, config });
    this.api = new Api(this, 'Api', { stage, config });
    this.functions = new Map(this.#modules.flatMap((module) => this.#addModule(module)));
    this.monitoring = new Monitoring(this, 'Monitoring', {
      stage,
      api: this.api,
      storage: this.storage,
      messaging: this.messaging,
      functions: this.functions,
      ...(props.alarmTopic && { alarmTopic: props.alarmTopic }),
    });
    if (stage === LOCAL_STAGE) leaveOutUnknownTypes(this);
  }

  #read(props: PlatformModulesProps): { stage: string; config: SvcConfig } {
    const stage = readStage(this, props.stage);
    return { stage, config: readConfig(this, stage, props.config) };
  }

  #bundle(hostEntry: string | undefined): string {
    const outdir = join(
      Stage.of(this)?.outdir ?? 'cdk.out',
      `svc-cloud-${this.node.addr.slice(-8)}`,
    );
    bundleFunctions(functionEntries(this.#modules), { outdir, ...(hostEntry && { hostEntry }) });
    return outdir;
  }

  #addModule(module: ModuleDefinition): [string, ModuleFunction][] {
    const main = this.#addFunction(module.name, module, {
      ...module,
      timeoutSeconds: longestRun(module),
    });
    this.api.route(module.name, module.paths(this.config), main.function);
    if (module.answersUnknownPaths) this.api.routeUnknownPaths(module.name, main.function);
    for (const listener of module.listeners) this.messaging.deliver(listener, main);
    const jobs = (module.jobs ?? []).filter((job) => job.enabled?.(this.config) ?? true);
    return [
      [module.name, main],
      ...jobs.map((job): [string, ModuleFunction] => {
        const name = jobFunctionName(module, job);
        return [name, this.#addFunction(name, module, job)];
      }),
    ];
  }

  #addFunction(
    name: string,
    module: ModuleDefinition,
    definition: FunctionDefinition,
  ): ModuleFunction {
    return new ModuleFunction(this, name, {
      stage: this.stage,
      bundle: join(this.#bundles, name),
      environment: this.#environment(name, module),
      ...(definition.memoryMb && { memoryMb: definition.memoryMb }),
      ...(definition.timeoutSeconds && { timeoutSeconds: definition.timeoutSeconds }),
      ...(definition.reservedConcurrency && {
        reservedConcurrency: definition.reservedConcurrency,
      }),
    }).uses(definition.grants(this.config), { storage: this.storage, messaging: this.messaging });
  }

  #environment(name: string, module: ModuleDefinition): Record<string, string> {
    return {
      SVC_MODULE: name,
      SVC_STAGE: this.stage,
      SVC_VERSION: packageVersion(),
      SVC_CONFIG: moduleConfigEnvironment(this.config, module.configSections),
      TABLE_NAME: this.storage.table.tableName,
      BUCKET_NAME: this.storage.bucket.bucketName,
      EVENT_BUS_NAME: this.messaging.bus.eventBusName,
      POWERTOOLS_SERVICE_NAME: `svc-cloud-${name}`,
      AWS_SDK_UA_APP_ID: `svc-cloud-${name}`,
      ...(module.answersUnknownPaths && {
        SVC_MODULES_ON: JSON.stringify(this.#modules.map((each) => each.name)),
      }),
    };
  }
}

/** A function has one time limit, whoever calls it: long enough for its slowest listener. */
function longestRun({
  timeoutSeconds = DEFAULT_TIMEOUT_SECONDS,
  listeners,
}: ModuleDefinition): number {
  return Math.max(timeoutSeconds, ...listeners.map((listener) => listener.timeoutSeconds ?? 0));
}
