import type { ConfigOf, ConfigSection, PlatformConfig } from '../../config/index.ts';
import type { Host } from '../../host/host.ts';
import { once } from '../../primitives/once.ts';
import type { ModuleFactory } from '../module-context.ts';
import { type Answering, type FunctionHandler, startFunction } from './start-function.ts';

/**
 * The handler of a function that works queues, streams and schedules and is seldom asked by HTTP: what requests need is
 * read with the first one. Else as `createHandler`.
 */
export function createWorkerHandler<T extends readonly ConfigSection[]>(
  factory: ModuleFactory<PlatformConfig & ConfigOf<T[number]>>,
  host: Host,
  ...sections: T
): FunctionHandler {
  return startFunction(factory, host, sections, answerOnDemand);
}

const answerOnDemand: Answering = (context, module) => {
  const load = once(async () => {
    const { createHttpPipeline } = await import('../http-pipeline.ts');
    return createHttpPipeline(context, module);
  });
  return async (...request) => (await load())(...request);
};
