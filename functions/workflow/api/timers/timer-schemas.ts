import * as z from 'zod';
import type { PlatformConfig } from '../../../../shared/config/index.ts';
import { pageQuery, pageSchema } from '../../../../shared/http/paging.ts';
import { parseDuration } from '../../../../shared/primitives/duration.ts';
import { lazy } from '../../../../shared/primitives/lazy.ts';
import { TIMER_STATES } from '../../store/timers/timer-items.ts';
import { pageOf } from '../page-example.ts';
import { keyText, tenantCode } from '../schema-parts.ts';

const MAX_ADVANCE_MS = 366 * 86_400_000;

export const timerParams = lazy(() => z.strictObject({ timerId: keyText('Id of the timer.') }));

export const timersQuery = ({ web }: Pick<PlatformConfig, 'web'>) =>
  z.strictObject({
    ...pageQuery(web),
    caseInstanceId: keyText('Case that they belong to.').optional(),
    state: z
      .enum(TIMER_STATES)
      .default('PENDING')
      .describe('FAILED: could not be fired, and is tried no more.'),
    tenantCode: tenantCode(),
  });

const timer = () => ({
  id: z.string(),
  caseInstanceId: z.string(),
  planItemInstanceId: z.string(),
  planItemDefinitionKey: z.string(),
  name: z.string(),
  tenantCode: z.string(),
  dueAt: z.iso.datetime(),
  attempts: z.int().describe('How often firing it was tried in vain.'),
  nextTryAt: z.iso.datetime().optional(),
  lastError: z.string().optional(),
});
export const timerPage = lazy(() =>
  pageSchema(
    z.object({ ...timer(), state: z.enum(TIMER_STATES) }).meta({ id: 'Timer' }),
    'TimerPage',
  ),
);
export const retriedTimer = lazy(() =>
  z.object({ ...timer(), state: z.enum(['FIRED', ...TIMER_STATES]) }).meta({ id: 'RetriedTimer' }),
);

export const clockAdvance = lazy(() =>
  z.strictObject({
    duration: z
      .string()
      .transform((text) => parseDuration(text) ?? 0)
      .pipe(z.int('must be a duration such as PT48H').min(1).max(MAX_ADVANCE_MS))
      .meta({
        type: 'string',
        description: 'Forward only: PT48H, 8d; at most 366 days at once, and 3660 in all.',
      }),
    stop: z
      .literal(true)
      .optional()
      .describe(
        'Stops the time of the tenant, which then changes by advances only. Needs a tenant.',
      ),
  }),
);
export const advancedClock = lazy(() =>
  z
    .object({
      tenant: z.string().nullable(),
      now: z.iso.datetime(),
      fired: z.int().describe('Timers that have fired.'),
      failed: z.int().describe('Timers that could not be fired.'),
      truncated: z
        .boolean()
        .describe('More timers are due; the sweep of the next minute continues.'),
    })
    .meta({ id: 'AdvancedWorkflowClock' }),
);

const example = {
  id: '01920000-0000-7000-8000-000000000009.1772361000000',
  caseInstanceId: '01920000-0000-7000-8000-000000000001',
  planItemInstanceId: '01920000-0000-7000-8000-000000000009',
  planItemDefinitionKey: 'remind',
  name: 'Remind',
  tenantCode: '',
  dueAt: '2026-03-01T10:30:00.000Z',
  attempts: 0,
  state: 'PENDING',
};
export const timerPageExample = pageOf(example);
export const retriedTimerExample = { ...example, state: 'FIRED' };
export const advancedClockExample = {
  tenant: 'acme',
  now: '2026-03-03T09:30:00.000Z',
  fired: 1,
  failed: 0,
  truncated: false,
};
