import { EventField, Rule, RuleTargetInput, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { EventSourceMapping, FilterCriteria, StartingPosition } from 'aws-cdk-lib/aws-lambda';
import { SqsDlq } from 'aws-cdk-lib/aws-lambda-event-sources';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { Duration } from 'aws-cdk-lib/core';
import { InvocationType, Trigger } from 'aws-cdk-lib/triggers';
import { Construct } from 'constructs';
import type { AnyConfig } from '../../shared/config/index.ts';
import type { RelayDeclaration } from '../../shared/module/declaration.ts';
import { acknowledge } from '../configuration/acknowledge.ts';
import type { ModuleFunction } from '../functions/module-function.ts';
import { consume, type Messaging } from './messaging.ts';
import type { Storage } from './storage.ts';

/** Triggers of the relay. */
export interface RelayProps {
  readonly declaration: RelayDeclaration;
  readonly config: AnyConfig;
  readonly storage: Storage;
  readonly messaging: Messaging;
  readonly target: ModuleFunction;
}

/** Name of the queue with the relay's ticks. */
export const tickQueueName = (messaging: Messaging): string =>
  `${messaging.queuePrefix}-relay-ticks`;

/** The triggers of the relay: stream, schedule, ticks, and the dead-letter queues that it drains. */
export class Relay extends Construct {
  readonly #props: RelayProps;
  /** Dead-letter queue of wake-up calls that failed. */
  readonly failures: Queue;
  /** Longest time between two runs (ms); none when nothing wakes the relay regularly. */
  readonly longestPauseMs: number | undefined;
  readonly target: ModuleFunction;

  constructor(scope: Construct, id: string, props: RelayProps) {
    super(scope, id);
    this.#props = props;
    this.target = props.target;
    this.longestPauseMs = props.declaration.longestPauseMs(props.config);
    const { messaging, target } = props;
    this.failures = messaging.queue(this, 'Failures');
    acknowledge(this.failures, {
      'AwsSolutions::AwsSolutions-SQS3': 'It is itself where wake-up calls end.',
      'Serverless::Serverless-SQSRedrivePolicy':
        'It holds wake-up calls that failed; the messages themselves are due in the table and lost by nothing.',
    });
    this.#wakeByStream();
    this.#wakeBySchedule();
    for (const { deadLetterQueue, name } of messaging.listenerQueues) {
      consume(this, `Drain-${name}`, { target, queue: deadLetterQueue });
    }
    messaging.letRedeliver(target.role);
  }

  #wakeByStream(): void {
    const { storage, target } = this.#props;
    const streamArn = storage.table.tableStreamArn ?? '';
    target.role.addToPolicy(
      new PolicyStatement({
        actions: [
          'dynamodb:DescribeStream',
          'dynamodb:GetRecords',
          'dynamodb:GetShardIterator',
          'dynamodb:ListStreams',
        ],
        resources: [streamArn],
      }),
    );
    new EventSourceMapping(this, 'Stream', {
      target: target.function,
      eventSourceArn: streamArn,
      startingPosition: StartingPosition.LATEST,
      batchSize: 100,
      parallelizationFactor: 1,
      bisectBatchOnError: true,
      retryAttempts: 3,
      maxRecordAge: Duration.hours(1),
      onFailure: new SqsDlq(this.failures),
      filters: this.#props.declaration.streamFilters.map((filter) =>
        FilterCriteria.filter({ ...filter }),
      ),
    });
  }

  #wakeBySchedule(): void {
    const { declaration, config } = this.#props;
    const schedule = declaration.schedule(config);
    switch (schedule.kind) {
      case 'rule':
        this.#every(schedule.expression, declaration.task);
        return;
      case 'ticker':
        this.#addTicks();
        return;
      case 'once':
        new Trigger(this, 'Once', {
          handler: this.#props.target.function,
          invocationType: InvocationType.EVENT,
        });
    }
  }

  #addTicks(): void {
    const { messaging, target } = this.#props;
    const queue = messaging.queue(this, 'Ticks', {
      queueName: tickQueueName(messaging),
      visibilityTimeout: Duration.seconds(target.timeout.toSeconds() * 6),
      retentionPeriod: Duration.minutes(5),
      deadLetterQueue: { queue: this.failures, maxReceiveCount: 3 },
    });
    queue.grantSendMessages(target.role);
    consume(this, 'TickSource', { target, queue, batchSize: 1, maxConcurrency: 2 });
    // Not `rate(1 minute)`: its minutes start at the second of the deployment, so earlier ticks would always be late.
    this.#every('cron(* * * * ? *)', this.#props.declaration.tickTask);
  }

  #every(expression: string, task: string): void {
    new Rule(this, 'Schedule', {
      schedule: Schedule.expression(expression),
      targets: [
        new LambdaFunction(this.#props.target.function, {
          event: RuleTargetInput.fromObject({ task, input: { at: EventField.time } }),
          deadLetterQueue: this.failures,
          retryAttempts: 0,
          maxEventAge: Duration.minutes(1),
        }),
      ],
    });
  }
}
