import * as z from 'zod';
import { parseSpringCron } from '../../primitives/cron/spring-cron.ts';
import type { CamelCaseKeys } from '../key-case.ts';
import { defineSection, error, warning } from '../section.ts';
import { flag, milliseconds, wholeNumber } from '../values.ts';

const DAY_MS = 86_400_000;

const keyPrefix = () =>
  z.string().regex(/^[A-Za-z0-9_.-]{1,64}$/, 'must be 1 to 64 letters, digits, _, . or -');

const scheduleTrigger = () =>
  z.strictObject({
    'trigger-type': z
      .enum(['CRON', 'FIXED_RATE', 'FIXED_DELAY', 'RUN_ONCE'])
      .default('FIXED_RATE')
      .describe('When the relay runs.'),
    'fixed-rate': milliseconds(0, DAY_MS)
      .optional()
      .describe(
        'Rate of FIXED_RATE and delay of FIXED_DELAY, such as 5s (1 s to 1 d); none: 1 minute.',
      ),
    'cron-expression': z
      .string()
      .default('0 */10 * * * *')
      .describe('Six-field cron expression used with CRON, in UTC.'),
  });

const schema = () =>
  z.strictObject({
    enabled: flag(true, 'false: EventPublisher does nothing but warn.'),
    transport: z
      .enum(['spring', 'broker'])
      .default('spring')
      .describe(
        'spring: listeners in the same function, after commit; broker: outbox, event bus and queues.',
      ),
    'app-code': z
      .string()
      .regex(/^[a-z0-9][a-z0-9._-]{0,62}$/, 'must be 1 to 63 lower-case letters, digits, ., _ or -')
      .optional()
      .describe('Application code: source of events; required when the relay is enabled.'),
    'message-table': keyPrefix()
      .default('message')
      .describe('Name of the outbox table (a key prefix of the one table).'),
    'message-tracking-table': keyPrefix()
      .default('message_tracking')
      .describe('Name of the tracking table (a key prefix of the one table).'),
    'schema-update-enabled': flag(
      false,
      'true: checks and upgrades the layout of stored messages at start.',
    ),
    idempotent: z
      .strictObject({
        enabled: flag(true, 'Consumer idempotency check by messageId.'),
        'max-retries': wholeNumber(
          3,
          0,
          100,
          'Further attempts to process a message before it is dead.',
        ),
      })
      .prefault({}),
    relay: z
      .strictObject({
        enabled: flag(false, 'Enables the relay that sends again what was not sent.'),
        'batch-size': wholeNumber(100, 1, 1_000, 'Messages per relay batch.'),
        'max-retries': wholeNumber(3, 0, 100, 'Resends before a message is dead.'),
        'max-retry-delay': milliseconds(0, DAY_MS / 2)
          .default(1_000)
          .describe('Cap of the backoff between resends (ms).'),
        'schedule-trigger': scheduleTrigger().prefault({}),
      })
      .prefault({}),
    'broker-restful-enabled': flag(false, 'Enables POST /broker/dispatch.'),
    'broker-template-proxy-enabled': flag(
      false,
      'Routes direct sends of the broker clients through the outbox.',
    ),
    shards: wholeNumber(8, 1, 64, 'Shards of the due index of the outbox.'),
    'payload-inline-limit': wholeNumber(
      204_800,
      1_024,
      262_144,
      'Largest envelope kept inside a message (bytes); larger bodies go to the bucket.',
    ),
    'sent-retention': milliseconds(60_000, 365 * DAY_MS)
      .default(7 * DAY_MS)
      .describe('How long a sent message is kept (ms).'),
    'tracking-retention': milliseconds(60_000, 365 * DAY_MS)
      .default(14 * DAY_MS)
      .describe('How long a processed messageId is remembered (ms).'),
  });

type MqSection = CamelCaseKeys<z.output<ReturnType<typeof schema>>>;

