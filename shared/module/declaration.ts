import type { AnyConfig, ConfigOf, ConfigSection, PlatformConfig } from '../config/index.ts';
import type { RouteLimit } from '../config/route-limit.ts';
import type { ScheduleDeclaration } from '../lambda/schedule.ts';
import type { ListenerDeclaration } from '../messaging/consuming/listener.ts';
import type { ApiTag } from '../openapi/api-module.ts';
import type { FuzzHints } from './fuzz-hints.ts';
import type { Grant, UntestedGrant } from './grants.ts';
import type { PortOffer, PortUse } from './ports.ts';

/** A folder that is copied to the archive of a function. */
export interface AssetFolder {
  /** Path in the module's folder, or in that of the package. */
  readonly from: string;
  /** The installed npm package that holds the folder; the module itself when left out. */
  readonly package?: string;
  /** Name of the folder below the archive's `assets/`. */
  readonly as: string;
}

/**
 * Files of a package that are too large as they are: the archive of a function holds them compressed, and
 * `shared/packed/unpack-files.ts` unpacks them.
 */
export interface PackedFiles {
  /** The installed npm package that holds the files. */
  readonly package: string;
  /** Folder of the files in the package. */
  readonly from: string;
  /** One that the package has compressed by Brotli (`a.br`) is unpacked as `a`; an archive (`a.tar.br`) as it is. */
  readonly files: readonly string[];
  /** Name of the folder below the archive's `assets/`. */
  readonly as: string;
}

/** A script of a page that is too large for one function: it is bundled for browsers, with its packages. */
export interface PageScript {
  /** The file is `assets/pages/<name>.js` of the archive. */
  readonly name: string;
  /** File in the module's folder, without extension, which exports the page's code as `show`. */
  readonly entry: string;
}

/** Size and rights of one function. */
export interface FunctionDeclaration<C extends PlatformConfig = AnyConfig> {
  /** Memory in MB; 1024 when left out. */
  readonly memoryMb?: number;
  /** Time limit in seconds; 29 when left out, just under the limit of the HTTP API. */
  readonly timeoutSeconds?: number;
  /** Most environments at once; none when left out. */
  readonly reservedConcurrency?: number;
  /** The same where it follows from the configuration and the stage. */
  reservedConcurrencyFor?(config: C, stage: string): number | undefined;
  /** `arm64` when left out. */
  readonly architecture?: 'arm64' | 'x86_64';
  /** Environment variables of the machine that the function gets on the stage local. */
  readonly localVariables?: readonly string[];
  /** Space below `/tmp` in MB; 512 when left out. */
  readonly tempSpaceMb?: number;
  /**
   * npm packages that are copied to its archive with their dependencies instead of being bundled:
   * those that read files of their own. One that is not installed fails the synthesis.
   */
  readonly packages?: readonly string[];
  /** Folders in its archive besides the module's `assets/`, which all its functions get. */
  readonly assets?: readonly AssetFolder[];
  /** Large files of packages that are in its archive compressed. */
  readonly packed?: readonly PackedFiles[];
  /** Scripts of its pages. */
  readonly pages?: readonly PageScript[];
  /** Ports of other modules that it binds: their grants, and the section of their module, come with them. */
  readonly uses?: readonly PortUse[];
  /** Permissions of the function besides logging and tracing. */
  grants(config: C): readonly Grant[];
  /** Permissions that no test uses, each with the reason why the function needs it. */
  readonly untestedGrants?: readonly UntestedGrant[];
}

/**
 * How the relay is woken: by a rule that names it, by a rule every minute whose ticker sends delayed messages for
 * what is between the minutes, or once with each deployment.
 */
export type RelaySchedule =
  | { readonly kind: 'rule'; readonly expression: string }
  | { readonly kind: 'ticker' }
  | { readonly kind: 'once' };

/** Triggers of the job that sends the due messages of all functions and drains their dead-letter queues. */
export interface RelayDeclaration<C extends PlatformConfig = AnyConfig> {
  schedule(config: C): RelaySchedule;
  /**
   * Longest time between the starts of two runs (ms), for the alarm that rings when the relay does not run; none when
   * nothing wakes it regularly.
   */
  longestPauseMs(config: C): number | undefined;
  /** Task that sends due messages. */
  readonly task: string;
  /** Task that sends the ticks of a minute. */
  readonly tickTask: string;
  /** Records of the table's stream that wake it, as filters of an event source. */
  readonly streamFilters: readonly Readonly<Record<string, unknown>>[];
}

/** A second function of a module, with an entry `<name>.handler` of its own beside the module's. */
export interface JobDeclaration<C extends PlatformConfig = AnyConfig>
  extends FunctionDeclaration<C> {
  readonly name: string;
  /** Whether the job is enabled by a configuration; default: always. */
  enabled?(config: C): boolean;
  /** Set by the job that relays messages; there is one. */
  readonly relay?: RelayDeclaration<C>;
}

/** A state machine of a module (AWS Step Functions). */
export interface StateMachineDeclaration {
  readonly name: string;
  /**
   * File in the module's folder with the definition in Amazon States Language; `${<function>}` stands for the address
   * of the module's function or of one of its jobs.
   */
  readonly definitionFile: string;
}

/** An alarm on a metric that a module's function counts, in the namespace of the platform. */
export interface AlarmDeclaration {
  readonly metric: string;
  /** The sum in 5 minutes that is still right. */
  readonly above: number;
  readonly description: string;
}

