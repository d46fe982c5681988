import host from '#host';
import { createHandler } from '../../shared/lambda/create-handler.ts';
import { dynamicSection } from '../entities/configuration.ts';
import { workflowSection } from './configuration.ts';
import { createWorkflowModule } from './module.ts';

export const handler = createHandler(createWorkflowModule, host, workflowSection, dynamicSection);
