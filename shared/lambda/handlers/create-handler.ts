import type { ConfigOf, ConfigSection, PlatformConfig } from '../../config/index.ts';
import type { Host } from '../../host/host.ts';
import { createHttpPipeline } from '../http-pipeline.ts';
import type { ModuleContext, ModuleFactory } from '../module-context.ts';
import { connectEvents, type FunctionHandler, startFunction } from './start-function.ts';

/**
 * The handler of a module's function. Reads the environment and builds the module once per cold start: a wrong
 * configuration fails there, with a message that names the property.
 * @param sections the module's own section of the configuration and those of ports that it binds, besides those that
 *   every function has.
 */
export function createHandler<T extends readonly ConfigSection[]>(
  factory: ModuleFactory<PlatformConfig & ConfigOf<T[number]>>,
  host: Host,
  ...sections: T
): FunctionHandler {
  return startFunction(factory, host, sections, createHttpPipeline);
}

/** Creates the handler for an existing context; used by tests and benchmarks. */
export function connectModule<C extends PlatformConfig>(
  factory: ModuleFactory<C>,
  context: ModuleContext<C>,
): FunctionHandler {
  return connectEvents(factory, context, createHttpPipeline);
}
