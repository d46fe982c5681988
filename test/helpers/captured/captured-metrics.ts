import type {
  MessagingMetrics,
  OutboxState,
} from '../../../shared/messaging/wire/messaging-metrics.ts';

/** Metrics of messages that are kept instead of being written. */
export interface CapturedMetrics extends MessagingMetrics {
  /** Sums by name: `Sent`, `SendFailed`, `WithoutRelay` and `<group> <outcome>`. */
  readonly counts: Record<string, number>;
  /** What each relay run found at its end. */
  readonly states: OutboxState[];
}

/** Makes empty metrics. */
export function capturedMetrics(): CapturedMetrics {
  const counts: Record<string, number> = {};
  const states: OutboxState[] = [];
  const add = (name: string, value: number) => {
    if (value > 0) counts[name] = (counts[name] ?? 0) + value;
  };
  return {
    counts,
    states,
    sent(sent, failed) {
      add('Sent', sent);
      add('SendFailed', failed);
    },
    delivered(_topic, group, outcomes) {
      for (const outcome of outcomes) add(`${group} ${outcome}`, 1);
    },
    outboxState: (state) => void states.push(state),
    outboxWithoutRelay: (left) => add('WithoutRelay', left),
  };
}
