import { checkedConfig } from '../config/checked-config.ts';
import {
  type ConfigOf,
  type ConfigSection,
  commonSections,
  loadConfig,
  type PlatformConfig,
} from '../config/index.ts';
import { renameKeys, toCamelCase } from '../config/key-case.ts';
import { expandDottedKeys } from '../config/names.ts';
import { type MessagingTopology, readTopology } from '../messaging/wire/topology.ts';

const REQUIRED = [
  'SVC_MODULE',
  'SVC_STAGE',
  'TABLE_NAME',
  'BUCKET_NAME',
  'EVENT_BUS_NAME',
] as const;

/** State machines, schedules and called jobs of the function's module. */
export interface ServiceNames {
  readonly stateMachines: Readonly<Record<string, string>>;
  /** Functions of the module's jobs that it calls, by the name of the job. */
  readonly functions?: Readonly<Record<string, string>>;
  /** Secrets that the stack has generated for the module, by the name that its declaration gives them. */
  readonly secrets?: Readonly<Record<string, string>>;
  readonly schedules?: {
    readonly group: string;
    readonly roleArn: string;
    readonly deadLetterArn: string;
    /** Target of the schedules: a state machine, or the function itself; absent outside of Lambda. */
    readonly targetArn?: string;
  };
}

/** The environment variables that the stack sets on a function. */
export interface Environment<C extends PlatformConfig = PlatformConfig> {
  readonly module: string;
  readonly stage: string;
  readonly version: string;
  /** Names of the modules that are switched on. */
  readonly modulesOn: readonly string[];
  readonly tableName: string;
  readonly bucketName: string;
  readonly eventBusName: string;
  /** Messaging topology, as far as the function needs it. */
  readonly messaging: MessagingTopology;
  /** Ports of other modules that the function binds, and whether their module is on; absent outside of Lambda. */
  readonly ports?: Readonly<Record<string, boolean>>;
  /** Secret that CloudFront sends with each request; absent without `svc.security.waf`. */
  readonly edgeSecret?: string;
  /** Where the keys of the platform's own logins are; absent when it has none. */
  readonly sessionKeys?: string;
  /** Modules that are on and bind ports of this one, by port, where its declaration asks for them. */
  readonly portUsers?: Readonly<Record<string, readonly string[]>>;
  /** Addresses of its state machines by name, and what it makes schedules with. */
  readonly services: ServiceNames;
  /** The checked configuration: the common sections and those of the function's module. */
  readonly config: C;
  /** Values of other sections, already checked by the stack. */
  readonly otherSections: Readonly<Record<string, unknown>>;
}

/** The local stage is served without TLS. */
export const isPlainHttp = ({ environment }: { readonly environment: Environment }): boolean =>
  environment.stage === 'local';

/**
 * Reads and checks the environment of a function, once per cold start.
 * @param sections sections of the function's module.
 * @throws Error naming the variable, or ConfigError naming the property: the function does not start.
 */
export function readEnvironment<T extends ConfigSection = never>(
  variables: NodeJS.ProcessEnv,
  ...sections: readonly T[]
): Environment<PlatformConfig & ConfigOf<T>> {
  const required = readRequired(variables);
  const { SVC_STAGE: stage } = required;
  const { SVC_VERSION = '0.0.0', SVC_CONFIG = '{}', SVC_MODULES_ON = '[]' } = variables;
  const known = [...commonSections, ...sections];
  const { own, others } = splitSections(JSON.parse(SVC_CONFIG), known);
  return {
    messaging: readTopology(variables.SVC_MESSAGING),
    services: readServices(variables),
    ...readPorts(variables),
    ...(variables.SVC_EDGE_SECRET && { edgeSecret: variables.SVC_EDGE_SECRET }),
    ...(variables.SVC_SESSION_KEYS && {
      sessionKeys: addressOf(variables.SVC_SESSION_KEYS, variables),
    }),
    ...(variables.SVC_PORT_USERS && { portUsers: JSON.parse(variables.SVC_PORT_USERS) }),
    module: required.SVC_MODULE,
    stage,
    version: SVC_VERSION,
    modulesOn: JSON.parse(SVC_MODULES_ON) as string[],
    tableName: required.TABLE_NAME,
    bucketName: required.BUCKET_NAME,
    eventBusName: required.EVENT_BUS_NAME,
    config: (checkedConfig(SVC_CONFIG, stage) ??
      loadConfig(own, { sections: known, stage })) as PlatformConfig & ConfigOf<T>,
    otherSections: others,
  };
}

type Required = Readonly<Record<(typeof REQUIRED)[number], string>>;

function readRequired(variables: NodeJS.ProcessEnv): Required {
  const missing = REQUIRED.filter((name) => !variables[name]);
  if (missing.length > 0) {
    throw new Error(
      `The function cannot start: environment variables missing or empty: ${missing.join(', ')}`,
    );
  }
  return variables as Required;
}

/** Outside of Lambda, where no role limits what is read, every port may be bound. */
function readPorts({
  SVC_PORTS,
  AWS_LAMBDA_FUNCTION_NAME,
}: NodeJS.ProcessEnv): Pick<Environment, 'ports'> {
  if (!SVC_PORTS && !AWS_LAMBDA_FUNCTION_NAME) return {};
  return { ports: JSON.parse(SVC_PORTS ?? '{}') as Readonly<Record<string, boolean>> };
}

function readServices(variables: NodeJS.ProcessEnv): ServiceNames {
  const given = JSON.parse(variables.SVC_SERVICES ?? '{}') as Partial<ServiceNames>;
  const { schedules } = given;
  if (!schedules) return { stateMachines: {}, ...given };
  const targetArn = schedules.targetArn ?? ownArn(schedules.roleArn, variables);
  return {
    stateMachines: {},
    ...given,
    schedules: { ...schedules, ...(targetArn && { targetArn }) },
  };
}

/** The function's own address, which its stack cannot tell it: from the account of a role beside it. */
function ownArn(
  roleArn: string,
  { AWS_REGION, AWS_LAMBDA_FUNCTION_NAME }: NodeJS.ProcessEnv,
): string | undefined {
  if (!AWS_REGION || !AWS_LAMBDA_FUNCTION_NAME) return undefined;
  const [arn, partition, , , account] = roleArn.split(':');
  const name = `${account}:function:${AWS_LAMBDA_FUNCTION_NAME}`;
  return `${arn}:${partition}:lambda:${AWS_REGION}:${name}`;
}

function splitSections(raw: Record<string, unknown>, known: readonly ConfigSection[]) {
  const names = new Set(known.map(({ name }) => name));
  const entries = Object.entries(expandDottedKeys(raw));
  return {
    own: Object.fromEntries(entries.filter(([name]) => names.has(name))),
    others: renameKeys(
      Object.fromEntries(entries.filter(([name]) => !names.has(name))),
      toCamelCase,
    ) as Readonly<Record<string, unknown>>,
  };
}

/** An address; a path is one of the local cloud. */
const addressOf = (text: string, { AWS_ENDPOINT_URL }: NodeJS.ProcessEnv): string =>
  new URL(text, AWS_ENDPOINT_URL).href;
