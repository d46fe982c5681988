import { Context, Definition, Environment } from 'bpmn-elements';
import { deserialize } from 'moddle-context-serializer';
import { shown } from '../../cmmn/basics/cmmn-error.ts';
import type { JsonValue, Variables } from '../../cmmn/basics/json.ts';
import { engineTypes } from '../elements/engine-types.ts';
import { ProcessError } from '../model/process-error.ts';
import type {
  Broker,
  EngineActivity,
  EngineWait,
  RunMessage,
  WaitContent,
} from './engine-messages.ts';
import type { Expressions } from './expressions.ts';
import { endless, MAX_ELEMENTS_ENTERED, MAX_INSTANCES, requireFew } from './run-limits.ts';
import { type ServiceWorkDependencies, setService } from './service-work.ts';
import { dueAt } from './timer-time.ts';

export interface EngineRunDependencies extends ServiceWorkDependencies {
  readonly now: number;
}

const STEPS: Readonly<
  Record<string, 'activityStarted' | 'activityCompleted' | 'activityDiscarded'>
> = {
  'activity.enter': 'activityStarted',
  'activity.end': 'activityCompleted',
  'activity.discard': 'activityDiscarded',
};

/**
 * The engine at work on one instance. Elements are entered one after another from an agenda, and not from within each
 * other as the engine does by itself: so a long way takes no deep stack, and an endless one is found.
 */
export class EngineRun {
  readonly waits: EngineWait[] = [];
  hasEnded = false;
  readonly #deps: EngineRunDependencies;
  readonly #definition: InstanceType<typeof Definition>;
  readonly #agenda: (() => void)[] = [];
  /** Those of the elements at work. */
  readonly #brokers = new Map<string, Broker>();
  #entered = 0;
  #failure: unknown;

  constructor(dependencies: EngineRunDependencies) {
    this.#deps = dependencies;
    const context = deserialize(JSON.parse(dependencies.model.context), engineTypes());
    this.#definition = new Definition(Context(context, this.#environment()));
    const broker = this.#definition.broker as unknown as Broker;
    const options = { noAck: true, consumerTag: '_command' };
    broker.subscribeTmp('event', '#', (key, { content }) => this.#hear(key, content), options);
  }

  start(): void {
    this.#work(() => this.#definition.run());
  }

  resume(state: JsonValue): void {
    this.#work(() => {
      this.#definition.recover(structuredClone(state) as never);
      this.#definition.resume();
    });
  }

  /** Lets a task go on. */
  signal(executionId: string): void {
    this.#work(() => this.#definition.signal({ executionId } as never));
  }

  /** Lets an event that waits for a message or signal occur, and no other that waits for the same one. */
  occur(executionId: string): void {
    const key = `activity.signal.${executionId}`;
    const content = { executionId, message: {} };
    this.#work(() =>
      this.#brokers.get(executionId)?.publish('api', key, content, { type: 'signal' }),
    );
  }

  /** Fires a timer. */
  fire(executionId: string): void {
    this.#work(() => this.#definition.cancelActivity({ executionId } as never));
  }

  state(): JsonValue {
    return JSON.parse(JSON.stringify(this.#definition.getState())) as JsonValue;
  }

  #work(work: () => unknown): void {
    try {
      work();
      for (let next = this.#agenda.shift(); next; next = this.#agenda.shift()) next();
    } catch (error) {
      // A multi-instance activity of tasks that do not wait is run from within itself.
      if (error instanceof RangeError) throw endless();
      this.#failure ??= error;
    }
    if (this.#failure !== undefined) throw this.#failure;
  }

  #environment(): InstanceType<typeof Environment> {
    const { expressions, now } = this.#deps;
    const idle = { setTimeout: () => ({}), clearTimeout: () => undefined };
    return new Environment({
      // Else only so many instances of an activity are begun at a time.
      settings: { batchSize: MAX_INSTANCES },
      timers: { ...idle, register: () => idle },
      timerHost: { dueAt: (id: string, text: string) => dueAt(id, text, now) },
      extensions: { agenda: (activity: object) => this.#inTurn(activity) },
      expressions: {
        resolveExpression: (text: string, message: { content?: WaitContent }) =>
          this.#resolve(text, message.content, expressions),
        isExpression: isTemplate,
        hasExpression: isTemplate,
      },
    } as never);
  }

  /** The engine catches what expressions throw, to make errors of its own of it. */
  #resolve(text: string, content: WaitContent | undefined, expressions: Expressions): JsonValue {
    try {
      const value = expressions.template(text, content?.id ?? '', this.localsOf(content));
      if (Array.isArray(value)) requireFew(value.length, content);
      return value;
    } catch (error) {
      this.#failure ??= error;
      throw error;
    }
  }

  /** What an instance of a multi-instance activity has of its own. */
  localsOf(content: WaitContent | undefined): Variables {
    if (!content?.isMultiInstance) return {};
    const { index = 0 } = content;
    const name = this.#deps.model.elementVariables[content.id] ?? 'item';
    const element = content.item;
    return {
      loopCounter: index,
      ...(element !== undefined && { [name]: element as JsonValue }),
    };
  }

  /** Puts off the start of an element until those before it have been left. */
  #inTurn(activity: object) {
    const { broker, type } = activity as EngineActivity;
    if (type === 'bpmn:Process') return undefined;
    setService(activity as EngineActivity, this.#deps);
    const publish = (key: string, content: object): void =>
      broker.publish('format', key, content, { persistent: false });
    return {
      activate: ({ fields, content }: RunMessage) => {
        this.#brokers.set(content.executionId, broker);
        if (fields.redelivered && fields.routingKey === 'run.execute') return;
        this.#entered += 1;
        if (this.#entered > MAX_ELEMENTS_ENTERED) {
          // A sub-process catches what is thrown in it, to make an error of its own of it.
          this.#failure ??= endless();
          throw this.#failure;
        }
        publish('run.turn.start', { endRoutingKey: 'run.turn.end' });
        this.#agenda.push(() => publish('run.turn.end', {}));
      },
      deactivate: () => undefined,
    };
  }

  #hear(key: string, content: WaitContent): void {
    const { model, tell } = this.#deps;
    if (key === 'activity.wait' || key === 'activity.timer') {
      this.waits.push({ routingKey: key, content });
    } else if (key === 'flow.take' && content.id in model.elements === false) {
      tell({ type: 'flowTaken', flowId: content.id });
    } else if (key === 'definition.end') this.hasEnded = true;
    else if (key === 'definition.error' || key === 'activity.error') {
      const message = `${shown(content.id)} has failed: ${shown(content.error?.message ?? '')}`;
      this.#failure ??= new ProcessError('PROCESS_FAILED', message, { elementId: content.id });
    }
    const type = STEPS[key];
    if (type && Object.hasOwn(model.elements, content.id)) tell({ type, activityId: content.id });
  }
}

const isTemplate = (text: unknown): boolean =>
  typeof text === 'string' && (text.startsWith('=') || /[$#]\{/.test(text));
