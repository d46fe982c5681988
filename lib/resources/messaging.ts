import { EventBus, Match, Rule } from 'aws-cdk-lib/aws-events';
import { SqsQueue } from 'aws-cdk-lib/aws-events-targets';
import { PolicyStatement, type Role } from 'aws-cdk-lib/aws-iam';
import { EventSourceMapping } from 'aws-cdk-lib/aws-lambda';
import { DeduplicationScope, FifoThroughputLimit, Queue } from 'aws-cdk-lib/aws-sqs';
import { Duration, Stack, Token } from 'aws-cdk-lib/core';
import { Construct } from 'constructs';
import type { PlatformConfig } from '../../shared/config/index.ts';
import type { ListenerDeclaration } from '../../shared/messaging/consuming/listener.ts';
import { queueName, receivesBeforeDead } from '../../shared/messaging/wire/topology.ts';
import { acknowledge } from '../configuration/acknowledge.ts';
import { LOCAL_STAGE } from '../configuration/configuration.ts';
import type { ModuleFunction } from '../functions/module-function.ts';
import type { Encryption } from './encryption.ts';
import {
  type FunctionListeners,
  type MessagingPlan,
  type PlannedQueue,
  planMessaging,
} from './messaging-plan.ts';

/** Queue of one consumer group and its dead-letter queue. */
export interface ListenerQueues extends PlannedQueue {
  readonly queue: Queue;
  readonly deadLetterQueue: Queue;
}

export interface MessagingProps {
  readonly stage: string;
  readonly encryption: Encryption;
  readonly config: PlatformConfig;
  readonly functions: readonly FunctionListeners[];
  /** Topics that always use the bus, whatever the transport. */
  readonly distributedTopics: readonly string[];
}

/** Longest run of the function that drains dead-letter queues, six times: what the service asks of a queue. */
const DRAIN_VISIBILITY = Duration.minutes(6);
const MAX_STACK_NAME = 19;
/** The most that the service allows. */
const MAX_RECEIVES = 1_000;

/** The event bus of the platform and the queues of its consumer groups. */
export class Messaging extends Construct {
  readonly bus: EventBus;
  readonly plan: MessagingPlan;
  readonly queuePrefix: string;
  readonly listenerQueues: ListenerQueues[] = [];
  readonly #stage: string;
  readonly #encryption: Encryption;
  readonly #config: PlatformConfig['mq'];

  /** @throws MessagingError `MQ_LISTENER_TWICE` when the same (topic, group) is declared twice. */
  constructor(scope: Construct, id: string, props: MessagingProps) {
    super(scope, id);
    const { stage, encryption, config, functions, distributedTopics } = props;
    this.#stage = stage;
    this.#encryption = encryption;
    this.#config = config.mq;
    const { stackName } = Stack.of(this);
    const unique = this.node.addr.slice(-8);
    // CloudFormation does not generate bus names; without the stack name two stages of an account would collide.
    this.bus = new EventBus(this, 'Bus', {
      eventBusName: `${stackName}-${unique}`,
      ...(encryption.key && { kmsKey: encryption.key }),
    });
    this.queuePrefix = queuePrefix(stackName, unique);
    this.plan = planMessaging(functions, config, this.queuePrefix, distributedTopics);
  }

  /** Creates rules, queues and event sources for the consumer groups of a function. */
  deliver(owner: string, target: ModuleFunction): void {
    for (const planned of this.plan.queues) {
      if (planned.owner === owner) this.#addQueue(planned, target);
    }
  }

