import { Annotations, Match, Template } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import { watchOver } from '../../../../../lib/resources/monitoring/relay-monitoring.ts';
import { platformStack, standaloneApp, standaloneTemplate } from '../../synthesise.ts';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

const trigger = (raw: Readonly<Record<string, unknown>>) => ({
  stage: 'dev',
  config: { 'mq.relay.schedule-trigger': { 'trigger-type': 'FIXED_RATE', ...raw } },
});
const template = standaloneTemplate({ stage: 'dev' });
const alarmsOf = (of: Template): Record<string, unknown>[] =>
  Object.values(of.findResources('AWS::CloudWatch::Alarm')).map(({ Properties }) => Properties);
const heartbeats = (of: Template) =>
  alarmsOf(of).filter(({ MetricName }) => MetricName === 'RelayRunMs');
const relayFunction = Object.keys(template.findResources('AWS::Lambda::Function')).find((id) =>
  id.includes('relay'),
);

describe('the alarm of a relay that does not run', () => {
  it.each([
    [{ 'fixed-rate': '1m' }, 300, 2],
    [{ 'fixed-rate': '5s' }, 300, 2],
    [{ 'fixed-rate': '4m' }, 600, 2],
    [{ 'trigger-type': 'FIXED_DELAY', 'fixed-rate': '1h' }, 3_900, 2],
    [{ 'trigger-type': 'CRON', 'cron-expression': '0 0 6 * * MON-FRI' }, 86_400, 4],
  ])(
    'with the trigger %j rings without a finished run in %i s, %i times',
    (raw, Period, EvaluationPeriods) => {
      expect(heartbeats(standaloneTemplate(trigger(raw)))).toEqual([
        expect.objectContaining({
          Namespace: 'svc-cloud',
          Dimensions: [{ Name: 'service', Value: 'svc-cloud-mq' }],
          Statistic: 'SampleCount',
          ComparisonOperator: 'LessThanThreshold',
          Threshold: 1,
          TreatMissingData: 'breaching',
          AlarmActions: [{ Ref: expect.stringMatching(/AlarmTopic/) }],
          Period,
          EvaluationPeriods,
        }),
      ]);
    },
  );

  it('stays quiet while the relay runs, however long its pauses and wherever its periods begin', () => {
    for (let pause = MINUTE; pause < 7 * DAY; pause = Math.ceil(pause * 1.07)) {
      const { period, periods } = watchOver(pause) ?? {};
      const watchedMs = (period?.toMilliseconds() ?? 0) * (periods ?? 0);
      // The last run began one pause ago and took a minute; the next one is due now.
      if (period) expect(watchedMs, `${pause}`).toBeGreaterThan(pause + MINUTE);
      else expect(pause).toBeGreaterThan(7 * DAY - 3 * MINUTE);
    }
  });

  it('looks back no further than CloudWatch does', () => {
    for (let pause = MINUTE; pause < 9 * DAY; pause = Math.ceil(pause * 1.07)) {
      const watch = watchOver(pause);
      const seconds = watch?.period.toSeconds() ?? 0;
      const longest = seconds < 3_600 ? DAY : 7 * DAY;

      expect(seconds).toBeLessThanOrEqual(86_400);
      expect(seconds * 1_000 * (watch?.periods ?? 0)).toBeLessThanOrEqual(longest);
    }
  });

  it.each([
    { 'trigger-type': 'RUN_ONCE' },
    { 'trigger-type': 'CRON', 'cron-expression': '0 0 0 1 * *' },
  ])('is absent with the trigger %j, which the synthesis warns of', (raw) => {
    const stack = platformStack(standaloneApp(trigger(raw)));

    expect(heartbeats(Template.fromStack(stack))).toEqual([]);
    Annotations.fromStack(stack).hasWarning('*', Match.stringLikeRegexp('no alarm tells'));
  });

  it('is absent without a relay', () => {
    const off = standaloneTemplate({ stage: 'dev', config: { 'mq.relay.enabled': false } });

    expect(heartbeats(off)).toEqual([]);
  });
});

