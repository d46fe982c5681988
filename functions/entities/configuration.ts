import * as z from 'zod';
import type { PlatformConfig } from '../../shared/config/index.ts';
import type { ConfigOf } from '../../shared/config/section.ts';
import { defineSection, warning } from '../../shared/config/section.ts';
import { flag, path } from '../../shared/config/values.ts';
import { isTimeZone } from '../../shared/primitives/zones/time-zone.ts';

const schema = () =>
  z.strictObject({
    enabled: flag(
      false,
      'Switches the dynamic entities on; false leaves no function and no route.',
    ),
    'api-prefix': path().default('/api/v1').describe('Path before /dynamic/{entityCode}.'),
    'permission-prefix': z
      .string()
      .regex(/^[^:\s](?:[^\s]*[^:\s])?$/, 'must not begin or end with a colon')
      .optional()
      .describe(
        'Prefix of the permission target {permission-prefix}:{apiPath}; none: the target is {apiPath}.',
      ),
    'table-prefix': z
      .string()
      .default('DYN_')
      .describe('Accepted for compatibility; ignored, because record names are fixed.'),
    'zone-id': z
      .string()
      .refine(isTimeZone, 'must be an IANA time zone such as Asia/Ho_Chi_Minh')
      .default('UTC')
      .describe('Time zone of `today` in filters of records.'),
    'permission-fail-closed': flag(
      false,
      'true refuses record calls of entities with requirePermission=true when the host has no PermissionEvaluator.',
    ),
  });

/** `svc.dynamic`. */
export const dynamicSection = defineSection({
  name: 'dynamic',
  schema,
  pathProperties: ['api-prefix'],
  rules: [
    (dynamic) =>
      dynamic.tablePrefix !== 'DYN_' &&
      warning(
        'DYNAMIC_TABLE_PREFIX_UNUSED',
        'svc.dynamic.table-prefix',
        'has no effect; record names are fixed',
      ),
  ],
});

export type EntitiesConfig = PlatformConfig & ConfigOf<typeof dynamicSection>;
