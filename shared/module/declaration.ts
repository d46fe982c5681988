import type { AnyConfig, ConfigOf, ConfigSection, PlatformConfig } from '../config/index.ts';
import type { ScheduleDeclaration } from '../lambda/schedule.ts';
import type { ListenerDeclaration } from '../messaging/consuming/listener.ts';
import type { ApiTag } from '../openapi/api-module.ts';
import type { FuzzHints } from './fuzz-hints.ts';
import type { Grant, UntestedGrant } from './grants.ts';

/** A folder whose files a function takes along. */
export interface AssetFolder {
  /** Path in the module's folder, or in that of the package. */
  readonly from: string;
  /** The installed npm package that holds the folder; the module itself when left out. */
  readonly package?: string;
  /** Name of the folder below the archive's `assets/`. */
  readonly as: string;
}

/** Size and rights of one function. */
export interface FunctionDeclaration<C extends PlatformConfig = AnyConfig> {
  /** Memory in MB; 1024 when left out. */
  readonly memoryMb?: number;
  /** Time limit in seconds; 29 when left out, just under the limit of the HTTP API. */
  readonly timeoutSeconds?: number;
  /** Most environments at once; none when left out. */
  readonly reservedConcurrency?: number;
  /** `arm64` when left out. */
  readonly architecture?: 'arm64' | 'x86_64';
  /** Space below `/tmp` in MB; 512 when left out. */
  readonly tempSpaceMb?: number;
  /**
   * npm packages that lie in its archive as they are installed, with what they depend on, instead of being bundled:
   * those that read files of their own. One that is not installed fails the synthesis.
   */
  readonly packages?: readonly string[];
  /** Folders in its archive besides the module's `assets/`, which all its functions get. */
  readonly assets?: readonly AssetFolder[];
  /** Everything the function may do besides logging and tracing. */
  grants(config: C): readonly Grant[];
  /** Permissions that no journey of the tests uses, each with the reason why the function needs it all the same. */
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

/** What wakes the job that sends the due messages of all functions, and drains their dead-letter queues. */
export interface RelayDeclaration<C extends PlatformConfig = AnyConfig> {
  schedule(config: C): RelaySchedule;
  /** Task that sends what is due. */
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
  /** Whether this configuration has the job; always when left out. */
  enabled?(config: C): boolean;
  /** Set by the job that relays messages; there is one. */
  readonly relay?: RelayDeclaration<C>;
}

/** Where the HTTP table of a module is, for the API description. */
export interface RoutesDeclaration {
  /** File in the module's folder, without extension. */
  readonly file: string;
  /** The function that it exports: `(services, config) => Route[]`. Its services are not called. */
  readonly factory: string;
}

/**
 * All that the infrastructure, the API description and the test tools know about a module. It is plain data beside
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
  /** Whether this configuration has the module; always when left out. One that is off has no function and no route. */
  enabled?(config: C): boolean;
  /** Path prefixes it answers: each takes the path itself and everything below. */
  paths(config: C): readonly string[];
  /** Prefixes below which it answers what no other module owns. */
  fallbackPaths?(config: C): readonly string[];
  /** Whether it also answers every path that no module owns, and serves the API description. One module does. */
  readonly answersUnknownPaths?: boolean;
  /** Its HTTP table; none: no operations in the API description. */
  readonly routes?: RoutesDeclaration;
  /** Headings of the API description. A route without a tag stands below the first. */
  readonly tags?: readonly ApiTag[];
  /** Its consumers of bus topics. */
  readonly listeners?: readonly ListenerDeclaration[];
  /**
   * Topics that go over the bus whatever the transport is: other applications listen to them, or their work is too
   * long for the call that starts it.
   */
  readonly distributedTopics?: readonly string[];
  /** Topics that stay inside the function when messaging is switched off, instead of being dropped. */
  readonly inProcessTopics?: readonly string[];
  /** Prefixes of files that vanish by themselves, and after how many days. */
  readonly expiringFiles?: Readonly<Record<string, number>>;
  /** Tasks that its function runs again and again. */
  readonly schedules?: readonly ScheduleDeclaration[];
  /** Whether the host's listeners run in its function, when there is a broker. One module does it. */
  readonly runsHostListeners?: boolean;
  /** Second functions with their own memory, time limit or concurrency. */
  readonly jobs?: readonly JobDeclaration<C>[];
  /** First words of its keys in the one table: no other module and no renamed table may take one. */
  readonly keyPrefixes?: readonly string[];
  /** Hints for the fuzzer that the API description cannot carry. */
  readonly fuzz?: FuzzHints;
}

/** What is settled about a module before it has code: its properties are checked, its keys are kept free. */
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

/** Reserves properties and keys of a module that has no code. */
export function reserveModule<S extends ConfigSection>(
  reservation: ModuleReservation<S>,
): ModuleReservation<S> {
  return reservation;
}

/** Name of a job's function: the value of its SVC_MODULE and the folder of its bundle. */
export function jobFunctionName(
  module: Pick<ModuleDeclaration, 'name'>,
  job: Pick<JobDeclaration, 'name'>,
): string {
  return `${module.name}-${job.name}`;
}
