import { GraphWidget, type IMetric } from 'aws-cdk-lib/aws-cloudwatch';
import { Duration } from 'aws-cdk-lib/core';
import type { ModuleServices } from '../module-services.ts';
import type { AlarmRule } from './alarm-rule.ts';

const PERIOD = Duration.minutes(5);

/** Services by the name of their module. */
export type ServicesByModule = ReadonlyMap<string, ModuleServices>;

/** Alarms for executions that fail, and for schedules whose target cannot be reached. */
export function serviceRules(services: ServicesByModule): AlarmRule[] {
  return [...services].flatMap(([module, { stateMachines, schedules }]) => [
    ...[...stateMachines].flatMap(([name, machine]) => [
      {
        id: `${module}-${name}-failed`,
        metric: machine.metricFailed({ period: PERIOD }),
        above: 0,
        description: `An execution of the state machine ${name} of ${module} failed.`,
      },
      {
        id: `${module}-${name}-timed-out`,
        metric: machine.metricTimedOut({ period: PERIOD }),
        above: 0,
        description: `An execution of the state machine ${name} of ${module} took too long.`,
      },
    ]),
    ...(schedules
      ? [
          {
            id: `${module}-schedules-dead`,
            metric: schedules.deadLetters.metricApproximateNumberOfMessagesVisible({
              period: PERIOD,
            }),
            above: 0,
            description: `Schedules of ${module} were due and reached nobody.`,
          },
        ]
      : []),
  ]);
}

/** Graphs of the dashboard; none where no module has such services. */
export function serviceWidgets(services: ServicesByModule): GraphWidget[] {
  const all = [...services.values()];
  const machines = all.flatMap(({ stateMachines }) => [...stateMachines.values()]);
  const deadLetters = all.flatMap(({ schedules }) => (schedules ? [schedules.deadLetters] : []));
  return [
    ...graph(
      'Executions',
      machines.flatMap((machine) => [machine.metricStarted(), machine.metricFailed()]),
    ),
    ...graph(
      'Schedules that reached nobody',
      deadLetters.map((queue) => queue.metricApproximateNumberOfMessagesVisible()),
    ),
  ];
}

const graph = (title: string, left: IMetric[]): GraphWidget[] =>
  left.length > 0 ? [new GraphWidget({ title, left, width: 8 })] : [];
