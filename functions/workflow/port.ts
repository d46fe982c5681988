import type { ServiceContext } from '../../shared/lambda/module-context.ts';
import { bindPort, writePort } from '../../shared/module/bind-port.ts';
import type { WorkflowRuntimeService } from '../../shared/ports/workflow-runtime.ts';
import { httpProblems } from '../../shared/problems/http-problems.ts';
import type { EntitiesConfig } from '../entities/port.ts';
import { recordMergesPort, recordsPort } from '../entities/port.ts';
import { ENGINE_PROBLEMS } from './cases/engine-problems.ts';
import type { WorkflowConfig } from './configuration.ts';
import { problems } from './errors.ts';
import { servicesOnDemand } from './services-on-demand.ts';

/** Workflows in the function of another module. */
export const runtimePort = writePort({
  name: 'workflow.runtime',
  problems: [
    ...ENGINE_PROBLEMS,
    ...[problems.modelInvalid, problems.codeTaken, problems.workflowNotFound],
    ...[problems.notPublished, problems.caseExists, problems.caseNotFound],
    ...[problems.planItemNotFound, problems.planItemNotTriggerable, problems.ambiguousPlanItem],
    ...[problems.useTaskApi, problems.taskNotFound, problems.taskNotActive],
    ...[problems.taskDelegated, problems.taskClaimedByOther, problems.taskCompletionRejected],
    ...[
      problems.completerExcluded,
      problems.userUnknown,
      httpProblems.forbidden,
      httpProblems.concurrentUpdate,
    ],
    ...[...recordsPort.problems, ...recordMergesPort.problems, problems.businessRecordGone],
  ],
  create: (context: ServiceContext<WorkflowConfig & EntitiesConfig>): WorkflowRuntimeService =>
    servicesOnDemand(context, {
      reading: bindPort(recordsPort, context),
      merging: bindPort(recordMergesPort, context),
    }).runtime,
});
