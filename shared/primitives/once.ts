/** Memoises a function: the value of the first call is returned by all later ones; a failure is not cached. */
export function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => {
    made ??= make().catch((cause: unknown) => {
      made = undefined;
      throw cause;
    });
    return made;
  };
}

type Methods<T> = {
  [K in keyof T]: T[K] extends (...given: never[]) => Promise<unknown> ? K : never;
}[keyof T];

/**
 * Methods of a service whose code is loaded with the first call of one of them, so that a cold start does not read it.
 * @param load loads services; called each time, so it should remember them (`once`).
 * @param name the service among them.
 */
export function onDemand<T, N extends keyof T, K extends Methods<T[N]>>(
  load: () => Promise<T>,
  name: N,
  ...methods: readonly K[]
): Pick<T[N], K> {
  const call = async (method: K, given: unknown[]): Promise<unknown> => {
    const service = (await load())[name];
    return Reflect.apply(service[method] as (...given: unknown[]) => unknown, service, given);
  };
  const callers = methods.map(
    (method) => [method, (...given: unknown[]) => call(method, given)] as const,
  );
  return Object.fromEntries(callers) as unknown as Pick<T[N], K>;
}
