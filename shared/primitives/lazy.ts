/** A function that makes a value at its first call and returns it from then on; keeps work out of the cold start. */
export function lazy<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

/** A value, or a function that makes it. */
export type Lazily<T extends object> = T | (() => T);

/** The value itself. */
export function built<T extends object>(given: Lazily<T>): T {
  return typeof given === 'function' ? given() : given;
}

/** A copy whose named members are built when they are first read. */
export function withLazyMembers<T extends object>(given: T, names: readonly (keyof T)[]): T {
  const copy = { ...given };
  for (const name of names) {
    const member = given[name];
    if (typeof member !== 'function') continue;
    Object.defineProperty(copy, name, { get: lazy(() => member()), enumerable: true });
  }
  return copy;
}

/** A copy with other members. Unlike spreading it does not read the members, so that lazy ones stay lazy. */
export function withMembers<T extends object>(given: T, others: Partial<T>): T {
  return Object.defineProperties(
    {},
    { ...Object.getOwnPropertyDescriptors(given), ...Object.getOwnPropertyDescriptors(others) },
  ) as T;
}
