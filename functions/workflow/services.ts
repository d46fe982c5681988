import type { ServiceContext } from '../../shared/lambda/module-context.ts';
import type { WorkflowConfig } from './configuration.ts';
import { ModelCheck } from './definitions/model-check.ts';

/** All services of the module. */
export function createServices(_context: ServiceContext<WorkflowConfig>) {
  return { modelCheck: new ModelCheck() };
}
