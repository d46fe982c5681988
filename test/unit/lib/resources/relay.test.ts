import { Match, Template } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import { platformModules } from '../../../../lib/modules.ts';
import { platformStack, standaloneApp, standaloneTemplate } from '../synthesise.ts';

const trigger = (raw: Readonly<Record<string, unknown>>) =>
  standaloneTemplate({
    stage: 'dev',
    config: { 'mq.relay.schedule-trigger': { 'trigger-type': 'FIXED_RATE', ...raw } },
  });

const schedules = (template: Template) =>
  Object.values(template.findResources('AWS::Events::Rule')).flatMap(
    ({ Properties: { ScheduleExpression, Targets } }) =>
      Targets[0]?.InputTransformer && ScheduleExpression
        ? [{ ScheduleExpression, task: JSON.parse(inputOf(Targets)).task }]
        : [],
  );

const inputOf = ([target]: { InputTransformer: { InputTemplate: string } }[]) =>
  target?.InputTransformer.InputTemplate.replace(/<[^>]+>/g, '""') ?? '';

describe('the relay', () => {
  it('is woken by new messages that nobody sends at once, and by requeued dead letters', () => {
    standaloneTemplate({ stage: 'dev' }).hasResourceProperties('AWS::Lambda::EventSourceMapping', {
      BatchSize: 100,
      BisectBatchOnFunctionError: true,
      MaximumRetryAttempts: 3,
      MaximumRecordAgeInSeconds: 3_600,
      DestinationConfig: { OnFailure: Match.anyValue() },
      FilterCriteria: {
        Filters: [
          { Pattern: Match.stringLikeRegexp('INSERT.*async') },
          { Pattern: Match.stringLikeRegexp('MODIFY.*PENDING.*DEAD') },
        ],
      },
    });
  });

  it.each([
    [{ 'fixed-rate': '2m' }, [{ ScheduleExpression: 'rate(2 minutes)', task: 'relay' }], 0],
    [{ 'fixed-rate': '5s' }, [{ ScheduleExpression: 'cron(* * * * ? *)', task: 'relay.ticks' }], 1],
    [
      { 'trigger-type': 'FIXED_DELAY', 'fixed-rate': '3s' },
      [{ ScheduleExpression: 'cron(* * * * ? *)', task: 'relay.ticks' }],
      1,
    ],
    [
      { 'trigger-type': 'CRON' },
      [{ ScheduleExpression: 'cron(0/10 * * * ? *)', task: 'relay' }],
      0,
    ],
    [
      { 'trigger-type': 'CRON', 'cron-expression': '*/20 * * * * *' },
      [{ ScheduleExpression: 'cron(* * * * ? *)', task: 'relay.ticks' }],
      1,
    ],
    [{ 'trigger-type': 'RUN_ONCE' }, [], 0],
  ])('with the trigger %j runs by %j', (raw, expected, tickQueues) => {
    const template = trigger(raw);
    const queues = Object.values(template.findResources('AWS::SQS::Queue'));

    expect(schedules(template)).toEqual(expected);
    expect(
      queues.filter(({ Properties }) => /relay-ticks$/.test(Properties.QueueName ?? '')),
    ).toHaveLength(tickQueues);
  });

  it('with RUN_ONCE runs once with each deployment', () => {
    trigger({ 'trigger-type': 'RUN_ONCE' }).resourceCountIs('Custom::Trigger', 1);
  });

  it('drains the dead-letter queue of every group', () => {
    const template = standaloneTemplate({ stage: 'dev' });
    const names = Object.values(template.findResources('AWS::SQS::Queue')).flatMap(
      ({ Properties }) => Properties.QueueName ?? [],
    );
    const dead = names.filter((name) => name.endsWith('-dead'));
    const sources = JSON.stringify(template.findResources('AWS::Lambda::EventSourceMapping'));

    // Sources of identities are off: they need a source.
    const modules = platformModules.filter(({ name }) => name !== 'identity');
    const groups = modules.flatMap(({ listeners = [] }) => listeners);
    expect(dead).toHaveLength(groups.length);
    expect(sources.match(/DeadLetters/g)?.length).toBe(dead.length);
  });

  it('is absent when it is not enabled, with its function and its triggers', () => {
    const template = standaloneTemplate({ stage: 'dev', config: { 'mq.relay.enabled': false } });

    expect(Object.keys(template.findOutputs('MessagingRelay*'))).toEqual([]);
    expect(schedules(template)).toEqual([]);
  });

  it('without svc.mq.app-code stops the synthesis', () => {
    const app = () =>
      standaloneApp({ stage: 'dev', context: { svc: { mq: { relay: { enabled: true } } } } });

    expect(app).toThrow('MQ_APP_CODE_REQUIRED');
  });

  it.each(['500ms', '0s'])('at a rate of %s stops the synthesis', (rate) => {
    expect(() => trigger({ 'fixed-rate': rate })).toThrow('MQ_RELAY_RATE_TOO_SHORT');
  });
});

describe('the alarms of the outbox', () => {
  it.each(['OutboxPending', 'OutboxOldestAgeMs', 'OutboxDead'])('watch %s', (MetricName) => {
    standaloneTemplate({ stage: 'dev' }).hasResourceProperties('AWS::CloudWatch::Alarm', {
      MetricName,
      Namespace: 'svc-cloud',
      Dimensions: [{ Name: 'service', Value: 'svc-cloud-mq' }],
    });
  });
});

describe('the alarm of duplicates', () => {
  it('watches each function that reads a queue', () => {
    const alarms = standaloneTemplate({ stage: 'dev' }).findResources('AWS::CloudWatch::Alarm', {
      Properties: { MetricName: 'ConsumerDuplicate', Namespace: 'svc-cloud', Threshold: 100 },
    });

    const services = Object.values(alarms).map(({ Properties }) => Properties.Dimensions[0].Value);
    expect(services.sort()).toEqual([
      'svc-cloud-entities',
      'svc-cloud-settings',
      'svc-cloud-templates',
      'svc-cloud-workflow',
    ]);
  });
});

describe('svc.mq.enabled=false', () => {
  const template = Template.fromStack(
    platformStack(standaloneApp({ stage: 'dev', config: { 'mq.enabled': false } })),
  );

  it('leaves no messaging function and no route, but the notices of refreshes', () => {
    expect(Object.keys(template.findOutputs('Messaging*'))).toEqual([]);
    expect(JSON.stringify(template.findResources('AWS::ApiGatewayV2::Route'))).not.toContain(
      '/broker',
    );
    template.hasResourceProperties('AWS::Events::Rule', {
      EventPattern: { 'detail-type': ['iam-config-refresh'] },
    });
  });

  it('leaves the workflow function with its sweep, its schedules and commands from elsewhere', () => {
    const rules = JSON.stringify(template.findResources('AWS::Events::Rule'));

    template.hasResourceProperties('AWS::Lambda::Function', {
      Environment: {
        Variables: Match.objectLike({ POWERTOOLS_SERVICE_NAME: 'svc-cloud-workflow' }),
      },
    });
    template.resourceCountIs('AWS::Scheduler::ScheduleGroup', 1);
    expect(rules).toContain('workflow.sweep');
    expect(rules.match(/"detail-type":\["[a-z.-]+"/g)).toEqual(
      [
        'iam-config-refresh',
        'setting-job',
        'dynamic-entity-job',
        'workflow.command',
        'template-job',
      ].map((topic) => `"detail-type":["${topic}"`),
    );
  });
});
