import host from '#host';
import { createHandler } from '../../shared/lambda/handlers/create-handler.ts';
import { dynamicSection } from './configuration.ts';
import { createEntitiesModule } from './module.ts';

export const handler = createHandler(createEntitiesModule, host, dynamicSection);
