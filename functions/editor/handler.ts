import host from '#host';
import { createHandler } from '../../shared/lambda/handlers/create-handler.ts';
import { createEditorModule, sections } from './module.ts';

export const handler = createHandler(createEditorModule, host, ...sections);
