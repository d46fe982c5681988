export type * from '../../shared/ports/workflow-runtime.ts';
export type { WorkflowCommand } from './api/commands/command-schemas.ts';
export { type WorkflowConfig, workflowSection } from './configuration.ts';
export type {
  DefinitionReader,
  DeploymentFacts,
  LoadedCase,
} from './definitions/definition-reader.ts';
export { DefinitionService } from './definitions/definition-service.ts';
export { DeploymentService } from './definitions/deployment-service.ts';
export { ModelCheck } from './definitions/model-check.ts';
export type { NewDeployment } from './definitions/new-version.ts';
export type { DefinitionEvent, DeploymentFailedEvent } from './domain/events/definition-events.ts';
export type {
  CaseEvent,
  CompletedStepFacts,
  EndedProcessFacts,
  EndedTaskFacts,
  MilestoneFacts,
  ProcessFacts,
  ServiceRequestFacts,
  StepFacts,
  TaskChangeEvent,
  TaskEventFacts,
  TaskReminderEvent,
  TimerFacts,
} from './domain/events/payloads.ts';
export { COMMAND_TOPIC } from './listeners.ts';
export { createWorkflowModule, type WorkflowModule } from './module.ts';
export { runtimePort } from './port.ts';
