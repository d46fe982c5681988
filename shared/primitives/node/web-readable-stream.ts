/**
 * `ReadableStream` for bundles, which take it in place of the global. Node loads web streams with the first look at
 * the global (a fifteenth of a cold start), the AWS SDK looks as it is imported and with each request, and no function
 * needs them for that: this loads them with the first stream.
 */
export const ReadableStream = /* @__PURE__ */ loadedWhenUsed();

// Not `ReadableStream` alone: in bundles that means the constant above.
const load = () => globalThis.ReadableStream;

/** A bound function, because `Function.prototype[Symbol.hasInstance]`, which undici asks, goes on to what is bound. */
function loadedWhenUsed() {
  class Stream {
    constructor(...given: unknown[]) {
      // biome-ignore lint/correctness/noConstructorReturn: the stream is one of Node's.
      return Reflect.construct(load(), given, new.target === Stream ? load() : new.target);
    }

    static [Symbol.hasInstance](value: unknown): boolean {
      return isObject(value) && 'getReader' in value && value instanceof load();
    }
  }
  return Object.defineProperties(Stream.bind(undefined), {
    name: { value: 'ReadableStream' },
    prototype: { value: lazyPrototype() },
    from: { get: () => load().from },
  });
}

function lazyPrototype(): object {
  return new Proxy(
    {},
    {
      get: (_, name, receiver) => Reflect.get(load().prototype, name, receiver),
      has: (_, name) => Reflect.has(load().prototype, name),
      getPrototypeOf: () => load().prototype,
    },
  );
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
