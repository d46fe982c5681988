import { Match, Template } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import { platformModules } from '../../../../lib/modules.ts';
import { aModule, stackOf } from '../synthesise.ts';

const listener = { topic: 'order.placed', group: 'billing' };
const template = Template.fromStack(stackOf([aModule({ listeners: [listener] })]));

describe('a listener', () => {
  it('gets the events of its topic from any application on the bus', () => {
    template.hasResourceProperties('AWS::Events::Rule', {
      EventBusName: { Ref: Match.stringLikeRegexp('Bus') },
      EventPattern: { source: [{ prefix: 'svc.' }], 'detail-type': ['order.placed'] },
    });
  });

  it('gets what the bus cannot deliver at once later, and in the end as a dead letter', () => {
    template.hasResourceProperties('AWS::Events::Rule', {
      Targets: [
        Match.objectLike({
          RetryPolicy: { MaximumRetryAttempts: 24, MaximumEventAgeInSeconds: 21_600 },
          DeadLetterConfig: {
            Arn: { 'Fn::GetAtt': [Match.stringLikeRegexp('DeadLetters'), 'Arn'] },
          },
        }),
      ],
    });
  });

  it('reads from a queue of its own, message by message', () => {
    template.resourceCountIs('AWS::SQS::Queue', 2);
    template.hasResourceProperties('AWS::Lambda::EventSourceMapping', {
      BatchSize: 10,
      FunctionResponseTypes: ['ReportBatchItemFailures'],
    });
  });

  it('has six times the time limit of its function before a message comes again', () => {
    const slow = aModule({ listeners: [{ ...listener, timeoutSeconds: 60 }] });

    const slowTemplate = Template.fromStack(stackOf([slow]));

    slowTemplate.hasResourceProperties('AWS::Lambda::Function', { Timeout: 60 });
    slowTemplate.hasResourceProperties('AWS::SQS::Queue', { VisibilityTimeout: 360 });
  });

  it('gives a message more tries than the idempotency check allows', () => {
    const patient = Template.fromStack(
      stackOf([aModule({ listeners: [listener] })], { config: { 'mq.idempotent.max-retries': 9 } }),
    );

    patient.hasResourceProperties('AWS::SQS::Queue', {
      RedrivePolicy: Match.objectLike({ maxReceiveCount: 12 }),
    });
  });

  it('counts no receives as attempts where messages wait behind others', () => {
    const inOrder = aModule({ listeners: [{ ...listener, ordered: true }] });
    const maxReceiveCount = (config: Readonly<Record<string, unknown>> = {}) => {
      const queues = Template.fromStack(stackOf([inOrder], { config })).findResources(
        'AWS::SQS::Queue',
        { Properties: { FifoQueue: true, RedrivePolicy: Match.anyValue() } },
      );
      return Object.values(queues).map(
        ({ Properties }) => Properties.RedrivePolicy.maxReceiveCount,
      );
    };

    expect(maxReceiveCount()).toEqual([1_000]);
    expect(maxReceiveCount({ 'mq.idempotent.enabled': false })).toEqual([6]);
  });

  it('may be limited in batch size and concurrency', () => {
    const limited = aModule({ listeners: [{ ...listener, batchSize: 1, maxConcurrency: 2 }] });

    Template.fromStack(stackOf([limited])).hasResourceProperties(
      'AWS::Lambda::EventSourceMapping',
      { BatchSize: 1, ScalingConfig: { MaximumConcurrency: 2 } },
    );
  });

  it('may declare what identifies its messages, which the relay learns', () => {
    const declared = aModule({ listeners: [{ ...listener, messageIdFrom: '$.payload.orderId' }] });
    const config = { 'mq.app-code': 'shop', 'mq.transport': 'broker', 'mq.relay.enabled': true };

    const functions = Template.fromStack(
      stackOf([...platformModules, declared], { config }),
    ).findResources('AWS::Lambda::Function');

    const telling = Object.values(functions)
      .map(({ Properties }) => Properties.Environment.Variables)
      .filter(({ SVC_MESSAGING }) => JSON.stringify(SVC_MESSAGING)?.includes('orderId'));
    expect(telling.map(({ SVC_MODULE }) => SVC_MODULE)).toEqual(['messaging-relay']);
    expect(JSON.parse(telling[0].SVC_MESSAGING)).toMatchObject({
      expressions: { 'order.placed': { billing: '$.payload.orderId' } },
    });
  });

  it('cannot declare what is no expression', () => {
    const wrong = aModule({ listeners: [{ ...listener, messageIdFrom: '$.' }] });

    expect(() => stackOf([wrong])).toThrow(
      expect.objectContaining({ code: 'MQ_EXPRESSION_INVALID' }),
    );
  });

  it('cannot share topic and group with another', () => {
    const twice = aModule({ listeners: [listener, { ...listener, batchSize: 5 }] });

    expect(() => stackOf([twice])).toThrow(
      'Two listeners share topic "order.placed" and group "billing"',
    );
  });

  it('cannot share its group with a listener of another function', () => {
    const other = { name: 'sales', paths: () => ['/api/v1/sales'] };
    const modules = [
      aModule({ listeners: [listener] }),
      aModule({ ...other, listeners: [{ ...listener, topic: 'order.paid' }] }),
    ];

    expect(() => stackOf(modules)).toThrow(
      expect.objectContaining({
        code: 'MQ_GROUP_SHARED',
        message: expect.stringContaining('The functions orders and sales share the consumer group'),
      }),
    );
  });
});

describe('every queue', () => {
  const queues = Object.values(template.findResources('AWS::SQS::Queue'));

  it('is encrypted and keeps messages for 14 days', () => {
    for (const { Properties } of queues) {
      expect(Properties).toMatchObject({
        SqsManagedSseEnabled: true,
        MessageRetentionPeriod: 1_209_600,
      });
    }
  });

  it('refuses everything but TLS', () => {
    const policies = Object.values(template.findResources('AWS::SQS::QueuePolicy'));

    expect(policies).toHaveLength(queues.length);
    for (const { Properties } of policies) {
      expect(Properties.PolicyDocument.Statement).toContainEqual(
        expect.objectContaining({
          Effect: 'Deny',
          Condition: { Bool: { 'aws:SecureTransport': 'false' } },
        }),
      );
    }
  });
});

describe('the bus', () => {
  it('carries the name of its stack, so that two stages of an account do not share it', () => {
    const bus = (stackName: string) =>
      Object.values(
        Template.fromStack(stackOf([aModule()], { stackName })).findResources(
          'AWS::Events::EventBus',
        ),
      ).map(({ Properties }) => Properties.Name);

    expect(bus('one')[0]).toMatch(/^one-/);
    expect(bus('two')[0]).toMatch(/^two-/);
  });
});
