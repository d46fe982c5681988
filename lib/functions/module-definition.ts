import type { SvcConfig } from '../../shared/config/index.ts';
import type { ScheduleDeclaration } from '../../shared/lambda/schedule.ts';
import type { ListenerDeclaration } from '../../shared/messaging/consuming/listener.ts';
import type { Grant } from './grants.ts';

/** Size and rights of one function. */
export interface FunctionDefinition {
  /** Memory in MB; 1024 when left out. */
  readonly memoryMb?: number;
  /** Time limit in seconds; 29 when left out, just under the limit of the HTTP API. */
  readonly timeoutSeconds?: number;
  /** Most environments at once; none when left out. */
  readonly reservedConcurrency?: number;
  /** Everything the function may do besides logging and tracing. */
  readonly grants: (config: SvcConfig) => readonly Grant[];
}

/** A second function of a module, with an entry `functions/<module>/<name>.handler.ts` of its own. */
export interface JobDefinition extends FunctionDefinition {
  readonly name: string;
  /** Whether this configuration has the job; always when left out. */
  readonly enabled?: (config: SvcConfig) => boolean;
}

/** One row of the table of modules: all that the infrastructure knows about a module. */
export interface ModuleDefinition extends FunctionDefinition {
  /** Folder below `functions/`, and the value of SVC_MODULE. */
  readonly name: string;
  /** Name under which the module is documented. */
  readonly deliveredAs: string;
  /** Configuration sections that it reads besides the common ones. */
  readonly configSections: readonly (keyof SvcConfig)[];
  /** Whether this configuration has the module; a module that is off gets no function and no route. */
  readonly enabled: (config: SvcConfig) => boolean;
  /** Path prefixes it answers: each takes the path itself and everything below. */
  readonly paths: (config: SvcConfig) => readonly string[];
  /** Prefixes below which it answers what no other module owns. */
  readonly fallbackPaths?: (config: SvcConfig) => readonly string[];
  /** Whether it also answers every path that no module owns. One module does. */
  readonly answersUnknownPaths?: boolean;
  /** Its consumers of bus topics. */
  readonly listeners: readonly ListenerDeclaration[];
  /** Tasks that its function runs again and again. */
  readonly schedules?: readonly ScheduleDeclaration[];
  /** Whether the host's listeners run in its function, when there is a broker. One module does it. */
  readonly runsHostListeners?: boolean;
  /** Second functions with their own memory, time limit or concurrency. */
  readonly jobs?: readonly JobDefinition[];
  /** Entry file of the function; `functions/<name>/handler` when left out. */
  readonly entry?: string;
}

/** Name of a job's function: the value of its SVC_MODULE and the folder of its bundle. */
export function jobFunctionName(module: ModuleDefinition, job: JobDefinition): string {
  return `${module.name}-${job.name}`;
}
