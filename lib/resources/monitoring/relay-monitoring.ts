import type { GraphWidget, IMetric } from 'aws-cdk-lib/aws-cloudwatch';
import { Duration } from 'aws-cdk-lib/core';
import type { Relay } from '../relay.ts';
import type { AlarmRule, SilenceRule } from './alarm-rule.ts';
import { consumerMetric, graph, outboxMetric, PERIOD } from './metrics.ts';
import type { Watched } from './watched.ts';

const MINUTE_MS = 60_000;
/** How long messages may wait. */
const LONG_MINUTES = 15;
const DAY_MS = 24 * 60 * MINUTE_MS;
/** Time that a run takes, and by which EventBridge may be late. */
const SLACK_MS = 2 * MINUTE_MS;
/** CloudWatch looks back a week at most. */
const MAX_DAYS = 7;

/** A time in which the relay runs at least once: several periods of an alarm, all of which must be empty. */
export interface Watch {
  readonly period: Duration;
  readonly periods: number;
}

/** @returns undefined when the pauses are too long for an alarm. */
export function watchOver(longestPauseMs: number): Watch | undefined {
  const longestMs = longestPauseMs + SLACK_MS;
  if (longestMs <= DAY_MS) {
    const fitting = Math.ceil(longestMs / PERIOD.toMilliseconds());
    return { period: Duration.minutes(fitting * PERIOD.toMinutes()), periods: 2 };
  }
  const days = Math.ceil(longestMs / DAY_MS);
  return days <= MAX_DAYS ? { period: Duration.days(1), periods: days } : undefined;
}

/** Alarms of the outbox, of the relay that reports its state, and of what wakes the relay. */
export function relayRules(watched: Watched): (AlarmRule | SilenceRule)[] {
  const { relay } = watched;
  if (!relay) return withoutRelayRules(watched);
  const { period, periods } = reporting(relay);
  return [
    {
      id: 'OutboxPending',
      metric: outboxMetric('OutboxPending', 'Minimum', period),
      above: 500,
      periods,
      description: `More than 500 messages wait in the outbox since ${period.toMinutes() * periods} minutes.`,
    },
    {
      id: 'OutboxAge',
      metric: outboxMetric('OutboxOldestAgeMs', 'Maximum', period),
      above: 900_000,
      description: 'A message waits in the outbox since 15 minutes.',
    },
    {
      id: 'OutboxDead',
      metric: outboxMetric('OutboxDead', 'Maximum', period),
      above: 0,
      description: 'There are dead letters: look at GET /broker/dead-letter.',
    },
    {
      id: 'RelayStreamLag',
      metric: iteratorAge(relay),
      above: 300_000,
      description:
        'The relay is 5 minutes behind the stream of new messages: asynchronous ones are sent late.',
    },
    {
      id: 'RelayFailures',
      metric: failures(relay),
      above: 0,
      description:
        'Calls that wake the relay reached nobody. No message is lost: the next run sends what is due.',
    },
    ...heartbeatRules(relay),
  ];
}

/** Periods with at least one report of the relay each, of a quarter of an hour or more together. */
function reporting({ longestPauseMs }: Relay): Watch {
  const period = (longestPauseMs === undefined ? undefined : watchOver(longestPauseMs))?.period;
  if (!period) return { period: Duration.days(1), periods: 1 };
  return { period, periods: Math.ceil(LONG_MINUTES / period.toMinutes()) };
}

/** Nobody looks into the outbox: functions tell what they leave in it, and what has died. */
function withoutRelayRules({ messaging }: Watched): AlarmRule[] {
  const owners = new Set(messaging.listenerQueues.map(({ owner }) => owner));
  return [
    {
      id: 'OutboxWithoutRelay',
      metric: outboxMetric('OutboxWithoutRelay', 'Sum'),
      above: 0,
      description: 'Messages stay in the outbox, and no relay sends them: enable svc.mq.relay.',
    },
    ...[...owners].map((owner) => ({
      id: `${owner}-dead-messages`,
      metric: consumerMetric('ConsumerDead', owner),
      above: 0,
      description: `Messages that the function ${owner} could not process are dead; with svc.mq.relay they can be requeued.`,
    })),
  ];
}

/** Every run that ends well reports once, whether there was work or not. */
function heartbeatRules({ longestPauseMs }: Relay): SilenceRule[] {
  const watch = longestPauseMs === undefined ? undefined : watchOver(longestPauseMs);
  if (!watch) return [];
  return [
    {
      id: 'RelaySilent',
      metric: outboxMetric('RelayRunMs', 'SampleCount', watch.period),
      below: 1,
      periods: watch.periods,
      description: `The relay has finished no run for ${watch.periods} times ${watch.period.toHumanString()}: messages wait in the outbox.`,
    },
  ];
}

/** Graphs of the outbox and its relay. */
export function relayWidgets({ relay }: Watched): GraphWidget[] {
  const ofOutbox = [
    graph('Outbox', [
      outboxMetric('OutboxPending', 'Maximum'),
      outboxMetric('OutboxDead', 'Maximum'),
    ]),
    graph('Oldest message of the outbox', [outboxMetric('OutboxOldestAgeMs', 'Maximum')]),
  ];
  if (!relay) return ofOutbox;
  return [
    ...ofOutbox,
    graph('Runs of the relay', [outboxMetric('RelayRunMs', 'SampleCount')]),
    graph('Lag of the stream', [iteratorAge(relay)]),
    graph('Wake-up calls that reached nobody', [failures(relay)]),
  ];
}

const iteratorAge = ({ target }: Relay): IMetric =>
  target.function.metric('IteratorAge', { statistic: 'Maximum', period: PERIOD });

const failures = ({ failures: queue }: Relay): IMetric =>
  queue.metricApproximateNumberOfMessagesVisible({ period: PERIOD });
