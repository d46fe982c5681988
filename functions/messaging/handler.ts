import host from '#host';
import { createHandler } from '../../shared/lambda/create-handler.ts';
import { createMessagingModule } from './module.ts';

export const handler = createHandler(createMessagingModule, host);
