import type { Route } from '../../../shared/http/route.ts';
import type { CaseCalls } from '../cases/services.ts';
import type { WorkflowConfig } from '../configuration.ts';
import { problems } from '../errors.ts';
import { PROCESS_PROBLEMS } from '../processes/process-problems.ts';
import type { ProcessServiceCalls } from '../processes/services.ts';
import type { Readiness } from '../store/readiness.ts';
import type { TaskCalls } from '../tasks/services.ts';
import type { TimerCalls } from '../timers/services.ts';
import { caseRoutes } from './cases/case-routes.ts';
import { type DefinitionRouteServices, definitionRoutes } from './definitions/definition-routes.ts';
import { type DeploymentRouteServices, deploymentRoutes } from './definitions/deployment-routes.ts';
import { type ValidationRouteServices, validationRoutes } from './definitions/validation-routes.ts';
import { processRoutes } from './processes/process-routes.ts';
import { taskRoutes } from './tasks/task-routes.ts';
import { timerRoutes } from './timers/timer-routes.ts';
import { type SnapshotRouteServices, snapshotRoutes } from './view/snapshot-routes.ts';
import { type ViewRouteServices, viewRoutes } from './view/view-routes.ts';
import { whenReady } from './when-ready.ts';

export type WorkflowRouteServices = ValidationRouteServices &
  DeploymentRouteServices &
  DefinitionRouteServices &
  SnapshotRouteServices &
  ViewRouteServices & {
    readonly cases: CaseCalls;
    readonly tasks: TaskCalls;
    readonly timers: TimerCalls;
    readonly readiness: Pick<Readiness, 'require'>;
    /** Absent where `svc.workflow.bpmn-endpoints-enabled` is off. */
    readonly processes?: ProcessServiceCalls | undefined;
  };

/** Routes of the workflow module. */
export function workflowRoutes(services: WorkflowRouteServices, config: WorkflowConfig): Route[] {
  return whenReady(services.readiness, [
    ...validationRoutes(services),
    ...deploymentRoutes(services, config, services.processes && [problems.processCodeTaken]),
    ...definitionRoutes(services, config),
    ...snapshotRoutes(services),
    ...caseRoutes(services, config),
    ...viewRoutes(services),
    ...taskRoutes(services.tasks, config, services.processes && PROCESS_PROBLEMS),
    ...timerRoutes(services.timers, config),
    ...(services.processes ? processRoutes(services.processes, config) : []),
  ]);
}
