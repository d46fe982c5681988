import { Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';

/** Counts and latencies of the calls of a function. */
export interface RequestMetrics {
  record(call: { readonly route: string; readonly status: number; readonly ms: number }): void;
}

/** Metrics in the embedded metric format, by module: one line for each call. */
export function createRequestMetrics(module: string): RequestMetrics {
  const metrics = new Metrics({ namespace: 'svc-cloud', serviceName: `svc-cloud-${module}` });
  return {
    record({ route, status, ms }) {
      metrics.addMetadata('route', route);
      metrics.addMetric('Requests', MetricUnit.Count, 1);
      metrics.addMetric('RequestMs', MetricUnit.Milliseconds, ms);
      if (status >= 500) metrics.addMetric('ServerErrors', MetricUnit.Count, 1);
      else if (status >= 400) metrics.addMetric('ClientErrors', MetricUnit.Count, 1);
      metrics.publishStoredMetrics();
    },
  };
}
