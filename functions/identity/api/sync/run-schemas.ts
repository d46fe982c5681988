import * as z from 'zod';
import { lazy } from '../../../../shared/primitives/lazy.ts';
import { RUN_STATUSES } from '../../domain/runs/history.ts';
import { historyExample } from '../runs/run-examples.ts';
import { history } from '../runs/run-schemas.ts';

const users = lazy(() =>
  z.object({
    ...{ created: z.int(), updated: z.int(), disabled: z.int(), refused: z.int() },
    missing: z.int().describe('Linked accounts that the source does not list any more.'),
    unchanged: z.int(),
    total: z.int().describe('Users that the source has.'),
    linked: z.int().describe('Active accounts that are linked with the source.'),
  }),
);
const organization = lazy(() =>
  z.object({
    ...{ created: z.int(), updated: z.int(), removed: z.int(), unchanged: z.int() },
    ...{ total: z.int(), linked: z.int() },
  }),
);

export const run = lazy(() =>
  z
    .object({
      batch: z.string(),
      identitySourceId: z.uuid(),
      status: z.enum(RUN_STATUSES),
      phase: z.enum(['READING', 'APPLYING', 'WAITING', 'ENDED']),
      reasonCode: z.string().nullable(),
      desc: z.string().nullable(),
      histories: z.array(history()),
      planned: z
        .object({ users: users(), organization: organization() })
        .nullable()
        .describe('Planned changes, which may wait for an approval; null: there is no plan.'),
    })
    .meta({ id: 'IdentitySyncRun' }),
);

export const runExample = {
  batch: historyExample.batch,
  identitySourceId: historyExample.identitySourceId,
  ...{ status: 'SUCCESS', phase: 'ENDED', reasonCode: null, desc: null },
  histories: [historyExample],
  planned: null,
};
