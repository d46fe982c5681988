import { Rule, RuleTargetInput, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets';
import { Duration } from 'aws-cdk-lib/core';
import type { Construct } from 'constructs';
import type { ScheduleDeclaration } from '../../shared/lambda/schedule.ts';
import { acknowledge } from '../configuration/acknowledge.ts';
import type { ModuleFunction } from '../functions/module-function.ts';

/** Schedules the tasks of a function. The next run makes up for a failed one. */
export function runOnSchedule(
  scope: Construct,
  target: ModuleFunction,
  schedules: readonly ScheduleDeclaration[],
): void {
  for (const { task, expression } of schedules) {
    const rule = new Rule(scope, `Schedule-${task}`, {
      schedule: Schedule.expression(expression),
      targets: [
        new LambdaFunction(target.function, {
          event: RuleTargetInput.fromObject({ task }),
          retryAttempts: 0,
          maxEventAge: Duration.minutes(1),
        }),
      ],
    });
    acknowledge(rule, {
      'Serverless::Serverless-EventBusDLQ':
        'A lost call of a task that runs again and again is made up for by the next one.',
    });
  }
}
