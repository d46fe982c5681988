import host from '#host';
import { createHandler } from '../../shared/lambda/handlers/create-handler.ts';
import { createWorkflowModule, sections } from './module.ts';

export const handler = createHandler(createWorkflowModule, host, ...sections);
