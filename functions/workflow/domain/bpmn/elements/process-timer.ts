import { type ElementBrokerMessage, TimerEventDefinition } from 'bpmn-elements';

/** What the environment of a run does for its timers. */
export interface TimerHost {
  /** When a timer of the text is due, as ISO 8601 instant. */
  dueAt(elementId: string, text: string): string;
}

interface TimerContent {
  readonly expireAt?: string | Date;
}

/** The engine waits for no time: whoever fires a timer cancels it, which is how it goes on. */
const NEVER_BY_ITSELF = 1_000_000_000;

/** The members of the engine's timer that are used; its types leave them out. */
interface EngineTimer {
  readonly activity: { readonly id: string };
  readonly environment: {
    readonly options: object;
    resolveExpression(text: string, message: object): unknown;
  };
}

const Base = TimerEventDefinition as unknown as new (
  activity: object,
  definition: object,
) => EngineTimer;

/** A timer whose due time is that of the command, and not of the machine. */
export class ProcessTimer extends Base {
  /** Asked by the engine for the due time of a timer, whenever it is started or resumed. */
  _getTimers(message: ElementBrokerMessage): Record<string, unknown> {
    const { expireAt } = message.content as TimerContent;
    const { timerType, text } = this.#time();
    const { timerHost } = this.environment.options as { timerHost: TimerHost };
    const due = expireAt ?? timerHost.dueAt(this.activity.id, this.#resolve(text, message));
    return { timerType, expireAt: new Date(due), timeout: NEVER_BY_ITSELF };
  }

  #time(): { timerType: string; text: string } {
    const { timeDuration, timeDate } = this as { timeDuration?: string; timeDate?: string };
    return timeDuration === undefined
      ? { timerType: 'timeDate', text: timeDate ?? '' }
      : { timerType: 'timeDuration', text: timeDuration };
  }

  #resolve(text: string, message: ElementBrokerMessage): string {
    return String(this.environment.resolveExpression(text, message));
  }
}
