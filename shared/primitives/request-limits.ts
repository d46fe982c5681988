/**
 * How long a call of an AWS service may take, for the `requestHandler` of a client: a connection that hangs is given
 * up and the call tried again, while the function still has time to answer.
 */
export const requestLimits = {
  connectionTimeout: 2_000,
  requestTimeout: 10_000,
  throwOnRequestTimeout: true,
} as const;
