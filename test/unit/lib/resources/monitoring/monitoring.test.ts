import { Match, Template } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import { aModule, stackOf } from '../../synthesise.ts';

const listeners = [{ topic: 'orders', group: 'billing' }];
const template = Template.fromStack(stackOf([aModule({ listeners })]));
const alarms = Object.values(template.findResources('AWS::CloudWatch::Alarm')).map(
  ({ Properties }) => Properties,
);

describe('alarms', () => {
  it.each([
    ['answers with 5xx', '5xx'],
    ['slow answers', 'Latency'],
    ['crashes', 'Errors'],
    ['refused calls', 'Throttles'],
    ['waiting messages', 'ApproximateAgeOfOldestMessage'],
    ['dead letters', 'ApproximateNumberOfMessagesVisible'],
    ['refused reads', 'ReadThrottleEvents'],
    ['refused writes', 'WriteThrottleEvents'],
  ])('ring on %s', (_, metric) => {
    expect(alarms.map(({ MetricName }) => MetricName)).toContain(metric);
  });

  it('all tell somebody, what is wrong and stay quiet without traffic', () => {
    for (const alarm of alarms) {
      expect(alarm).toMatchObject({
        AlarmActions: [{ Ref: expect.stringMatching(/AlarmTopic/) }],
        AlarmDescription: expect.stringMatching(/\.$/),
        TreatMissingData: 'notBreaching',
      });
    }
  });

  it('may publish to the topic, which takes nothing without TLS', () => {
    template.hasResourceProperties('AWS::SNS::TopicPolicy', {
      PolicyDocument: {
        Statement: Match.arrayWith([
          Match.objectLike({
            Effect: 'Deny',
            Condition: { Bool: { 'aws:SecureTransport': 'false' } },
          }),
          Match.objectLike({
            Effect: 'Allow',
            Action: 'sns:Publish',
            Principal: { Service: 'cloudwatch.amazonaws.com' },
            Condition: { StringEquals: { 'aws:SourceAccount': { Ref: 'AWS::AccountId' } } },
          }),
        ]),
      },
    });
  });
});

describe('the dashboard', () => {
  it('is one', () => {
    template.resourceCountIs('AWS::CloudWatch::Dashboard', 1);
  });
});
