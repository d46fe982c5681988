/**
 * Time limits of calls to AWS services: a hanging connection is closed and the call retried while the
 * function still has time to respond.
 */
const requestLimits = {
  connectionTimeout: 2_000,
  requestTimeout: 10_000,
  /** Longest pause while a response is read. */
  socketTimeout: 10_000,
  throwOnRequestTimeout: true,
} as const;

/** Limits of every AWS client: time-outs and attempts. */
export const clientLimits = { requestHandler: requestLimits, maxAttempts: 3 } as const;

/**
 * Limits of a client that sends behind a commit, while the caller waits: two attempts end well before the function
 * does, and the relay repeats what they did not reach.
 */
export const sendLimits = {
  requestHandler: {
    ...requestLimits,
    connectionTimeout: 1_000,
    requestTimeout: 1_200,
    socketTimeout: 1_200,
  },
  maxAttempts: 2,
} as const;

/**
 * Limits of a client that waits for work to finish: one attempt, because a second one would start the work again.
 * @param ms longest wait for the response.
 */
export const waitingLimits = (ms: number) => ({
  requestHandler: { ...requestLimits, requestTimeout: ms, socketTimeout: ms },
  maxAttempts: 1,
});
