import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import { LOCAL_STAGE } from './configuration.ts';

/** Whether a stage serves real users: its logs are kept longer and its stack is protected. */
export function isProduction(stage: string): boolean {
  return stage === 'live' || stage.startsWith('prod');
}

/** How long logs of a stage are kept. */
export function logRetention(stage: string): RetentionDays {
  if (isProduction(stage)) return RetentionDays.THREE_MONTHS;
  return stage === LOCAL_STAGE ? RetentionDays.ONE_WEEK : RetentionDays.ONE_MONTH;
}
