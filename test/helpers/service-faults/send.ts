/** What an AWS client does with a command. */
export type Send = (
  command: unknown,
  options?: { readonly abortSignal?: AbortSignal },
) => Promise<unknown>;

/** Puts something between all clients of a class and their service. */
export function intercept(
  client: { readonly prototype: object },
  wrap: (send: Send) => Send,
): void {
  const prototype = client.prototype as { send: Send };
  const { send } = prototype;
  const wrapped = new WeakMap<object, Send>();
  prototype.send = function broken(this: object, ...args) {
    const own = wrapped.get(this) ?? wrap(send.bind(this) as Send);
    wrapped.set(this, own);
    return own(...args);
  };
}

/** A service that cannot be reached, as the AWS client tells it. */
export const unreachable = (code = 'ECONNREFUSED'): Error =>
  Object.assign(new Error(`connect ${code}`), { code });

/** An error that a service has answered, as the AWS client tells it. */
export const answered = (name: string, status: number): Error =>
  Object.assign(new Error(name), {
    name,
    $fault: status < 500 ? 'client' : 'server',
    $metadata: { httpStatusCode: status },
  });

/** What a service that never answers gives its client: nothing, until the client gives up. */
export function untilAborted(signal: AbortSignal | undefined): Promise<never> {
  return new Promise((_, reject) => {
    const giveUp = () =>
      reject(Object.assign(new Error('Request aborted'), { name: 'AbortError' }));
    if (signal?.aborted) giveUp();
    else signal?.addEventListener('abort', giveUp, { once: true });
  });
}
