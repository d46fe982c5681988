import { Alarm, ComparisonOperator, Dashboard, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { type ITopic, Topic } from 'aws-cdk-lib/aws-sns';
import { Annotations, Stack } from 'aws-cdk-lib/core';
import { Construct } from 'constructs';
import { LOCAL_STAGE } from '../../configuration/configuration.ts';
import type { Encryption } from '../encryption.ts';
import type { AlarmRule, SilenceRule } from './alarm-rule.ts';
import { alarmRules } from './alarm-rules.ts';
import { dashboardRows } from './dashboard.ts';
import { watchOver } from './relay-monitoring.ts';
import type { Watched } from './watched.ts';

export interface MonitoringProps extends Watched {
  readonly stage: string;
  readonly encryption: Encryption;
  /** Topic that alarms are sent to; one of its own when left out. */
  readonly alarmTopic?: ITopic;
}

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
    this.#warnOfRareRuns(props);
    const dashboard = new Dashboard(this, 'Dashboard');
    for (const row of dashboardRows(props)) dashboard.addWidgets(...row);
  }

  /** A topic with its own policy, such as one that requires TLS, must allow CloudWatch explicitly. */
  #letAlarmsPublish(): void {
    this.alarmTopic.grantPublish(
      new ServicePrincipal('cloudwatch.amazonaws.com', {
        conditions: { StringEquals: { 'aws:SourceAccount': Stack.of(this).account } },
      }),
    );
  }

  #alarm(rule: AlarmRule | SilenceRule): void {
    const isSilence = 'below' in rule;
    const alarm = new Alarm(this, rule.id, {
      metric: rule.metric,
      threshold: isSilence ? rule.below : rule.above,
      comparisonOperator: isSilence
        ? ComparisonOperator.LESS_THAN_THRESHOLD
        : ComparisonOperator.GREATER_THAN_THRESHOLD,
      evaluationPeriods: rule.periods ?? 1,
      treatMissingData: isSilence ? TreatMissingData.BREACHING : TreatMissingData.NOT_BREACHING,
      alarmDescription: rule.description,
    });
    alarm.addAlarmAction(new SnsAction(this.alarmTopic));
  }

  #warnOfRareRuns({ relay }: Watched): void {
    if (!relay || (relay.longestPauseMs !== undefined && watchOver(relay.longestPauseMs))) return;
    Annotations.of(this).addWarningV2(
      'svc-cloud:MQ_RELAY_UNWATCHED',
      'svc.mq.relay.schedule-trigger wakes the relay less than once in a week: no alarm tells when it does not run',
    );
  }
}
