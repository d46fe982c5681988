import { EventBus, Match, Rule } from 'aws-cdk-lib/aws-events';
import { SqsQueue } from 'aws-cdk-lib/aws-events-targets';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { EventSourceMapping } from 'aws-cdk-lib/aws-lambda';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import { Duration, Stack } from 'aws-cdk-lib/core';
import { Construct } from 'constructs';
import type { SvcConfig } from '../shared/config/index.ts';
import type { ListenerDeclaration } from '../shared/messaging/listener.ts';
import { acknowledge } from './acknowledge.ts';
import { LOCAL_STAGE } from './configuration.ts';
import type { ModuleFunction } from './module-function.ts';

/** Queue of one listener and where its failures end. */
export interface ListenerQueues {
  readonly listener: ListenerDeclaration;
  readonly queue: Queue;
  readonly deadLetterQueue: Queue;
}

/** What the messaging needs to know. */
export interface MessagingProps {
  readonly stage: string;
  readonly config: SvcConfig;
}

/** The event bus of the platform and the queues of its listeners. */
export class Messaging extends Construct {
  readonly bus: EventBus;
  readonly listenerQueues: ListenerQueues[] = [];
  readonly #stage: string;
  readonly #maxReceiveCount: number;

  constructor(scope: Construct, id: string, { stage, config }: MessagingProps) {
    super(scope, id);
    this.#stage = stage;
    this.#maxReceiveCount = Math.max(5, config.mq.idempotent.maxRetries + 3);
    // CloudFormation names no buses; without the stack's name two stages of an account would share one.
    this.bus = new EventBus(this, 'Bus', {
      eventBusName: `${Stack.of(this).stackName}-${this.node.addr.slice(-8)}`,
    });
  }

  /**
   * Delivers a topic to a function: rule, queue with dead-letter queue, event source with partial batch failures.
   * @throws Error when the same (topic, group) is declared twice.
   */
  deliver(listener: ListenerDeclaration, target: ModuleFunction): void {
    if (this.listenerQueues.some(({ listener: other }) => isSame(other, listener))) {
      throw new Error(
        `Two listeners share topic "${listener.topic}" and group "${listener.group}"; give one another group.`,
      );
    }
    const scope = new Construct(this, constructId(listener));
    const deadLetterQueue = this.#queue(scope, 'DeadLetters');
    acknowledge(deadLetterQueue, {
      'Serverless::Serverless-SQSRedrivePolicy':
        'This is where messages end: an alarm rings at the first one.',
    });
    const queue = this.#queue(scope, 'Queue', {
      visibilityTimeout: Duration.seconds(target.timeout.toSeconds() * 6),
      deadLetterQueue: { queue: deadLetterQueue, maxReceiveCount: this.#maxReceiveCount },
    });
    new Rule(scope, 'Rule', {
      eventBus: this.bus,
      eventPattern: { source: Match.prefix('svc.'), detailType: [listener.topic] },
      targets: [
        new SqsQueue(queue, { deadLetterQueue, retryAttempts: 24, maxEventAge: Duration.hours(6) }),
      ],
    });
    consume(scope, target, queue, listener);
    this.listenerQueues.push({ listener, queue, deadLetterQueue });
  }

  #queue(
    scope: Construct,
    id: string,
    props: Pick<
      ConstructorParameters<typeof Queue>[2] & object,
      'visibilityTimeout' | 'deadLetterQueue'
    > = {},
  ): Queue {
    return new Queue(scope, id, {
      encryption: QueueEncryption.SQS_MANAGED,
      // A local cloud speaks plain http only.
      enforceSSL: this.#stage !== LOCAL_STAGE,
      retentionPeriod: Duration.days(14),
      ...props,
    });
  }
}

/** Lambda's poller works with the function's role; it needs these three actions and no more. */
function consume(
  scope: Construct,
  { function: target, role }: ModuleFunction,
  queue: Queue,
  { batchSize = 10, maxConcurrency }: ListenerDeclaration,
): void {
  role.addToPolicy(
    new PolicyStatement({
      actions: ['sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:GetQueueAttributes'],
      resources: [queue.queueArn],
    }),
  );
  const source = new EventSourceMapping(scope, 'Source', {
    target,
    eventSourceArn: queue.queueArn,
    batchSize,
    maxConcurrency,
    reportBatchItemFailures: true,
  });
  acknowledge(source, {
    'Serverless::Serverless-LambdaEventSourceMappingDestination':
      'Queues have no on-failure destination; the redrive policy of the queue keeps what fails.',
  });
}

function isSame(one: ListenerDeclaration, other: ListenerDeclaration): boolean {
  return one.topic === other.topic && one.group === other.group;
}

function constructId({ topic, group }: ListenerDeclaration): string {
  return `${group}-${topic}`.replace(/[^A-Za-z0-9-]/g, '-');
}
