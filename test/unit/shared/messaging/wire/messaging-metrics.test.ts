import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  createMessagingMetrics,
  type MessagingMetrics,
} from '../../../../../shared/messaging/wire/messaging-metrics.ts';

/** What the metrics write, as CloudWatch reads it. */
function written(work: (metrics: MessagingMetrics) => void): Record<string, unknown>[] {
  const lines: string[] = [];
  vi.spyOn(console, 'log').mockImplementation((line: string) => void lines.push(line));
  work(createMessagingMetrics('orders'));
  return lines.map((line) => JSON.parse(line));
}

beforeEach(() => {
  vi.stubEnv('POWERTOOLS_METRICS_DISABLED', 'false');
  // Makes the metrics use the console that the test watches.
  vi.stubEnv('POWERTOOLS_DEV', 'true');
});
afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

describe('the metrics of messages', () => {
  it('tell the state of the outbox, where its alarms look', () => {
    const [line] = written((metrics) =>
      metrics.outboxState({ pending: 7, oldestAgeMs: 61_000, dead: 2 }, 350),
    );

    expect(line).toMatchObject({
      service: 'svc-cloud-mq',
      OutboxPending: 7,
      OutboxOldestAgeMs: 61_000,
      OutboxDead: 2,
      RelayRunMs: 350,
      _aws: { CloudWatchMetrics: [{ Namespace: 'svc-cloud', Dimensions: [['service']] }] },
    });
  });

  it('tell a state of nought too, so that an alarm ends', () => {
    const [line] = written((metrics) =>
      metrics.outboxState({ pending: 0, oldestAgeMs: 0, dead: 0 }, 1),
    );

    expect(line).toMatchObject({ OutboxPending: 0, OutboxOldestAgeMs: 0, OutboxDead: 0 });
  });

  it('count what a function sent and what its groups did', () => {
    const lines = written((metrics) => {
      metrics.sent(3, 1);
      metrics.delivered('order.placed', 'billing', ['Processed', 'Duplicate', 'Duplicate']);
      metrics.delivered('order.placed', 'billing', ['Failed', 'Dead']);
      metrics.delivered('order.placed', 'billing', []);
      metrics.outboxWithoutRelay(2);
    });

    expect(lines).toMatchObject([
      { service: 'svc-cloud-orders', OutboxSent: 3, OutboxSendFailed: 1 },
      { ConsumerProcessed: 1, ConsumerDuplicate: 2, topic: 'order.placed', group: 'billing' },
      { ConsumerFailed: 1, ConsumerDead: 1 },
      { service: 'svc-cloud-mq', OutboxWithoutRelay: 2 },
    ]);
    expect(lines).toHaveLength(4);
  });
});
