import { join } from 'node:path';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import { Stack, Stage } from 'aws-cdk-lib/core';
import { Construct } from 'constructs';
import type { ListenerDeclaration } from '../shared/messaging/consuming/listener.ts';
import { goesOverBus } from '../shared/messaging/wire/topology.ts';
import {
  type FunctionDeclaration,
  type JobDeclaration,
  jobFunctionName,
  type ModuleDeclaration,
} from '../shared/module/declaration.ts';
import {
  type Grant,
  hostListeners,
  readsRevokedSubjects,
  readsTenantClock,
} from '../shared/module/grants.ts';
import { acceptsSessions } from '../shared/sessions/session-issuer.ts';
import { bundleFunctions, functionEntries, placeholderBundles } from './bundling/bundle.ts';
import { readHostListeners } from './bundling/host-listeners.ts';
import {
  LOCAL_STAGE,
  type RawSvcConfig,
  readConfig,
  readStage,
} from './configuration/configuration.ts';
import { leaveOutUnknownTypes } from './configuration/local-cloud.ts';
import { trustLocalIssuer } from './configuration/local-issuer.ts';
import { boundPorts } from './configuration/ports.ts';
import { type EnvironmentFacts, functionEnvironment } from './function-environment.ts';
import { environmentFindings } from './functions/environment-size.ts';
import { ModuleFunction } from './functions/module-function.ts';
import { distributedTopicsOf, warnOfSilentListeners, wireDispatch } from './listener-wiring.ts';
import { checkPaths } from './module-checks.ts';
import {
  corsOriginsOf,
  type DeclaredRelay,
  functionListeners,
  longestRun,
  type ModuleLists,
  modulesOf,
  relayOf,
} from './module-list.ts';
import type { SvcConfig } from './modules.ts';
import { Api } from './resources/api.ts';
import { Edge } from './resources/edge.ts';
import { Encryption } from './resources/encryption.ts';
import { declareSenders } from './resources/mail-senders.ts';
import { Messaging } from './resources/messaging.ts';
import type { FunctionListeners } from './resources/messaging-plan.ts';
import { ModuleServices } from './resources/module-services.ts';
import { Monitoring } from './resources/monitoring/monitoring.ts';
import { Relay } from './resources/relay.ts';
import { routeLimits } from './resources/route-limits.ts';
import { runOnSchedule } from './resources/schedules.ts';
import { Storage } from './resources/storage.ts';
import { sessionKeysPath, warnOfRefusedSessions } from './sessions.ts';

/** How a stack uses the platform. Everything has a default. */
export interface PlatformModulesProps extends ModuleLists {
  /** Deployment stage; context `stage` when left out. */
  readonly stage?: string;
  /** `svc.*` properties over those of the CDK context: nested or dotted, in the documented spelling. */
  readonly config?: RawSvcConfig;
  /** File that default-exports the host (`defineHost`); the default host, which grants nothing, when left out. */
  readonly hostEntry?: string;
  /**
   * File of a token issuer of this machine (`npx svc-cloud-token --issuer <file>` makes it), whose tokens the stage
   * local accepts; other stages do not read it.
   */
  readonly localIssuerFile?: string;
  /** Folder of existing bundles (`<folder>/<function>/index.mjs`); by default they are built. */
  readonly bundleDirectory?: string;
  /** Topic that alarms are sent to; by default the stack creates one. */
  readonly alarmTopic?: ITopic;
  /**
   * Customer-managed key for everything that is stored, or `create` for one of the stack; `svc.security.kms-key`
   * when left out.
   */
  readonly encryptionKey?: IKey | 'create';
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
  readonly encryption: Encryption;
  readonly storage: Storage;
  readonly messaging: Messaging;
  readonly api: Api;
  /** CloudFront and its web ACL, with `svc.security.waf`. */
  readonly edge?: Edge;
  readonly monitoring: Monitoring;
  /** Functions by name: the module's, or `<module>-<job>`. */
  readonly functions: ReadonlyMap<string, ModuleFunction>;
  readonly #services = new Map<string, ModuleServices>();
  /** Functions of other modules that ports call, by the function that binds them. */
  readonly #portCalls = new Map<string, readonly string[]>();
  /** All modules, those that are off included. */
  readonly #all: readonly ModuleDeclaration[];
  readonly #modules: readonly ModuleDeclaration[];
  readonly #relay: DeclaredRelay | undefined;
  readonly #bundles: string;
  readonly #hostListeners: readonly ListenerDeclaration[];
  readonly #listeners: readonly FunctionListeners[];

