import * as z from 'zod';
import { lazy } from '../../../../shared/primitives/lazy.ts';
import { RECORD_STATUSES, SYNC_MODES } from '../../domain/runs/history.ts';

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

export const provisionRequest = lazy(() =>
  z.strictObject({ userIds: z.array(z.string().min(1).max(100)).min(1).max(50) }),
);

export const provisioned = lazy(() =>
  z
    .object({
      content: z.array(
        z.object({
          userId: z.string(),
          status: z.enum(RECORD_STATUSES),
          externalId: z.string().nullable().describe('Id at the source.'),
          isNew: z.boolean().nullable().describe('Whether the source did not have the user.'),
          reasonCode: z.string().nullable(),
          desc: z.string().nullable(),
        }),
      ),
    })
    .meta({ id: 'ProvisionedAccounts' }),
);
export const provisionedExample = {
  content: [
    {
      ...{ userId: '019f5a3c-9999-7d9e-8a33-0c5f9a1b2c3d', status: 'SUCCESS' },
      ...{ externalId: '2819c223', isNew: true, reasonCode: null, desc: null },
    },
  ],
};

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