  /** Grants sending to the queues of ordered topics, which bypass the bus. */
  letSendInOrder(role: Role): void {
    const names = Object.values(this.plan.orderedTopics).flatMap(({ queues }) => queues);
    if (names.length > 0) role.addToPolicy(sends(names.map((name) => this.#arnOf(name))));
  }

  /** Grants sending to the queue of any consumer group, for requeuing. */
  letRedeliver(role: Role): void {
    const arns = this.plan.queues.map(({ name }) => this.#arnOf(name));
    if (arns.length > 0) role.addToPolicy(sends(arns));
  }

  /** Creates a queue with the common settings. */
  queue(scope: Construct, id: string, props: ConstructorParameters<typeof Queue>[2] = {}): Queue {
    return new Queue(scope, id, {
      ...this.#encryption.queue,
      // A local cloud supports plain http only.
      enforceSSL: this.#stage !== LOCAL_STAGE,
      retentionPeriod: Duration.days(14),
      ...props,
    });
  }

  #addQueue(planned: PlannedQueue, target: ModuleFunction): void {
    const { group, isOrdered, listeners, name } = planned;
    const scope = new Construct(this, isOrdered ? `${group}-ordered` : group);
    const deadLetterQueue = this.queue(scope, 'DeadLetters', {
      ...order(isOrdered),
      queueName: queueName(this.queuePrefix, group, { isOrdered, isDead: true }),
      visibilityTimeout: DRAIN_VISIBILITY,
    });
    acknowledge(deadLetterQueue, {
      'Serverless::Serverless-SQSRedrivePolicy':
        'This is where messages end: the relay lists them as dead letters, and an alarm rings when it does not.',
    });
    const queue = this.queue(scope, 'Queue', {
      ...order(isOrdered),
      queueName: name,
      visibilityTimeout: Duration.seconds(target.timeout.toSeconds() * 6),
      deadLetterQueue: { queue: deadLetterQueue, maxReceiveCount: this.#receives(isOrdered) },
    });
    if (!isOrdered) this.#addRules(scope, listeners, queue, deadLetterQueue);
    consume(scope, 'Source', { target, queue, ...limits(listeners) });
    // The function itself puts undeliverable messages there.
    if (isOrdered) target.role.addToPolicy(sends([deadLetterQueue.queueArn]));
    this.listenerQueues.push({ ...planned, queue, deadLetterQueue });
  }

  #addRules(
    scope: Construct,
    listeners: readonly ListenerDeclaration[],
    queue: Queue,
    deadLetterQueue: Queue,
  ): void {
    const topics = listeners.map(({ topic }) => topic).sort();
    new Rule(scope, 'Rule', {
      eventBus: this.bus,
      eventPattern: { source: Match.prefix('svc.'), detailType: topics },
      targets: [
        new SqsQueue(queue, { deadLetterQueue, retryAttempts: 24, maxEventAge: Duration.hours(6) }),
      ],
    });
  }

  /**
   * The table counts the attempts of a message. The messages behind it in a FIFO queue are received as often as it is,
   * so that queue must not count receives as attempts.
   */
  #receives(isOrdered: boolean): number {
    const { enabled, maxRetries } = this.#config.idempotent;
    return isOrdered && enabled ? MAX_RECEIVES : receivesBeforeDead(maxRetries);
  }

  #arnOf(name: string): string {
    return Stack.of(this).formatArn({ service: 'sqs', resource: name });
  }
}

/** Event source settings of a queue. */
export interface ConsumeProps {
  readonly target: ModuleFunction;
  readonly queue: Queue;
  readonly batchSize?: number | undefined;
  readonly maxConcurrency?: number | undefined;
}

/** Lambda's poller uses the function's role; the last two actions shorten the redelivery delay. */
export function consume(
  scope: Construct,
  id: string,
  { target: { function: target, role }, queue, batchSize = 10, maxConcurrency }: ConsumeProps,
): void {
  role.addToPolicy(
    new PolicyStatement({
      actions: [
        'sqs:ReceiveMessage',
        'sqs:DeleteMessage',
        'sqs:GetQueueAttributes',
        'sqs:ChangeMessageVisibility',
        'sqs:GetQueueUrl',
      ],
      resources: [queue.queueArn],
    }),
  );
  const source = new EventSourceMapping(scope, id, {
    target,
    eventSourceArn: queue.queueArn,
    batchSize,
    ...(maxConcurrency === undefined ? {} : { maxConcurrency }),
    reportBatchItemFailures: true,
  });
  acknowledge(source, {
    'Serverless::Serverless-LambdaEventSourceMappingDestination':
      'Queues have no on-failure destination; the redrive policy of the queue keeps what fails.',
  });
}

function sends(resources: readonly string[]): PolicyStatement {
  return new PolicyStatement({
    actions: ['sqs:SendMessage', 'sqs:GetQueueUrl'],
    resources: [...new Set(resources)],
  });
}

/** A group has one queue, so the strictest limits of its listeners apply. */
function limits(listeners: readonly ListenerDeclaration[]) {
  const narrowest = (values: readonly (number | undefined)[]) => {
    const given = values.filter((value) => value !== undefined);
    return given.length === 0 ? undefined : Math.min(...given);
  };
  return {
    batchSize: narrowest(listeners.map(({ batchSize }) => batchSize)),
    maxConcurrency: narrowest(listeners.map(({ maxConcurrency }) => maxConcurrency)),
  };
}

function order(isOrdered: boolean) {
  if (!isOrdered) return {};
  return {
    fifo: true,
    fifoThroughputLimit: FifoThroughputLimit.PER_MESSAGE_GROUP_ID,
    deduplicationScope: DeduplicationScope.MESSAGE_GROUP,
  };
}

/** The group follows two hyphens in a queue name, so the prefix has no double hyphen; names have at most 80 characters. */
function queuePrefix(stackName: string, unique: string): string {
  if (Token.isUnresolved(stackName)) return unique;
  return `${stackName.replace(/-+/g, '-').slice(0, MAX_STACK_NAME)}-${unique}`.replace(/-+/g, '-');
}