/** `svc.mq`: outbox, relay and delivery of messages; part of every function. */
export const mqSection = defineSection({
  name: 'mq',
  schema,
  rules: [
    (mq) =>
      mq.relay.enabled &&
      !mq.appCode &&
      error(
        'MQ_APP_CODE_REQUIRED',
        'svc.mq.app-code',
        'is required when svc.mq.relay.enabled is true',
      ),
    (mq) =>
      mq.transport === 'broker' &&
      !mq.relay.enabled &&
      !mq.appCode &&
      warning(
        'MQ_APP_CODE_DEFAULTED',
        'svc.mq.app-code',
        'is not set; events carry the source svc.app',
      ),
    (mq) =>
      mq.messageTable === mq.messageTrackingTable &&
      error(
        'MQ_TABLES_EQUAL',
        'svc.mq.message-tracking-table',
        'must differ from svc.mq.message-table',
      ),
    (mq, { isKeyPrefixTaken }) =>
      isKeyPrefixTaken(mq.messageTable) &&
      error(
        'MQ_TABLE_TAKEN',
        'svc.mq.message-table',
        `${mq.messageTable} names other records of the table`,
      ),
    (mq, { isKeyPrefixTaken }) =>
      isKeyPrefixTaken(mq.messageTrackingTable) &&
      error(
        'MQ_TABLE_TAKEN',
        'svc.mq.message-tracking-table',
        `${mq.messageTrackingTable} names other records of the table`,
      ),
    (mq) =>
      mq.schemaUpdateEnabled &&
      warning(
        'MQ_SCHEMA_UPDATE',
        'svc.mq.schema-update-enabled',
        'one table holds all records and needs no DDL; only the layout version of stored messages is checked',
      ),
    (mq) =>
      mq.relay.enabled &&
      mq.transport === 'spring' &&
      warning(
        'MQ_RELAY_WITHOUT_BROKER',
        'svc.mq.relay.enabled',
        'has no effect on messages of the transport spring',
      ),
    (mq) =>
      mq.brokerTemplateProxyEnabled &&
      mq.transport !== 'broker' &&
      error(
        'MQ_PROXY_NEEDS_BROKER',
        'svc.mq.broker-template-proxy-enabled',
        'needs svc.mq.transport=broker',
      ),
    (mq) =>
      mq.brokerTemplateProxyEnabled &&
      !mq.relay.enabled &&
      warning(
        'MQ_PROXY_WITHOUT_RELAY',
        'svc.mq.broker-template-proxy-enabled',
        'without the relay a send that fails once is not repeated',
      ),
    (mq) =>
      usesRate(mq) &&
      mq.relay.scheduleTrigger.fixedRate === undefined &&
      warning(
        'MQ_RELAY_RATE_DEFAULTED',
        'svc.mq.relay.schedule-trigger.fixed-rate',
        'is not set; the relay runs every minute',
      ),
    (mq) =>
      usesRate(mq) &&
      (mq.relay.scheduleTrigger.fixedRate ?? 60_000) < 1_000 &&
      error(
        'MQ_RELAY_RATE_TOO_SHORT',
        'svc.mq.relay.schedule-trigger.fixed-rate',
        'must be at least 1s',
      ),
    (mq) => {
      const { triggerType, cronExpression } = mq.relay.scheduleTrigger;
      const problem = triggerType === 'CRON' && cronProblem(cronExpression);
      return (
        problem &&
        error(
          'MQ_RELAY_CRON_INVALID',
          'svc.mq.relay.schedule-trigger.cron-expression',
          `${problem}; it is "${cronExpression}"`,
        )
      );
    },
  ],
});

function usesRate({ relay }: Pick<MqSection, 'relay'>): boolean {
  return relay.enabled && ['FIXED_RATE', 'FIXED_DELAY'].includes(relay.scheduleTrigger.triggerType);
}

function cronProblem(expression: string): string | undefined {
  try {
    parseSpringCron(expression);
    return undefined;
  } catch (cause) {
    return cause instanceof RangeError ? cause.message : 'is not a cron expression';
  }
}
