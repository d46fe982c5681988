import type { IMetric } from 'aws-cdk-lib/aws-cloudwatch';

/** Metric, threshold and text of an alarm. */
export interface AlarmRule {
  readonly id: string;
  readonly metric: IMetric;
  /** Threshold of the alarm: it rings above, and stays quiet without data. */
  readonly above: number;
  readonly periods?: number;
  readonly description: string;
}

/** An alarm that rings when something does not happen: below a threshold, and without data. */
export interface SilenceRule extends Omit<AlarmRule, 'above'> {
  readonly below: number;
}
