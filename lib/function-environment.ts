import { goesOverBus, type MessagingTopology } from '../shared/messaging/wire/topology.ts';
import type { FunctionDeclaration, ModuleDeclaration } from '../shared/module/declaration.ts';
import { packageVersion } from './bundling/package-files.ts';
import { functionConfig } from './configuration/function-config.ts';
import type { BoundPorts } from './configuration/ports.ts';
import type { SvcConfig } from './modules.ts';
import type { Messaging } from './resources/messaging.ts';
import { tickQueueName } from './resources/relay.ts';
import type { Storage } from './resources/storage.ts';

export interface EnvironmentFacts {
  readonly stage: string;
  readonly config: SvcConfig;
  /** The modules that are on. */
  readonly modules: readonly ModuleDeclaration[];
  readonly storage: Storage;
  readonly messaging: Messaging;
  /** Ports of other modules that the function binds. */
  readonly ports: BoundPorts;
  /** Secret that CloudFront sends with each request. */
  readonly edgeSecret?: string | undefined;
  /** Where the keys of the platform's own logins are. */
  readonly sessionKeys?: string | undefined;
  /** Name of the function that sends what is due. */
  readonly relay?: string | undefined;
}

/** The environment of a function: its names, its configuration and what it has to know about others. */
export function functionEnvironment(
  facts: EnvironmentFacts,
  name: string,
  module: ModuleDeclaration,
  { localVariables = [] }: Pick<FunctionDeclaration, 'localVariables'> = {},
): Record<string, string> {
  const { stage, config, modules, storage, messaging, ports } = facts;
  const topology = topologyOf(facts, name);
  return {
    SVC_MODULE: name,
    SVC_STAGE: stage,
    SVC_VERSION: packageVersion(),
    SVC_CONFIG: functionConfig(config, module, modules),
    TABLE_NAME: storage.table.tableName,
    BUCKET_NAME: storage.bucket.bucketName,
    EVENT_BUS_NAME: messaging.bus.eventBusName,
    POWERTOOLS_SERVICE_NAME: `svc-cloud-${name}`,
    AWS_SDK_UA_APP_ID: `svc-cloud-${name}`,
    ...(Object.keys(ports.states).length > 0 && { SVC_PORTS: JSON.stringify(ports.states) }),
    ...(facts.edgeSecret && { SVC_EDGE_SECRET: facts.edgeSecret }),
    ...(facts.sessionKeys && { SVC_SESSION_KEYS: facts.sessionKeys }),
    ...(stage === 'local' && variablesOfMachine(localVariables)),
    ...portUsers(module, modules),
    ...(topology && { SVC_MESSAGING: JSON.stringify(topology) }),
    ...(module.answersUnknownPaths && {
      SVC_MODULES_ON: JSON.stringify(modules.map((each) => each.name)),
    }),
  };
}

function variablesOfMachine(names: readonly string[]): Record<string, string> {
  const set = names.flatMap((name) => {
    const value = process.env[name];
    return value ? [[name, value]] : [];
  });
  return Object.fromEntries(set);
}

/** The modules that bind ports of this one, where its declaration asks for them. */
function portUsers(
  { offers = [] }: ModuleDeclaration,
  modules: readonly ModuleDeclaration[],
): { readonly SVC_PORT_USERS?: string } {
  const told = offers.filter(({ tellsUsers }) => tellsUsers);
  if (told.length === 0) return {};
  const users = told.map(({ name }) => [
    name,
    modules
      .filter(({ uses = [] }) => uses.some(({ port }) => port === name))
      .map((each) => each.name),
  ]);
  return { SVC_PORT_USERS: JSON.stringify(Object.fromEntries(users)) };
}

/** Topics with another transport than the configured one; none when all use the bus. */
export function topicWays(
  modules: readonly ModuleDeclaration[],
  { mq }: SvcConfig,
): Pick<MessagingTopology, 'distributedTopics' | 'inProcessTopics'> {
  if (goesOverBus(mq)) return { distributedTopics: [], inProcessTopics: [] };
  return {
    distributedTopics: modules.flatMap(({ distributedTopics = [] }) => distributedTopics),
    inProcessTopics: modules.flatMap(({ inProcessTopics = [] }) => inProcessTopics),
  };
}

function topologyOf(
  { config, modules, messaging, relay }: EnvironmentFacts,
  name: string,
): Partial<MessagingTopology> | undefined {
  const { orderedTopics, expressions } = messaging.plan;
  const tickQueue = name === relay ? tickQueueName(messaging) : undefined;
  const ways = topicWays(modules, config);
  const isPlain =
    tickQueue === undefined &&
    Object.keys(orderedTopics).length === 0 &&
    ways.distributedTopics.length + ways.inProcessTopics.length === 0;
  if (isPlain) return undefined;
  return { orderedTopics, ...ways, tickQueue, ...(name === relay && { expressions }) };
}
