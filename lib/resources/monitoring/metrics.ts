import { GraphWidget, type IMetric, Metric } from 'aws-cdk-lib/aws-cloudwatch';
import { Duration } from 'aws-cdk-lib/core';
import { METRIC_NAMESPACE, OUTBOX_SERVICE } from '../../../shared/messaging/wire/metric-names.ts';

/** The period of most alarms. */
export const PERIOD = Duration.minutes(5);

/** A metric of the whole outbox, which the relay reports at the end of each run. */
export function outboxMetric(metricName: string, statistic: string, period = PERIOD): Metric {
  return new Metric({
    namespace: METRIC_NAMESPACE,
    metricName,
    dimensionsMap: { service: OUTBOX_SERVICE },
    statistic,
    period,
  });
}

/** A metric of the messages that one function consumes. */
export function consumerMetric(metricName: string, module: string): Metric {
  return new Metric({
    namespace: METRIC_NAMESPACE,
    metricName,
    dimensionsMap: { service: `svc-cloud-${module}` },
    statistic: 'Sum',
    period: PERIOD,
  });
}

/** A graph of a third of the dashboard's width. */
export function graph(title: string, left: IMetric[]): GraphWidget {
  return new GraphWidget({ title, left, width: 8 });
}
