/** A function that makes a value at its first call and gives that one from then on; for what a start must not wait for. */
export function lazy<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
