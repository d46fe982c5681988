import host from '#host';
import { createWorkerHandler } from '../../shared/lambda/handlers/create-worker-handler.ts';
import { createSyncModule, sections } from './module.ts';

export const handler = createWorkerHandler(createSyncModule, host, ...sections);
