/** Ordered topics: the queues of their groups, and whether later messages go on past a dead one. */
export type OrderedTopics = Readonly<
  Record<string, { readonly queues: readonly string[]; readonly onDead: 'continue' | 'block' }>
>;

/** An expression that is a text: a path or a template. */
export type WrittenExpression = `$.${string}` | `\${${string}}${string}`;

/** Expressions of the messageId by topic and group. */
export type Expressions = Readonly<Record<string, Readonly<Record<string, WrittenExpression>>>>;

/** The messaging topology that the stack passes to the functions. */
export interface MessagingTopology {
  readonly orderedTopics: OrderedTopics;
  /** Topics that always use the bus, whatever the transport. */
  readonly distributedTopics: readonly string[];
  /** Topics that are delivered in process when messaging is disabled, instead of being dropped. */
  readonly inProcessTopics: readonly string[];
  /** Function of each consumer group by topic, `self` for its own; known to the messaging function only. */
  readonly listeners: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** Expressions of the messageId by topic and group, of listeners that modules declare; known to the relay only. */
  readonly expressions?: Expressions | undefined;
  /** Queue of the relay's ticks; known to the relay only. */
  readonly tickQueue?: string | undefined;
}

/** Reads the value of `SVC_MESSAGING`; no listeners when it is unset. */
export function readTopology(text = '{}'): MessagingTopology {
  // The stack writes it; what it leaves out is empty.
  const given = JSON.parse(text) as Partial<MessagingTopology>;
  return { orderedTopics: {}, distributedTopics: [], inProcessTopics: [], listeners: {}, ...given };
}

/** The groups of an ordered topic; `undefined` for any other topic. */
export function groupsOf(topics: OrderedTopics, topic: string): readonly string[] | undefined {
  const queues = Object.hasOwn(topics, topic) ? (topics[topic]?.queues ?? []) : [];
  return queues.length === 0 ? undefined : queues.map((name) => identifyQueue(name).group);
}

/** Whether messages use the bus; otherwise they stay in process, except always-distributed topics. */
export const goesOverBus = ({
  enabled,
  transport,
}: {
  readonly enabled: boolean;
  readonly transport: 'spring' | 'broker';
}): boolean => enabled && transport === 'broker';

/** Placeholder for the function itself, whose name is not available in its own environment. */
export const OWN_FUNCTION = 'self';

/** Consumer groups are part of queue names. */
export const GROUP_PATTERN = /^[A-Za-z0-9_-]{1,40}$/;

const DEAD_SUFFIX = '-dead';
const FIFO_SUFFIX = '.fifo';

/**
 * Name of a group's queue: `<prefix>-<group>`, its dead-letter queue with `-dead` behind, ordered ones with `.fifo`
 * at the end. The group can be read from it, so a function finds the group of a message.
 */
export function queueName(
  prefix: string,
  group: string,
  { isDead = false, isOrdered = false }: { isDead?: boolean; isOrdered?: boolean } = {},
): string {
  return `${prefix}--${group}${isDead ? DEAD_SUFFIX : ''}${isOrdered ? FIFO_SUFFIX : ''}`;
}

/** The queue of the same group for topics that are ordered, or are not. */
export const siblingQueue = (name: string, isOrdered: boolean): string =>
  `${name.endsWith(FIFO_SUFFIX) ? name.slice(0, -FIFO_SUFFIX.length) : name}${isOrdered ? FIFO_SUFFIX : ''}`;

/** Deliveries of a message before it moves to the dead-letter queue, where deliveries count as attempts. */
export const receivesBeforeDead = (maxRetries: number): number => Math.max(5, maxRetries + 3);

/** Parts of a queue's ARN. */
export interface QueueIdentity {
  readonly name: string;
  readonly group: string;
  readonly isDead: boolean;
  readonly isOrdered: boolean;
  /** Name of the source queue of a dead-letter queue; of any other queue its own name. */
  readonly sourceName: string;
  /** Name of the dead-letter queue of a source queue. */
  readonly deadName: string;
}

/** Reads a queue's ARN or name. */
export function identifyQueue(arn: string): QueueIdentity {
  const name = arn.split(':').at(-1) ?? '';
  const isOrdered = name.endsWith(FIFO_SUFFIX);
  const bare = isOrdered ? name.slice(0, -FIFO_SUFFIX.length) : name;
  const isDead = bare.endsWith(DEAD_SUFFIX);
  const source = isDead ? bare.slice(0, -DEAD_SUFFIX.length) : bare;
  return {
    name,
    isOrdered,
    isDead,
    group: source.slice(source.indexOf('--') + 2),
    sourceName: `${source}${isOrdered ? FIFO_SUFFIX : ''}`,
    deadName: `${source}${DEAD_SUFFIX}${isOrdered ? FIFO_SUFFIX : ''}`,
  };
}
