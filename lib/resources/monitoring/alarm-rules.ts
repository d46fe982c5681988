import type { AlarmRule, SilenceRule } from './alarm-rule.ts';
import { consumerMetric, PERIOD } from './metrics.ts';
import { relayRules } from './relay-monitoring.ts';
import { serviceRules } from './service-monitoring.ts';
import type { Watched } from './watched.ts';

/** The alarms of a platform. */
export function alarmRules(props: Watched): (AlarmRule | SilenceRule)[] {
  return [
    ...apiRules(props),
    ...functionRules(props),
    ...queueRules(props),
    ...duplicateRules(props),
    ...relayRules(props),
    ...tableRules(props),
    ...serviceRules(props.services),
    ...declaredRules(props),
  ];
}

function tableRules({ storage }: Watched): AlarmRule[] {
  return ['Read', 'Write'].map((kind) => ({
    id: `Table${kind}Throttled`,
    metric: storage.table.metric(`${kind}ThrottleEvents`, { statistic: 'Sum', period: PERIOD }),
    above: 0,
    description: `DynamoDB refuses ${kind.toLowerCase()} requests: a key is too hot or a limit is reached.`,
  }));
}

function apiRules({ api }: Watched): AlarmRule[] {
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

function functionRules({ functions }: Watched): AlarmRule[] {
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

function queueRules({ messaging }: Watched): AlarmRule[] {
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
function duplicateRules({ messaging }: Watched): AlarmRule[] {
  const owners = new Set(messaging.listenerQueues.map(({ owner }) => owner));
  return [...owners].map((owner) => ({
    id: `${owner}-duplicates`,
    metric: consumerMetric('ConsumerDuplicate', owner),
    above: 100,
    description: `The function ${owner} got more than 100 messages again in 5 minutes that it had processed before.`,
  }));
}

function declaredRules({ modules }: Watched): AlarmRule[] {
  return modules.flatMap(({ name, alarms = [] }) =>
    alarms.map(({ metric, above, description }) => ({
      ...{ id: `${name}-${metric}`, metric: consumerMetric(metric, name), above, description },
    })),
  );
}
