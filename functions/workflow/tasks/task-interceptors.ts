import type { Host } from '../../../shared/host/host.ts';
import type {
  TaskCompletionContext,
  TaskCompletionRequest,
} from '../../../shared/ports/workflow.ts';
import type { Log } from '../../../shared/primitives/log.ts';
import { requestContext } from '../../../shared/primitives/request-context.ts';
import { type TimeLimit, within } from '../../../shared/primitives/time-limit.ts';
import { apart } from '../../../shared/store/unit-of-work.ts';
import { problems } from '../errors.ts';
import type { HostTime } from './host-time.ts';

export interface TaskInterceptorsDependencies {
  readonly host: Pick<Host, 'taskCompletionInterceptors'>;
  readonly log: Log;
  readonly hostTime: HostTime;
}

/** Runs the host's interceptors around completions. */
export class TaskInterceptors {
  readonly #deps: TaskInterceptorsDependencies;
  /** What the requests at work have asked already, by task and what it is completed with. */
  readonly #asked = new WeakMap<object, Map<string, Promise<void>>>();

  constructor(dependencies: TaskInterceptorsDependencies) {
    this.#deps = dependencies;
  }

  /** Whether there are any. */
  get isNeeded(): boolean {
    return this.#interceptors.length > 0;
  }

  /**
   * Asks whether a task may be completed with what is given; once in a request, however often its work is repeated.
   * @throws Problem `TASK_COMPLETION_REJECTED` (422)
   */
  before(context: TaskCompletionContext, request: TaskCompletionRequest): Promise<void> {
    const inRequest = requestContext();
    const asked = this.#asked.get(inRequest) ?? new Map<string, Promise<void>>();
    this.#asked.set(inRequest, asked);
    const question = JSON.stringify([context.task.taskId, request]);
    const answer = asked.get(question) ?? this.#before(context, request);
    asked.set(question, answer);
    return answer;
  }

  async #before(context: TaskCompletionContext, request: TaskCompletionRequest): Promise<void> {
    const limit = this.#deps.hostTime.begin();
    try {
      for (const interceptor of this.#interceptors) {
        await run(limit, () => interceptor.beforeComplete?.(context, request));
      }
    } catch (cause) {
      const { taskId } = context.task;
      this.#deps.log.warn('An interceptor has rejected a completion', { taskId, cause });
      const reason = cause instanceof Error ? cause.message : String(cause);
      throw problems.taskCompletionRejected({ reason });
    } finally {
      limit.end();
    }
  }

  /** Tells of a completion; failures, and those for whom no time was left, are logged. */
  async after(context: TaskCompletionContext, request: TaskCompletionRequest): Promise<void> {
    const limit = this.#deps.hostTime.begin();
    for (const interceptor of this.#interceptors) {
      try {
        await run(limit, () => interceptor.afterComplete?.(context, request));
      } catch (cause) {
        const { taskId } = context.task;
        this.#deps.log.error('An interceptor has failed after a completion', { taskId, cause });
      }
    }
    limit.end();
  }

  get #interceptors() {
    return this.#deps.host.taskCompletionInterceptors ?? [];
  }
}

/** Outside the unit of the completion, which may be repeated. */
const run = ({ signal }: TimeLimit, work: () => Promise<void> | void): Promise<void> =>
  apart(() => within(signal, async () => work()));
