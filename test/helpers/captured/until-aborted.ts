/** What a service that never answers gives its client: nothing, until the client gives up. */
export function untilAborted(signal: AbortSignal | undefined): Promise<never> {
  return new Promise((_, reject) => {
    const giveUp = () =>
      reject(Object.assign(new Error('Request aborted'), { name: 'AbortError' }));
    if (signal?.aborted) giveUp();
    else signal?.addEventListener('abort', giveUp, { once: true });
  });
}
