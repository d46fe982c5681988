import {
  Alarm,
  ComparisonOperator,
  Dashboard,
  GraphWidget,
  type IMetric,
  Metric,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { type ITopic, Topic } from 'aws-cdk-lib/aws-sns';
import { Duration, Stack } from 'aws-cdk-lib/core';
import { Construct } from 'constructs';
import { METRIC_NAMESPACE, OUTBOX_SERVICE } from '../../shared/messaging/wire/metric-names.ts';
import { LOCAL_STAGE } from '../configuration/configuration.ts';
import type { ModuleFunction } from '../functions/module-function.ts';
import type { AlarmRule } from './alarm-rule.ts';
import type { Api } from './api.ts';
import type { Encryption } from './encryption.ts';
import type { Messaging } from './messaging.ts';
import { type ServicesByModule, serviceRules, serviceWidgets } from './service-monitoring.ts';
import type { Storage } from './storage.ts';

export interface MonitoringProps {
  readonly stage: string;
  readonly encryption: Encryption;
  readonly api: Api;
  readonly storage: Storage;
  readonly messaging: Messaging;
  readonly functions: ReadonlyMap<string, ModuleFunction>;
  /** State machines and schedules of the modules. */
  readonly services: ServicesByModule;
  /** Whether there is a relay, which reports the state of the outbox. */
  readonly hasRelay: boolean;
  /** Topic that alarms are sent to; one of its own when left out. */
  readonly alarmTopic?: ITopic;
}

const PERIOD = Duration.minutes(5);

/** Alarms with one topic, and one dashboard. */
export class Monitoring extends Construct {
  readonly alarmTopic: ITopic;

  constructor(scope: Construct, id: string, props: MonitoringProps) {
    super(scope, id);
    this.alarmTopic =
      props.alarmTopic ??
      new Topic(this, 'AlarmTopic', {
        enforceSSL: props.stage !== LOCAL_STAGE,
        ...(props.encryption.key && { masterKey: props.encryption.key }),
      });
    this.#letAlarmsPublish();
    for (const rule of alarmRules(props)) this.#alarm(rule);
    this.#dashboard(props);
  }

  /** A topic with its own policy, such as one that requires TLS, must allow CloudWatch explicitly. */
  #letAlarmsPublish(): void {
    this.alarmTopic.grantPublish(
      new ServicePrincipal('cloudwatch.amazonaws.com', {
        conditions: { StringEquals: { 'aws:SourceAccount': Stack.of(this).account } },
      }),
    );
  }

  #alarm({ id, metric, above, periods = 1, description }: AlarmRule): void {
    const alarm = new Alarm(this, id, {
      metric,
      threshold: above,
      comparisonOperator: ComparisonOperator.GREATER_THAN_THRESHOLD,
      evaluationPeriods: periods,
      treatMissingData: TreatMissingData.NOT_BREACHING,
      alarmDescription: description,
    });
    alarm.addAlarmAction(new SnsAction(this.alarmTopic));
  }

  #dashboard({ api, storage, messaging, functions, services }: MonitoringProps): void {
    const all = [...functions.entries()];
    const dashboard = new Dashboard(this, 'Dashboard');
    dashboard.addWidgets(
      graph('Requests', [api.httpStage.metricCount()]),
      graph('Errors of the API', [
        api.httpStage.metricClientError(),
        api.httpStage.metricServerError(),
      ]),
      graph('Latency of the API', [
        api.httpStage.metricLatency({ statistic: 'p50' }),
        api.httpStage.metricLatency({ statistic: 'p95' }),
      ]),
    );
    dashboard.addWidgets(
      graph(
        'Duration p95',
        metrics(all, (f) => f.metricDuration({ statistic: 'p95' })),
      ),
      graph(
        'Function errors',
        metrics(all, (f) => f.metricErrors()),
      ),
      graph(
        'Throttled calls',
        metrics(all, (f) => f.metricThrottles()),
      ),
    );
    dashboard.addWidgets(
      graph('Outbox', [
        outboxMetric('OutboxPending', 'Maximum'),
        outboxMetric('OutboxDead', 'Maximum'),
      ]),
      graph('Oldest message of the outbox', [outboxMetric('OutboxOldestAgeMs', 'Maximum')]),
      graph(
        'Messages delivered again',
        [...functions.keys()].map((name) => consumerMetric('ConsumerDuplicate', name)),
      ),
    );
    dashboard.addWidgets(
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
    );
    const ofServices = serviceWidgets(services);
    if (ofServices.length > 0) dashboard.addWidgets(...ofServices);
  }
}

