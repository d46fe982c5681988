/** A time limit, after which work is aborted. */
export interface TimeLimit {
  /** Aborted when the time is up. */
  readonly signal: AbortSignal;
  /** Takes the timer away; call it when the work has ended. */
  end(): void;
}

/** Starts a time limit (ms); 0 or less: the time is up already. */
export function timeLimit(ms: number): TimeLimit {
  const controller = new AbortController();
  if (ms <= 0) controller.abort();
  const timer = ms > 0 ? setTimeout(() => controller.abort(), ms) : undefined;
  return { signal: controller.signal, end: () => clearTimeout(timer) };
}

/** The time was up before the work had ended; what became of the work is not known. */
export class TimeUpError extends Error {
  override readonly name = 'TimeUpError';
}

/**
 * Waits for work no longer than a limit, also for work that does not heed the signal.
 * @throws TimeUpError
 */
export async function within<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  const timeUp = () => new TimeUpError('There was no answer in time');
  if (signal.aborted) throw timeUp();
  const late = Promise.withResolvers<never>();
  const giveUp = () => late.reject(timeUp());
  signal.addEventListener('abort', giveUp, { once: true });
  try {
    return await Promise.race([work(), late.promise]);
  } catch (cause) {
    throw signal.aborted ? timeUp() : cause;
  } finally {
    signal.removeEventListener('abort', giveUp);
  }
}
