import * as z from 'zod';
import { type PageLimits, pageQuery, pageSchema } from '../../../../shared/http/paging.ts';
import { lazy } from '../../../../shared/primitives/lazy.ts';
import {
  ACTION_TYPES,
  OBJECT_TYPES,
  RECORD_STATUSES,
  RUN_STATUSES,
  SYNC_MODES,
  TRIGGER_TYPES,
} from '../../domain/runs/history.ts';

const instant = lazy(() => z.iso.datetime({ precision: 3 }));
/** One of several words in any case. */
const word = <const T extends readonly [string, ...string[]]>(values: T) =>
  z.preprocess((text) => (typeof text === 'string' ? text.toUpperCase() : text), z.enum(values));

export const historyQuery = (web: PageLimits) =>
  z.strictObject({
    ...pageQuery(web),
    identitySourceId: z.uuid(),
    objectType: word(OBJECT_TYPES).optional(),
    triggerType: word(TRIGGER_TYPES).optional(),
    status: word(RUN_STATUSES).optional(),
  });

const filters = lazy(() => ({
  objectType: word(OBJECT_TYPES).optional(),
  actionType: word(ACTION_TYPES).optional(),
  status: word(RECORD_STATUSES).optional(),
}));
/** Which records of a run are asked for. */
export const recordFilter = lazy(() => z.strictObject(filters()));

export const recordQuery = (web: PageLimits) =>
  z.strictObject({
    ...pageQuery(web),
    syncHistoryId: z.string().min(1).max(100),
    ...filters(),
  });

export const history = lazy(() =>
  z
    .object({
      id: z.string(),
      batch: z.string().describe('Shared by the run over groups and the run over people.'),
      identitySourceId: z.uuid(),
      objectType: z.enum(OBJECT_TYPES),
      triggerType: z.enum(TRIGGER_TYPES),
      syncMode: z.enum(SYNC_MODES),
      compared: z
        .enum(['ALL', 'SOME'])
        .describe('SOME: the users alone that the run was asked for.'),
      ...{ createdCount: z.int(), updatedCount: z.int(), deletedCount: z.int() },
      ...{ disabledCount: z.int(), skippedCount: z.int(), failedCount: z.int() },
      unchangedCount: z.int(),
      startTime: instant(),
      endTime: instant().nullable(),
      spendTime: z.int().nullable().describe('Duration in ms; null while the run is in progress.'),
      status: z.enum(RUN_STATUSES),
      reasonCode: z.string().nullable(),
      desc: z.string().nullable(),
      requestedBy: z.string().nullable(),
      sourceTotal: z.int().nullable().describe('Objects that the source has.'),
    })
    .meta({ id: 'IdentitySyncHistory' }),
);
export const historyPage = lazy(() => pageSchema(history(), 'IdentitySyncHistoryPage'));

const record = lazy(() =>
  z
    .object({
      id: z.string(),
      syncHistoryId: z.string(),
      actionType: z.enum(ACTION_TYPES),
      objectType: z.enum(OBJECT_TYPES),
      objectId: z.string().nullable(),
      externalId: z.string(),
      objectName: z.string(),
      status: z.enum(RECORD_STATUSES),
      reasonCode: z.string().nullable(),
      desc: z.string().nullable(),
      changes: z.array(z.object({ field: z.string(), from: z.unknown(), to: z.unknown() })),
      time: instant(),
    })
    .meta({ id: 'IdentitySyncRecord' }),
);
export const recordPage = lazy(() => pageSchema(record(), 'IdentitySyncRecordPage'));
