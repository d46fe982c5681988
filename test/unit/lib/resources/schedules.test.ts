import { Match } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import { standaloneTemplate } from '../synthesise.ts';

describe('the entities function', () => {
  it('sweeps up every five minutes', () => {
    standaloneTemplate({ stage: 'dev' }).hasResourceProperties('AWS::Events::Rule', {
      ScheduleExpression: 'rate(5 minutes)',
      Targets: [
        Match.objectLike({
          Input: '{"task":"entities.sweep"}',
          Arn: { 'Fn::GetAtt': [Match.stringLikeRegexp('entities.*Function'), 'Arn'] },
        }),
      ],
    });
  });

  it.each([{ 'mq.transport': 'spring' }, { 'mq.enabled': false }])(
    'has a queue for its jobs with svc %j',
    (config) => {
      const template = standaloneTemplate({ stage: 'dev', config });
      const names = Object.values(template.findResources('AWS::SQS::Queue')).map(({ Properties }) =>
        String(Properties.QueueName),
      );

      expect(names.filter((name) => name.endsWith('--svc-cloud-dynamic'))).toHaveLength(1);
      template.hasResourceProperties('AWS::Events::Rule', {
        EventPattern: { 'detail-type': ['dynamic-entity-job'] },
      });
    },
  );
});

describe('the workflow function', () => {
  it('makes schedules in one group, as one role that may call it', () => {
    const template = standaloneTemplate({ stage: 'dev' });
    const policies = JSON.stringify(template.findResources('AWS::IAM::Policy'));

    template.resourceCountIs('AWS::Scheduler::ScheduleGroup', 1);
    expect(policies).toContain('"scheduler:CreateSchedule","scheduler:DeleteSchedule"');
    expect(policies.match(/iam:PassRole/g)).toHaveLength(1);
  });

  it('leaves no schedule, group or role with svc.workflow.enabled=false', () => {
    const template = standaloneTemplate({ stage: 'dev', config: { 'workflow.enabled': false } });

    template.resourceCountIs('AWS::Scheduler::ScheduleGroup', 0);
    expect(JSON.stringify(template.toJSON())).not.toMatch(/workflow\.|scheduler/i);
  });
});
