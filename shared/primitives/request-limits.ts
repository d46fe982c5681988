/**
 * How long a call of an AWS service may take: a connection that hangs is given up and the call tried again, while the
 * function still has time to answer.
 */
const requestLimits = {
  connectionTimeout: 2_000,
  requestTimeout: 10_000,
  /** Longest silence while an answer is read. */
  socketTimeout: 10_000,
  throwOnRequestTimeout: true,
} as const;

/** Limits of every AWS client: time-outs and attempts. */
export const clientLimits = { requestHandler: requestLimits, maxAttempts: 3 } as const;

/**
 * Limits of a client that waits for work to be done: one attempt, as a second one would start the work again.
 * @param ms longest silence before the answer.
 */
export const waitingLimits = (ms: number) => ({
  requestHandler: { ...requestLimits, requestTimeout: ms, socketTimeout: ms },
  maxAttempts: 1,
});
