import type { GraphWidget, IMetric } from 'aws-cdk-lib/aws-cloudwatch';
import type { ModuleFunction } from '../../functions/module-function.ts';
import { consumerMetric, graph } from './metrics.ts';
import { relayWidgets } from './relay-monitoring.ts';
import { serviceWidgets } from './service-monitoring.ts';
import type { Watched } from './watched.ts';

/** The rows of the dashboard. */
export function dashboardRows(watched: Watched): GraphWidget[][] {
  return [
    apiWidgets(watched),
    functionWidgets(watched),
    relayWidgets(watched),
    queueWidgets(watched),
    serviceWidgets(watched.services),
  ].filter(({ length }) => length > 0);
}

function apiWidgets({ api: { httpStage } }: Watched): GraphWidget[] {
  return [
    graph('Requests', [httpStage.metricCount()]),
    graph('Errors of the API', [httpStage.metricClientError(), httpStage.metricServerError()]),
    graph('Latency of the API', [
      httpStage.metricLatency({ statistic: 'p50' }),
      httpStage.metricLatency({ statistic: 'p95' }),
    ]),
  ];
}

function functionWidgets({ functions }: Watched): GraphWidget[] {
  const ofAll = (metric: (target: ModuleFunction['function']) => IMetric): IMetric[] =>
    [...functions.values()].map(({ function: target }) => metric(target));
  return [
    graph(
      'Duration p95',
      ofAll((f) => f.metricDuration({ statistic: 'p95' })),
    ),
    graph(
      'Function errors',
      ofAll((f) => f.metricErrors()),
    ),
    graph(
      'Throttled calls',
      ofAll((f) => f.metricThrottles()),
    ),
  ];
}

function queueWidgets({ functions, messaging, storage }: Watched): GraphWidget[] {
  return [
    graph(
      'Messages delivered again',
      [...functions.keys()].map((name) => consumerMetric('ConsumerDuplicate', name)),
    ),
    graph(
      'Oldest message',
      messaging.listenerQueues.map(({ queue }) => queue.metricApproximateAgeOfOldestMessage()),
    ),
    graph(
      'Dead letters',
      messaging.listenerQueues.map(({ deadLetterQueue }) =>
        deadLetterQueue.metricApproximateNumberOfMessagesVisible(),
      ),
    ),
    graph('Table capacity', [
      storage.table.metricConsumedReadCapacityUnits(),
      storage.table.metricConsumedWriteCapacityUnits(),
    ]),
  ];
}
