import host from '#host';
import { createHandler } from '../../shared/lambda/handlers/create-handler.ts';
import { createTemplatesModule, sections } from './module.ts';

export const handler = createHandler(createTemplatesModule, host, ...sections);
