import * as z from 'zod';
// In an application of its own: from 'svc-cloud/module'.
import { defineSection, wholeNumber } from '../../shared/module/index.ts';

/** `svc.notes`. */
export const notesSection = defineSection({
  name: 'notes',
  schema: z.strictObject({
    'max-length': wholeNumber(1_000, 1, 10_000, 'Longest text of a note (characters).'),
  }),
  describedProperties: ['max-length'],
});
