export { type WorkflowConfig, workflowSection } from './configuration.ts';
export type {
  DefinitionReader,
  DeploymentFacts,
  LoadedCase,
} from './definitions/definition-reader.ts';
export { ModelCheck } from './definitions/model-check.ts';
export { createWorkflowModule, type WorkflowModule } from './module.ts';
