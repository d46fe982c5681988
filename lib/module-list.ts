import type { ListenerDeclaration } from '../shared/messaging/consuming/listener.ts';
import {
  jobFunctionName,
  type ModuleDeclaration,
  type RelayDeclaration,
} from '../shared/module/declaration.ts';
import { checkForm } from './configuration/declaration-form.ts';
import { DEFAULT_TIMEOUT_SECONDS } from './functions/module-function.ts';
import { checkModules } from './module-checks.ts';
import { platformModules, type SvcConfig } from './modules.ts';
import type { FunctionListeners } from './resources/messaging-plan.ts';

/** Modules of a stack. */
export interface ModuleLists {
  /** Modules of the application itself: each is a function beside those of the platform. */
  readonly modules?: readonly ModuleDeclaration[];
  /** The modules of the platform; all when left out. */
  readonly platformModules?: readonly ModuleDeclaration[];
}

/** The relay as a module declares it. */
export interface DeclaredRelay {
  /** Name of its function. */
  readonly name: string;
  readonly declaration: RelayDeclaration;
}

/** The job that relays messages, where the configuration has it. */
export function relayOf(
  modules: readonly ModuleDeclaration[],
  config: SvcConfig,
): DeclaredRelay | undefined {
  const relays = modules.flatMap((module) =>
    (module.jobs ?? []).flatMap((job) =>
      job.relay && (job.enabled?.(config) ?? true)
        ? [{ name: jobFunctionName(module, job), declaration: job.relay }]
        : [],
    ),
  );
  return relays[0];
}

/**
 * The modules of the platform and of the application.
 * @throws ConfigError `MODULES_INVALID`, `MODULE_INVALID`, and what `checkModules` finds
 */
export function modulesOf(props: ModuleLists): readonly ModuleDeclaration[] {
  const all = [...(props.platformModules ?? platformModules), ...checkForm(props.modules ?? [])];
  checkModules(checkForm(all));
  return all;
}

/** The listeners of each function: the module's own, and in the messaging function the host's. */
export function functionListeners(
  modules: readonly ModuleDeclaration[],
  ofHost: readonly ListenerDeclaration[],
): FunctionListeners[] {
  return modules.map(({ name, listeners = [], runsHostListeners }) => ({
    owner: name,
    listeners: runsHostListeners ? [...listeners, ...ofHost] : listeners,
  }));
}

/** The time limit of a function: long enough for its slowest listener. */
export function longestRun(
  { timeoutSeconds = DEFAULT_TIMEOUT_SECONDS }: ModuleDeclaration,
  listeners: readonly ListenerDeclaration[],
): number {
  return Math.max(timeoutSeconds, ...listeners.map((listener) => listener.timeoutSeconds ?? 0));
}

/** Origins of pages that call the API: those of the configuration, and what modules need besides. */
export function corsOriginsOf(
  modules: readonly ModuleDeclaration[],
  config: SvcConfig,
): readonly string[] {
  const { corsOrigins } = config.web;
  if (corsOrigins.includes('*')) return corsOrigins;
  return [
    ...new Set([
      ...corsOrigins,
      ...modules.flatMap((module) => module.corsOrigins?.(config) ?? []),
    ]),
  ];
}
