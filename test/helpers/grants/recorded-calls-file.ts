import { join } from 'node:path';
import { localFolder } from '../../../bin/dev/paths.ts';

/** Every AWS call that the functions made during the last run of the cloud tests, as JSON lines. */
export const recordedCallsFile = join(localFolder, 'recorded-calls.jsonl');

/** The template of the stack that those functions ran in. */
export const recordedTemplateFile = join(localFolder, 'recorded-template.json');

/** Those of them that the journeys made, without what fuzzing happened to call. */
export const journeyCallsFile = join(localFolder, 'journey-calls.jsonl');