/** The schedules that a module makes at run time (EventBridge Scheduler): they are in a group of its own. */
export interface ScheduleGroupDeclaration {
  /** Target of all its schedules: the module's function, or one of its state machines. */
  readonly target:
    | { readonly kind: 'function' }
    | { readonly kind: 'state-machine'; readonly name: string };
}

/** A secret that the stack generates: 64 random characters. */
export interface GeneratedSecret {
  /** Its function finds it under this name in `environment.services.secrets`. */
  readonly name: string;
  readonly description: string;
}

/** Location of a module's route table, for the API description. */
export interface RoutesDeclaration {
  /** File in the module's folder, without extension. */
  readonly file: string;
  /** The function that it exports: `(services, config) => Route[]`. Its services are not called. */
  readonly factory: string;
}

/**
 * Everything that infrastructure, API description and test tools know about a module. Plain data beside
 * the module's code; no function loads it.
 */
export interface ModuleDeclaration<
  C extends PlatformConfig = AnyConfig,
  S extends ConfigSection = ConfigSection,
> extends FunctionDeclaration<C> {
  /** Name of the function, and the value of its SVC_MODULE. */
  readonly name: string;
  /** Name under which the module is documented. */
  readonly deliveredAs: string;
  /** Folder of the module's files; `functions/<name>` of this package when left out. */
  readonly folder?: string;
  /** Its section of the configuration. */
  readonly configuration?: S;
  /**
   * Single properties of other sections that its functions read, such as `docs.presigned-url-expiration`: they are in
   * `environment.otherSections`, checked.
   */
  readonly readsProperties?: readonly string[];
  /** Whether the module is enabled by a configuration; default: always. A disabled module has no function and no route. */
  enabled?(config: C): boolean;
  /** Path prefixes of the module: each covers the path itself and everything below. */
  paths(config: C): readonly string[];
  /** Those of `paths` below which every route demands a token of the platform: the gateway may refuse the others. */
  privatePaths?(config: C): readonly string[];
  /** Origins besides `svc.web.cors-origins` whose pages call the module. */
  corsOrigins?(config: C): readonly string[];
  /** Metrics of its function that ring when they are above a number within 5 minutes. */
  readonly alarms?: readonly AlarmDeclaration[];
  /** Routes that cost more than others, with limits at the gateway that the configuration may replace. */
  routeLimits?(config: C): readonly RouteLimit[];
  /** Prefixes below which it handles paths that no other module owns. */
  fallbackPaths?(config: C): readonly string[];
  /** Whether it handles every path that no module owns, and serves the API description. One module does. */
  readonly answersUnknownPaths?: boolean;
  /** Its route table; none: no operations in the API description. */
  readonly routes?: RoutesDeclaration;
  /** Headings of the API description. A route without a tag is listed under the first. */
  readonly tags?: readonly ApiTag[];
  /** Its consumers of bus topics. */
  readonly listeners?: readonly ListenerDeclaration[];
  /**
   * Topics that always use the bus: other applications listen to them, or their work takes too
   * long for the call that starts it.
   */
  readonly distributedTopics?: readonly string[];
  /** Topics that are delivered in process when messaging is disabled, instead of being dropped. */
  readonly inProcessTopics?: readonly string[];
  /** Prefixes of files that expire, with the number of days. */
  readonly expiringFiles?: Readonly<Record<string, number>>;
  /** Scheduled tasks of its function. */
  readonly schedules?: readonly ScheduleDeclaration[];
  readonly stateMachines?: readonly StateMachineDeclaration[];
  readonly scheduleGroup?: ScheduleGroupDeclaration;
  /** Secrets of its own, which `generatedSecret` grants. */
  generatedSecrets?(config: C): readonly GeneratedSecret[];
  /** Public path of the keys that tokens of its logins are checked by: every function accepts these tokens. */
  readonly sessionKeysPath?: string;
  /** Whether the host's listeners run in its function, when there is a broker. One module does it. */
  readonly runsHostListeners?: boolean;
  /** Second functions with their own memory, time limit or concurrency. */
  readonly jobs?: readonly JobDeclaration<C>[];
  /** Jobs that the module's function calls and waits for: it finds their names in its environment. */
  readonly calls?: readonly string[];
  /** First words of its keys in the one table: no other module and no renamed table may take one. */
  readonly keyPrefixes?: readonly string[];
  /** Ports that other modules may bind in their functions; the code is in its `port.ts`. */
  readonly offers?: readonly PortOffer<C>[];
  /** Hints for the fuzzer that the API description cannot carry. */
  readonly fuzz?: FuzzHints;
}

/** Members of a declaration that configuration and keys need. */
export type ModuleReservation<S extends ConfigSection = ConfigSection> = Pick<
  ModuleDeclaration<AnyConfig, S>,
  'name' | 'deliveredAs' | 'configuration' | 'keyPrefixes'
>;

/** Declares a module; functions of the declaration read the module's own section beside the common ones. */
export function defineModule<S extends ConfigSection = never>(
  declaration: ModuleDeclaration<PlatformConfig & ConfigOf<S>, S>,
): ModuleDeclaration<PlatformConfig & ConfigOf<S>, S> {
  return declaration;
}

/** Name of a job's function: the value of its SVC_MODULE and the folder of its bundle. */
export function jobFunctionName(
  module: Pick<ModuleDeclaration, 'name'>,
  job: Pick<JobDeclaration, 'name'>,
): string {
  return `${module.name}-${job.name}`;
}
