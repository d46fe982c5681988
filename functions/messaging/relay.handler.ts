import host from '#host';
import { createWorkerHandler } from '../../shared/lambda/handlers/create-worker-handler.ts';
import { createRelayModule } from './module.ts';

export const handler = createWorkerHandler(createRelayModule, host);
