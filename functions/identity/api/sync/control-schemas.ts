import * as z from 'zod';
import { lazy } from '../../../../shared/primitives/lazy.ts';
import { SYNC_MODES } from '../../domain/runs/history.ts';

export const sourceParams = lazy(() => z.object({ id: z.uuid() }));
export const batchParams = lazy(() => z.object({ batch: z.uuid() }));

export const runRequest = lazy(() =>
  z.strictObject({
    mode: z
      .preprocess(
        (text) => (typeof text === 'string' ? text.toUpperCase() : text),
        z.enum(SYNC_MODES),
      )
      .optional()
      .describe('Left out: as the source is configured.'),
    dryRun: z.boolean().optional().describe('Whether only the plan is made.'),
    acceptDeletions: z
      .uuid()
      .optional()
      .describe('Batch of a run of the source that was held back: this one is not.'),
    externalIds: z
      .array(z.string().min(1).max(255))
      .min(1)
      .max(100)
      .optional()
      .describe('Ids at the source of the users that are compared; left out: all are.'),
  }),
);

export const startedRun = lazy(() =>
  z.object({
    batch: z.string().describe('Shared by both histories of the run.'),
    organizationHistoryId: z.string(),
    userHistoryId: z.string(),
  }),
);

export const startedExample = {
  batch: '0199d1f0-7a4c-7c57-a7de-0b9c1f2e6a10',
  organizationHistoryId: '0199d1f0-7a4c-7c57-a7de-0b9c1f2e6a11',
  userHistoryId: '0199d1f0-7a4c-7c57-a7de-0b9c1f2e6a12',
};