function alarmRules(props: MonitoringProps): AlarmRule[] {
  return [
    ...apiRules(props),
    ...functionRules(props),
    ...queueRules(props),
    ...duplicateRules(props),
    ...outboxRules(props),
    ...tableRules(props),
    ...serviceRules(props.services),
  ];
}

function tableRules({ storage }: MonitoringProps): AlarmRule[] {
  return ['Read', 'Write'].map((kind) => ({
    id: `Table${kind}Throttled`,
    metric: storage.table.metric(`${kind}ThrottleEvents`, { statistic: 'Sum', period: PERIOD }),
    above: 0,
    description: `DynamoDB refuses ${kind.toLowerCase()} requests: a key is too hot or a limit is reached.`,
  }));
}

function apiRules({ api }: MonitoringProps): AlarmRule[] {
  return [
    {
      id: 'ApiServerErrors',
      metric: api.httpStage.metricServerError({ period: PERIOD }),
      above: 5,
      description: 'More than 5 answers with status 5xx in 5 minutes.',
    },
    {
      id: 'ApiLatency',
      metric: api.httpStage.metricLatency({ statistic: 'p95', period: PERIOD }),
      above: 3000,
      periods: 3,
      description: 'The slowest 5 % of requests took more than 3 s for 15 minutes.',
    },
  ];
}

function functionRules({ functions }: MonitoringProps): AlarmRule[] {
  return [...functions].flatMap(([name, { function: target }]) => [
    {
      id: `${name}-errors`,
      metric: target.metricErrors({ period: PERIOD }),
      above: 0,
      description: `The function ${name} failed outside its error handling (crash, time limit, memory).`,
    },
    {
      id: `${name}-throttles`,
      metric: target.metricThrottles({ period: PERIOD }),
      above: 0,
      description: `Calls of the function ${name} were refused: its concurrency is used up.`,
    },
  ]);
}

function queueRules({ messaging }: MonitoringProps): AlarmRule[] {
  return messaging.listenerQueues.flatMap(({ group, queue, deadLetterQueue }) => {
    const name = queue.node.scope?.node.id ?? group;
    return [
      {
        id: `${name}-age`,
        metric: queue.metricApproximateAgeOfOldestMessage({ period: PERIOD }),
        above: 900,
        description: `A message waits for ${group} since 15 minutes.`,
      },
      {
        id: `${name}-dead`,
        metric: deadLetterQueue.metricApproximateNumberOfMessagesVisible({ period: PERIOD }),
        above: 0,
        description: `Messages for ${group} could not be processed.`,
      },
    ];
  });
}

/** Few duplicates are normal: the bus delivers at least once. */
function duplicateRules({ messaging }: MonitoringProps): AlarmRule[] {
  const owners = new Set(messaging.listenerQueues.map(({ owner }) => owner));
  return [...owners].map((owner) => ({
    id: `${owner}-duplicates`,
    metric: consumerMetric('ConsumerDuplicate', owner),
    above: 100,
    description: `The function ${owner} got more than 100 messages again in 5 minutes that it had processed before.`,
  }));
}

/** The relay reports the state of the outbox at the end of each run. */
function outboxRules({ hasRelay }: MonitoringProps): AlarmRule[] {
  if (!hasRelay) return [];
  return [
    {
      id: 'OutboxPending',
      metric: outboxMetric('OutboxPending', 'Minimum'),
      above: 500,
      periods: 3,
      description: 'More than 500 messages wait in the outbox since 15 minutes.',
    },
    {
      id: 'OutboxAge',
      metric: outboxMetric('OutboxOldestAgeMs', 'Maximum'),
      above: 900_000,
      description: 'A message waits in the outbox since 15 minutes.',
    },
    {
      id: 'OutboxDead',
      metric: outboxMetric('OutboxDead', 'Maximum'),
      above: 0,
      description: 'There are dead letters: look at GET /broker/dead-letter.',
    },
  ];
}

function outboxMetric(metricName: string, statistic: string): Metric {
  return new Metric({
    namespace: METRIC_NAMESPACE,
    metricName,
    dimensionsMap: { service: OUTBOX_SERVICE },
    statistic,
    period: PERIOD,
  });
}

function consumerMetric(metricName: string, module: string): Metric {
  return new Metric({
    namespace: METRIC_NAMESPACE,
    metricName,
    dimensionsMap: { service: `svc-cloud-${module}` },
    statistic: 'Sum',
    period: PERIOD,
  });
}

function graph(title: string, left: IMetric[]): GraphWidget {
  return new GraphWidget({ title, left, width: 8 });
}

function metrics(
  functions: readonly (readonly [string, ModuleFunction])[],
  metric: (target: ModuleFunction['function']) => IMetric,
): IMetric[] {
  return functions.map(([, { function: target }]) => metric(target));
}
