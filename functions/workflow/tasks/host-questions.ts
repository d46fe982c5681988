import type { Log } from '../../../shared/primitives/log.ts';
import { within } from '../../../shared/primitives/time-limit.ts';
import { httpProblems } from '../../../shared/problems/http-problems.ts';
import type { HostTime } from './host-time.ts';

export interface HostQuestionsDependencies {
  readonly log: Log;
  readonly hostTime: HostTime;
}

/** Asks the host's policies of tasks: without an answer in time access is denied, and the caller may retry. */
export class HostQuestions {
  readonly #deps: HostQuestionsDependencies;

  constructor(dependencies: HostQuestionsDependencies) {
    this.#deps = dependencies;
  }

  /**
   * @param of what is asked, as the host calls it
   * @throws Problem `SERVICE_UNAVAILABLE` (503) when it throws or takes too long
   */
  async ask<T>(of: string, question: () => Promise<T> | T): Promise<T> {
    const limit = this.#deps.hostTime.begin();
    try {
      return await within(limit.signal, async () => question());
    } catch (cause) {
      this.#deps.log.error('A task policy of the host did not answer', { of, cause });
      const detail = `The application has given no answer (${of}); without one nobody has access. Try again.`;
      throw httpProblems.serviceUnavailable({ detail, cause });
    } finally {
      limit.end();
    }
  }
}