  /** @throws ConfigError listing every wrong property, HostEntryError naming what is wrong with the host file. */
  constructor(scope: Construct, id: string, props: PlatformModulesProps = {}) {
    super(scope, id);
    const modules = modulesOf(props);
    const { config, stage } = this.#read(props);
    this.stage = stage;
    this.config = config;
    this.#all = modules;
    this.#modules = this.#all.filter(({ enabled }) => enabled?.(config) ?? true);
    checkPaths(this.#modules, config);
    this.#relay = relayOf(this.#modules, config);
    this.#hostListeners = props.hostEntry === undefined ? [] : readHostListeners(props.hostEntry);
    this.#bundles = props.bundleDirectory ?? this.#bundle(props.hostEntry);
    this.encryption = new Encryption(this, 'Encryption', {
      stage,
      key: props.encryptionKey ?? config.security.kmsKey,
    });
    const { encryption } = this;
    this.storage = new Storage(this, 'Storage', {
      stage,
      encryption,
      corsOrigins: config.web.corsOrigins,
      expiringFiles: Object.assign({}, ...this.#modules.map((module) => module.expiringFiles)),
    });
    this.#listeners = functionListeners(this.#modules, this.#hostListeners);
    this.messaging = new Messaging(this, 'Messaging', {
      stage,
      encryption,
      config,
      functions: this.#listeners,
      distributedTopics: distributedTopicsOf(this.#modules),
    });
    warnOfSilentListeners(this, { config, modules: this.#modules });
    warnOfRefusedSessions(this, { config, stage, modules: this.#modules });
    const corsOrigins = corsOriginsOf(this.#modules, config);
    this.api = new Api(this, 'Api', { stage, config, encryption, corsOrigins });
    if (config.security.waf !== false && stage !== LOCAL_STAGE) {
      this.edge = new Edge(this, 'Edge', { config, encryption });
      this.edge.standBefore(this.api);
    }
    this.functions = new Map(this.#modules.flatMap((module) => this.#addModule(module)));
    this.api.limit(
      routeLimits(
        this.#modules.flatMap((module) => module.routeLimits?.(config) ?? []),
        config.web.routeLimits,
      ),
    );
    for (const services of this.#services.values())
      services.connect(this.functions, this.#portCalls);
    declareSenders(
      this,
      this.#modules.flatMap((module) => this.#grantsOf(module)),
    );
    const relay = this.#wakeRelay();
    wireDispatch({ ...this.#facts, listeners: this.#listeners, functions: this.functions });
    this.monitoring = new Monitoring(this, 'Monitoring', {
      stage,
      encryption,
      api: this.api,
      storage: this.storage,
      messaging: this.messaging,
      functions: this.functions,
      services: this.#services,
      modules: this.#modules,
      ...(relay && { relay }),
      ...(props.alarmTopic && { alarmTopic: props.alarmTopic }),
    });
    this.node.addValidation({ validate: () => environmentFindings(this.functions) });
    if (stage === LOCAL_STAGE) leaveOutUnknownTypes(this);
  }

  #read(props: PlatformModulesProps): { stage: string; config: SvcConfig } {
    const stage = readStage(this, props.stage);
    if (stage === LOCAL_STAGE && props.localIssuerFile) {
      trustLocalIssuer(this, props.localIssuerFile);
    }
    return { stage, config: readConfig(this, stage, props.config, props.modules) };
  }

  #bundle(hostEntry: string | undefined): string {
    const outdir = join(
      Stage.of(this)?.outdir ?? 'cdk.out',
      `svc-cloud-${this.node.addr.slice(-8)}`,
    );
    const entries = functionEntries(this.#modules, this);
    if (Stack.of(this).bundlingRequired) {
      bundleFunctions(entries, { outdir, ...(hostEntry && { hostEntry }) });
    } else placeholderBundles(entries, outdir);
    return outdir;
  }

  #addModule(module: ModuleDeclaration): [string, ModuleFunction][] {
    const { stage, config, encryption, messaging } = this;
    const facts = { stage, config, encryption, messaging, module };
    this.#services.set(module.name, new ModuleServices(this, `${module.name}-services`, facts));
    const main = this.#addFunction(module.name, module, {
      ...module,
      timeoutSeconds: longestRun(module, this.#listenersOf(module.name)),
      grants: (config) => [
        ...module.grants(config),
        ...this.#hostGrants(module),
        ...(config.security.testClock ? [readsTenantClock()] : []),
        ...(this.#hasSessions ? [readsRevokedSubjects()] : []),
      ],
    });
    const paths = module.paths(this.config);
    this.api.route(module.name, paths, main.function, module.privatePaths?.(this.config));
    this.api.routeFallback(module.name, module.fallbackPaths?.(this.config) ?? [], main.function);
    if (module.answersUnknownPaths) this.api.routeUnknownPaths(module.name, main.function);
    this.messaging.deliver(module.name, main);
    runOnSchedule(main, main, module.schedules ?? []);
    return [
      [module.name, main],
      ...this.#jobsOf(module).map((job): [string, ModuleFunction] => {
        const name = jobFunctionName(module, job);
        return [name, this.#addFunction(name, module, job)];
      }),
    ];
  }

  #jobsOf({ jobs = [] }: ModuleDeclaration): readonly JobDeclaration[] {
    return jobs.filter((job) => job.enabled?.(this.config) ?? true);
  }

  #grantsOf(module: ModuleDeclaration): readonly Grant[] {
    return [module, ...this.#jobsOf(module)].flatMap(({ grants }) => grants(this.config));
  }

  #servicesOf({ name }: ModuleDeclaration): ModuleServices {
    const services = this.#services.get(name);
    if (!services) throw new Error(`The module ${name} is not there yet`);
    return services;
  }

  #addFunction(
    name: string,
    module: ModuleDeclaration,
    definition: FunctionDeclaration,
  ): ModuleFunction {
    const ports = boundPorts(definition, this.#all, this.config);
    this.#portCalls.set(name, ports.calls);
    const target = new ModuleFunction(this, name, {
      stage: this.stage,
      bundle: join(this.#bundles, name),
      environment: functionEnvironment({ ...this.#facts, ports }, name, module, definition),
      size: definition,
      reservedConcurrency:
        definition.reservedConcurrencyFor?.(this.config, this.stage) ??
        definition.reservedConcurrency,
      encryptionKey: this.encryption.key,
    }).uses([...definition.grants(this.config), ...ports.grants], {
      storage: this.storage,
      messaging: this.messaging,
      services: this.#servicesOf(module),
    });
    this.messaging.letSendInOrder(target.role);
    return target;
  }

  /** With the in-process transport every function runs the host's listeners of its topics. */
  #hostGrants({ runsHostListeners = false }: ModuleDeclaration): readonly Grant[] {
    const runsThem = runsHostListeners || !goesOverBus(this.config.mq);
    return runsThem && this.#hostListeners.length > 0 ? hostListeners() : [];
  }

  #listenersOf(owner: string): readonly ListenerDeclaration[] {
    return this.#listeners.find((each) => each.owner === owner)?.listeners ?? [];
  }

  get #facts(): Omit<EnvironmentFacts, 'ports'> {
    const { stage, config, storage, messaging } = this;
    const relay = this.#relay?.name;
    const edgeSecret = this.edge?.secret;
    const facts = { stage, config, storage, messaging, modules: this.#modules };
    return { ...facts, relay, edgeSecret, sessionKeys: this.#sessionKeys };
  }

  /** Where the keys of the platform's own logins are. */
  get #sessionKeys(): string | undefined {
    const path = sessionKeysPath(this.#modules);
    if (path === undefined) return undefined;
    // Its own address is known to the local cloud's functions alone.
    const isLocal = this.stage === LOCAL_STAGE;
    return isLocal ? `${localPath(this.api.httpApi)}${path}` : `${this.url}${path}`;
  }

  /** Whether functions accept the tokens of the platform's own logins. */
  get #hasSessions(): boolean {
    return this.#sessionKeys !== undefined || acceptsSessions(this.config.security);
  }

  #wakeRelay(): Relay | undefined {
    const target = this.functions.get(this.#relay?.name ?? '');
    if (!target || !this.#relay) return undefined;
    const { config, storage, messaging } = this;
    const { declaration } = this.#relay;
    return new Relay(this, 'Relay', { declaration, config, storage, messaging, target });
  }

  /**
   * Base URL of the API: that of CloudFront with `svc.security.waf`. On the stage local it is that of the local cloud at
   * AWS_ENDPOINT_URL.
   */
  get url(): string {
    if (this.edge) return this.edge.url;
    const { httpApi } = this.api;
    const cloud = process.env.AWS_ENDPOINT_URL;
    return this.stage === LOCAL_STAGE && cloud
      ? `${cloud}${localPath(httpApi)}`
      : httpApi.apiEndpoint;
  }
}

/** Where the local cloud serves an API. */
const localPath = ({ apiId }: { readonly apiId: string }): string =>
  `/_aws/execute-api/${apiId}/$default`;
