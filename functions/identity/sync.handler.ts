import host from '#host';
import { createHandler } from '../../shared/lambda/handlers/create-handler.ts';
import { createIdentityModule, sections } from './module.ts';

export const handler = createHandler(createIdentityModule, host, ...sections);
