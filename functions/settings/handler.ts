import host from '#host';
import { createHandler } from '../../shared/lambda/handlers/create-handler.ts';
import { createSettingsModule } from './module.ts';

export const handler = createHandler(createSettingsModule, host);
