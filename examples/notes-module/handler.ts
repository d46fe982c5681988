// The host of the stack: the file that its `hostEntry` names.
import host from '#host';
import { dynamicSection } from '../../functions/entities/index.ts';
import { createHandler } from '../../shared/module/function.ts';
import { notesSection } from './configuration.ts';
import { createNotesModule } from './module.ts';

export const handler = createHandler(createNotesModule, host, notesSection, dynamicSection);
