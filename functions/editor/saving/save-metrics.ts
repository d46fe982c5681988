import { Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';
import { lazy } from '../../../shared/primitives/lazy.ts';

/** Counts saves that did not come about, for the alarm. */
export function createSaveMetrics(module: string): { saveFailed(): void } {
  const metrics = lazy(
    () => new Metrics({ namespace: 'svc-cloud', serviceName: `svc-cloud-${module}` }),
  );
  return {
    saveFailed() {
      metrics().addMetric('DocsSaveFailed', MetricUnit.Count, 1);
      metrics().publishStoredMetrics();
    },
  };
}
