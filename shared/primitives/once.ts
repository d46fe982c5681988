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

/** A service with the methods that promise something: its code may be loaded with the first call. */
export type OnDemand<S> = Pick<S, Methods<S>>;

/** Services whose methods are there before their code is. */
export type AllOnDemand<T> = { readonly [N in keyof T]: OnDemand<T[N]> };

/**
 * All services that one file makes, as {@link onDemand} gives one of them: their code is loaded with the first call.
 * @param load loads the services; called each time, so it should remember them (`once`).
 */
export function allOnDemand<T extends object>(load: () => Promise<T>): AllOnDemand<T> {
  return membersOf((name) => membersOf((method) => callOf(load, name, method))) as AllOnDemand<T>;
}

/** An object that has every member, but is no promise. */
function membersOf(make: (name: string) => unknown): object {
  const get = (_: object, name: string | symbol): unknown =>
    typeof name === 'symbol' || name === 'then' ? undefined : make(name);
  return new Proxy({}, { get });
}

function callOf(load: () => Promise<object>, name: string, method: string) {
  return async (...given: unknown[]): Promise<unknown> => {
    const service = Reflect.get(await load(), name) as object;
    return Reflect.apply(Reflect.get(service, method) as Callable, service, given);
  };
}

type Callable = (...given: unknown[]) => unknown;
