import host from '#host';
import { createWorkerHandler } from '../../shared/lambda/handlers/create-worker-handler.ts';
import { createMessagingModule } from './module.ts';

export const handler = createWorkerHandler(createMessagingModule, host);