describe('the alarms of the outbox', () => {
  const metrics = ['OutboxPending', 'OutboxOldestAgeMs', 'OutboxDead'];
  const ofOutbox = (raw: Readonly<Record<string, unknown>>) =>
    alarmsOf(standaloneTemplate(trigger(raw))).filter(({ MetricName }) =>
      metrics.includes(String(MetricName)),
    );

  it.each([
    [{ 'fixed-rate': '1m' }, 300, 3],
    [{ 'fixed-rate': '10m' }, 900, 1],
    [{ 'fixed-rate': '1h' }, 3_900, 1],
    [{ 'trigger-type': 'CRON', 'cron-expression': '0 0 6 * * MON-FRI' }, 86_400, 1],
    [{ 'trigger-type': 'RUN_ONCE' }, 86_400, 1],
  ])('with the trigger %j have a report in each period', (raw, Period, periods) => {
    expect(ofOutbox(raw).map(({ MetricName }) => MetricName)).toEqual(metrics);
    for (const alarm of ofOutbox(raw)) expect(alarm).toMatchObject({ Period });
    expect(ofOutbox(raw)[0]).toMatchObject({ EvaluationPeriods: periods, Threshold: 500 });
  });
});

describe('the alarms of a stack without a relay', () => {
  const off = standaloneTemplate({ stage: 'dev', config: { 'mq.relay.enabled': false } });

  it('ring on messages that nobody sends, and on dead ones of each function with listeners', () => {
    const of = (name: string) => alarmsOf(off).filter(({ MetricName }) => MetricName === name);
    const ringing = { Namespace: 'svc-cloud', Statistic: 'Sum', Threshold: 0 };

    expect(of('OutboxWithoutRelay')).toMatchObject([
      { ...ringing, Dimensions: [{ Name: 'service', Value: 'svc-cloud-mq' }] },
    ]);
    expect(of('ConsumerDead').length).toBeGreaterThan(3);
    for (const alarm of of('ConsumerDead')) expect(alarm).toMatchObject(ringing);
    expect(of('OutboxPending')).toEqual([]);
  });
});

describe('the alarm of a stream that lags', () => {
  it('watches the age of the records that the relay reads', () => {
    template.hasResourceProperties('AWS::CloudWatch::Alarm', {
      Namespace: 'AWS/Lambda',
      MetricName: 'IteratorAge',
      Dimensions: [{ Name: 'FunctionName', Value: { Ref: relayFunction } }],
      Statistic: 'Maximum',
      Threshold: 300_000,
      ComparisonOperator: 'GreaterThanThreshold',
      TreatMissingData: 'notBreaching',
    });
  });
});

describe("the alarm of the relay's failures", () => {
  it('watches the queue of calls that reached nobody', () => {
    const [failures] = Object.keys(template.findResources('AWS::SQS::Queue')).filter((id) =>
      id.includes('RelayFailures'),
    );

    template.hasResourceProperties('AWS::CloudWatch::Alarm', {
      MetricName: 'ApproximateNumberOfMessagesVisible',
      Dimensions: [{ Name: 'QueueName', Value: { 'Fn::GetAtt': [failures, 'QueueName'] } }],
      Threshold: 0,
      ComparisonOperator: 'GreaterThanThreshold',
      TreatMissingData: 'notBreaching',
    });
  });
});

describe('an idle stack', () => {
  it('rings no alarm: only the one of the relay, which runs without traffic, rings without data', () => {
    const ringing = alarmsOf(template).filter(
      ({ TreatMissingData }) => TreatMissingData !== 'notBreaching',
    );

    expect(ringing.map(({ MetricName }) => MetricName)).toEqual(['RelayRunMs']);
    for (const alarm of alarmsOf(template)) {
      if (alarm.MetricName === 'RelayRunMs') continue;
      expect(alarm).toMatchObject({ ComparisonOperator: 'GreaterThanThreshold' });
      expect(alarm.Threshold).toBeGreaterThanOrEqual(0);
    }
  });
});

describe('the dashboard', () => {
  it.each(['RelayRunMs', 'IteratorAge', 'RelayFailures', 'OutboxPending', 'OutboxOldestAgeMs'])(
    'shows %s',
    (name) => {
      const [dashboard] = Object.values(template.findResources('AWS::CloudWatch::Dashboard'));

      expect(JSON.stringify(dashboard)).toContain(name);
    },
  );
});
