import host from '#host';
import { createHandler } from '../../shared/lambda/create-handler.ts';
import { createRelayModule } from './module.ts';

export const handler = createHandler(createRelayModule, host);
