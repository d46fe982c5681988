import host from '#host';
import { createHandler } from '../../shared/lambda/create-handler.ts';
import { createEntitiesModule } from './module.ts';

export const handler = createHandler(createEntitiesModule, host);
