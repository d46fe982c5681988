import host from '#host';
import { createHandler } from '../../shared/lambda/handlers/create-handler.ts';
import { templateSection } from './configuration.ts';
import { createTemplatesModule } from './module.ts';

export const handler = createHandler(createTemplatesModule, host, templateSection);
