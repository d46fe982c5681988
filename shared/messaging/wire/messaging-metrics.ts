import { Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';
import { lazy } from '../../primitives/lazy.ts';
import { METRIC_NAMESPACE, OUTBOX_SERVICE } from './metric-names.ts';

/** Result of a delivery in a group. */
export type DeliveryOutcome = 'Processed' | 'Duplicate' | 'Failed' | 'Dead';

/** State of the outbox, measured by the relay. */
export interface OutboxState {
  readonly pending: number;
  readonly oldestAgeMs: number;
  readonly dead: number;
}

/** Counts messages; each call is one line in the embedded metric format. */
export interface MessagingMetrics {
  sent(sent: number, failed: number): void;
  delivered(topic: string, group: string, outcomes: readonly DeliveryOutcome[]): void;
  outboxState(state: OutboxState, runMs: number): void;
  /** Messages that no relay sends. */
  outboxWithoutRelay(left: number): void;
}

/** Metrics of one function's messages. */
export function createMessagingMetrics(module: string): MessagingMetrics {
  const own = lazy(
    () => new Metrics({ namespace: METRIC_NAMESPACE, serviceName: `svc-cloud-${module}` }),
  );
  const outbox = lazy(
    () => new Metrics({ namespace: METRIC_NAMESPACE, serviceName: OUTBOX_SERVICE }),
  );
  return {
    sent(sent, failed) {
      if (sent > 0) own().addMetric('OutboxSent', MetricUnit.Count, sent);
      if (failed > 0) own().addMetric('OutboxSendFailed', MetricUnit.Count, failed);
      own().publishStoredMetrics();
    },
    delivered(topic, group, outcomes) {
      if (outcomes.length === 0) return;
      own().addMetadata('topic', topic);
      own().addMetadata('group', group);
      for (const [outcome, all] of Map.groupBy(outcomes, (each) => each)) {
        own().addMetric(`Consumer${outcome}`, MetricUnit.Count, all.length);
      }
      own().publishStoredMetrics();
    },
    outboxState({ pending, oldestAgeMs, dead }, runMs) {
      outbox().addMetric('OutboxPending', MetricUnit.Count, pending);
      outbox().addMetric('OutboxOldestAgeMs', MetricUnit.Milliseconds, oldestAgeMs);
      outbox().addMetric('OutboxDead', MetricUnit.Count, dead);
      outbox().addMetric('RelayRunMs', MetricUnit.Milliseconds, runMs);
      outbox().publishStoredMetrics();
    },
    outboxWithoutRelay(left) {
      outbox().addMetric('OutboxWithoutRelay', MetricUnit.Count, left);
      outbox().publishStoredMetrics();
    },
  };
}
