import type { IMetric } from 'aws-cdk-lib/aws-cloudwatch';

/** Metric, threshold and text of an alarm. */
export interface AlarmRule {
  readonly id: string;
  readonly metric: IMetric;
  /** Threshold of the alarm. */
  readonly above: number;
  readonly periods?: number;
  readonly description: string;
}
